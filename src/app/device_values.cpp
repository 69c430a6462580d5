// Keys of --set against the table of device keys.
#include "app/device_values.h"

#include "base/error.h"
#include "platform/device_keys.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::app {

Assignments device_values(const std::vector<std::string>& set) {
  constexpr std::string_view PREFIX = "device.";
  Assignments values;
  for (const auto& [key, value] : read_assignments("--set", set)) {
    std::vector<std::string> known;
    for (const auto& row : platform::device_keys())
      known.push_back(fmt::format("{}{}", PREFIX, row.name));
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      const auto near = base::nearest(key, known);
      throw base::UserError(fmt::format("--set: unknown key {}{}; allowed: device.KEY with a KEY of `tandem list "
                                        "device-keys`",
                                        base::in_quotes(key),
                                        near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
    }
    values[key.substr(PREFIX.size())] = value;
  }
  return values;
}

} // namespace tandem::app
