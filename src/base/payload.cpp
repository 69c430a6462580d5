// A unit is added where there is none.
#include "base/payload.h"

#include "base/error.h"
#include "base/units.h"

#include <algorithm>
#include <cmath>

namespace tandem::base {

std::uint64_t parse_payload(const std::string& text) {
  const bool digits =
      !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  const double bytes = parse_bytes(digits ? text + "B" : text).value();
  if (bytes != std::floor(bytes) || bytes > MOST_PAYLOAD_BYTES)
    throw UserError(in_quotes(text) + " is not a whole number of bytes up to 1 PiB");
  return static_cast<std::uint64_t>(bytes);
}

} // namespace tandem::base
