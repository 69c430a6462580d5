// Reading the device catalogue: YAML files whose every value names its source or says that it is assumed.
#pragma once

#include "model/device.h"
#include "platform/device_keys.h"

#include <string>
#include <vector>

namespace tandem::platform {

// A device file is a YAML map: `name`, the keys of device_keys(), and `source`, which covers every plain value in it.
// Each value is plain (`sms: 80`), or {value: 80, source: "where from"}, or {value: 80, assumed: "why"}.
// A plain value without the file's `source`, and a default, count as assumed.

/// Throws UserError with file:line:column.
model::Device read_device(const std::string& path);

/// Reads `<directory>/<name>.yaml` from the first of `search_paths` that has it; a search path may also be the YAML
/// file itself. Throws UserError with the nearest name when none has it.
model::Device find_device(const std::string& name, const std::vector<std::string>& search_paths);

} // namespace tandem::platform
