// --set device.KEY=VALUE.
#pragma once

#include "app/options.h"

namespace tandem::app {

/// Device keys and values, without the leading "device.". Throws UserError on another key, with the nearest one.
Assignments device_values(const std::vector<std::string>& set);

} // namespace tandem::app
