// Foreign text made harmless.
#include "collective/plugin/plain_text.h"

namespace tandem::collective {

std::string plain_text(const char* text, std::size_t most) {
  std::string plain;
  for (; *text != '\0' && plain.size() < most; ++text)
    plain += *text >= ' ' && *text <= '~' ? *text : '?';
  return plain;
}

} // namespace tandem::collective
