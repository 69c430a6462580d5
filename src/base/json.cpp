// The line, which nlohmann counts in bytes.
#include "base/json.h"

#include <algorithm>

namespace tandem::base {

UserError json_error(const nlohmann::json::exception& error, const std::string& text, const std::string& file) {
  const auto* syntax = dynamic_cast<const nlohmann::json::parse_error*>(&error);
  if (!syntax)
    return {{.file = file}, "has a number that is too large; allowed: what a double can hold"};
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(syntax->byte, text.size()));
  return {{.file = file, .line = 1 + static_cast<int>(std::count(text.begin(), end, '\n'))}, "is not valid JSON"};
}

} // namespace tandem::base
