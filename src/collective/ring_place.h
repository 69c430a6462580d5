// Where a rank stands in a ring, and the rings that the links of a machine allow.
#pragma once

#include "model/cluster.h"

#include <vector>

namespace tandem::collective {

inline model::Rank rank_at(int index) {
  return model::Rank(static_cast<std::uint32_t>(index));
}

/// The ranks in the order in which a ring's messages pass them.
using RingOrder = std::vector<int>;

/// A rank's place in a ring, told by offsets from the rank. By default the ring is in the order of the ranks.
class RingPlace {
public:
  RingPlace() = default;
  RingPlace(const RingOrder& order, int rank);
  /// The rank that its messages go to.
  [[nodiscard]] int next() const { return behind_.empty() ? 1 : ahead_; }
  /// The rank `steps` places before it, steps = 0 .. ranks.
  [[nodiscard]] int behind(int steps) const;
  bool operator==(const RingPlace&) const = default;

private:
  std::vector<int> behind_; ///< by steps - 1, in (-ranks, 0)
  int ahead_ = 0;
};

/// The order of the ranks.
RingOrder rank_order(int ranks);

/// Rings that use the links of the machine side by side. Between nodes one ring for each NIC of a node, which comes in
/// by that NIC and passes all GPUs of the node before it leaves; every other node is passed the other way round, so
/// that a ring stays on its rail. Within a node: edge-disjoint rings where GPUs have links of their own to each other,
/// else one. Ranks that do not fill whole nodes: one ring in the order of the ranks.
std::vector<RingOrder> link_rings(const model::Cluster& cluster, int ranks);

/// Whether ranks of different nodes of `cluster` lie in different nodes of the machine. Of a group that lies unevenly
/// in the machine's nodes (Cluster::part) the nodes are parts of those, and several may share one.
bool nodes_are_apart(const model::Cluster& cluster, int ranks);

/// The first rank of the first node that rank 0 reaches through the network; of the second node where there is none.
int first_across_network(const model::Cluster& cluster);

/// For each NIC of a node the first GPU (0 .. gpus_per_node - 1) that uses it.
std::vector<int> nic_gpus(const model::Cluster& cluster);

/// How many GPUs of a node share a NIC, where `ranks` are several whole nodes; else 1.
int gpus_of_nic(const model::Cluster& cluster, int ranks);

/// Whether `ranks` are several whole nodes.
bool spans_nodes(const model::Cluster& cluster, int ranks);

} // namespace tandem::collective
