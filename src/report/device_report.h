// Device catalogue entries for people: the table of `tandem list devices`, and one device's numbers with their sources.
#pragma once

#include "model/device.h"
#include "report/table.h"

#include <string>
#include <vector>

namespace tandem::report {

/// One line per device with the numbers that tell devices apart, and how many of a device's numbers are assumed.
std::string device_table(const std::vector<model::Device>& devices, const Layout& layout = {120, 2, false});

/// Every number of a device by its key in a device file, with a unit, and where it comes from.
std::string device_details(const model::Device& device, const Layout& layout = {120, 2, false});

/// Key and value of every number, as device_details() shows them.
struct DeviceNumber {
  std::string key, value;
  bool operator==(const DeviceNumber&) const = default;
};
std::vector<DeviceNumber> device_numbers(const model::Device& device);

} // namespace tandem::report
