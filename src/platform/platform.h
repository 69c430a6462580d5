// Reading a platform file: SimGrid XML 4.1 with the GPUs' devices from the catalogue.
#pragma once

#include "model/cluster.h"

#include <string>
#include <vector>

namespace tandem::platform {

/// Reads hosts, links, zones and routes as SimGrid 3.32 does, and the GPUs: the hosts with a `device` property, whose
/// name is looked up in `device_paths` (devices.h). A file without GPUs is read too. Throws UserError with
/// file:line:column.
model::Cluster read_cluster(const std::string& path, const std::vector<std::string>& device_paths);

/// A property or attribute of a platform file that means more to Tandem than to SimGrid.
struct PlatformProperty {
  std::string name;  ///< "host prop device"
  std::string value; ///< what it looks like
  std::string meaning;
};

/// For the documentation, in its order.
const std::vector<PlatformProperty>& platform_properties();

} // namespace tandem::platform
