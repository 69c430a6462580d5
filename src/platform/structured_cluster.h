// Many equal nodes and a fabric between them: hosts, links and routes by arithmetic from those of one node.
#pragma once

#include "model/cluster.h"
#include "platform/fabric.h"

#include <memory>
#include <optional>
#include <vector>

namespace tandem::platform {

/// How a host of the node leaves it: its network card, and the links to and from the card inside of the node.
struct WayOut {
  std::uint32_t nic = 0;
  model::Route out, in;
};

/// `ways_out` is by the node's HostId; a host without one reaches no other node. Hosts and links of node k are named
/// "node<k>.<name>" and numbered from k times those of a node; links of the fabric follow after the last node's.
model::Cluster make_structured(const model::Cluster& node, std::uint32_t nodes, std::unique_ptr<const Fabric> fabric,
                               std::vector<std::optional<WayOut>> ways_out);

} // namespace tandem::platform
