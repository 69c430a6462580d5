// Reading a platform file: SimGrid XML 4.1 with the GPUs' devices from the catalogue.
#pragma once

#include "model/cluster.h"

#include <map>
#include <string>
#include <vector>

namespace tandem::platform {

/// Reads hosts, links, zones and routes as SimGrid 3.32 does, and the GPUs: the hosts with a `device` property, whose
/// name is looked up in `device_paths` (devices.h). A file without GPUs is read too. Throws UserError with
/// file:line:column. `overrides` are properties of the root zone, over the file's, as {"nodes", "16"}; of a file that
/// describes one machine they are refused.
model::Cluster read_cluster(const std::string& path, const std::vector<std::string>& device_paths,
                            const std::map<std::string, std::string>& overrides = {});

/// Names that `overrides` may have.
std::vector<std::string> cluster_property_names();

/// A property or attribute of a platform file that means more to Tandem than to SimGrid.
struct PlatformProperty {
  std::string name;  ///< "host prop device"
  std::string value; ///< what it looks like
  std::string meaning;
};

/// For the documentation, in its order.
const std::vector<PlatformProperty>& platform_properties();

} // namespace tandem::platform
