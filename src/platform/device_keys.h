// The table of everything a device file can say: it drives the reader, its messages, --set and the documentation.
#pragma once

#include "model/device.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::platform {

/// One key of a device file. A dotted name may also be written as a YAML map: `queue: {depth: 64}`.
struct DeviceKey {
  std::string name;          ///< "hbm_bandwidth", "queue.depth"
  std::string unit;          ///< what a value looks like, "bandwidth, as 1TBps"
  std::string default_value; ///< in the same notation; empty: the key is required
  std::string help;
  bool required = false;
  /// Reads and checks the text, then changes the device. Throws UserError without a place.
  std::function<void(model::Device&, std::string_view)> set;
  /// The device's value in a notation that `set` reads back to the same value; empty when the device states none.
  std::function<std::string(const model::Device&)> get;
};

/// All keys in the order of the documentation.
const std::vector<DeviceKey>& device_keys();

/// Throws UserError with the nearest key when there is none of that name.
const DeviceKey& device_key(std::string_view name);

/// `--set device.<key>=<value>`: the value then counts as sourced by the user. Throws UserError.
void set_device_key(model::Device& device, std::string_view key, std::string_view value);

} // namespace tandem::platform
