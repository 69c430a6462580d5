// What the <prop>s of the root zone say of a cluster as a whole. The table drives the reader, its messages and the
// documentation.
#pragma once

#include "platform/xml.h"

#include <functional>
#include <string>
#include <vector>

namespace tandem::platform {

struct ClusterProperties {
  bool in_switch_reduction = false;        ///< of the node: NVLS
  bool fabric_in_switch_reduction = false; ///< between nodes: SHARP
};

/// One property of the root zone.
struct ClusterProperty {
  std::string name;
  std::string value; ///< what it looks like, "true or false"
  std::string help;
  /// Throws UserError without a place.
  std::function<void(ClusterProperties&, const std::string&)> set;
};

const std::vector<ClusterProperty>& cluster_properties();

/// Of the root zone. A zone of another program may have properties of its own; a name that is nearly one of Tandem's is
/// taken for a slip of the pen. Throws UserError with its place.
ClusterProperties read_cluster_properties(const Element& zone);

} // namespace tandem::platform
