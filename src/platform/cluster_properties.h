// What the <prop>s of the root zone say of a cluster as a whole: its nodes, and the fabric between them. The table
// drives the reader, its messages, --set platform.KEY and the documentation.
#pragma once

#include "base/error.h"
#include "platform/fabric.h"
#include "platform/xml.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tandem::platform {

struct ClusterProperties {
  int nodes = 1;
  FabricSettings fabric;                   ///< no kind: the file describes one machine
  bool in_switch_reduction = false;        ///< of the node: NVLS
  bool fabric_in_switch_reduction = false; ///< between nodes: SHARP
  std::vector<std::string> assumed, fabric_assumed;
  base::Location where; ///< of the property `fabric`
};

/// One property of the root zone.
struct ClusterProperty {
  std::string name;
  std::string value;   ///< what it looks like, "true or false"
  std::string fabrics; ///< kinds of fabric that know it, separated by blanks; empty: all
  std::string help;
  /// Throws UserError without a place.
  std::function<void(ClusterProperties&, const std::string&)> set;
};

const std::vector<ClusterProperty>& cluster_properties();

/// Of the root zone, with `overrides` (property -> value) in the place of the file's. A file without the property
/// `fabric` may have properties of another program; a name that is nearly one of Tandem's is taken for a slip of the
/// pen. Throws UserError with its place.
ClusterProperties read_cluster_properties(const Element& zone, const std::map<std::string, std::string>& overrides);

} // namespace tandem::platform
