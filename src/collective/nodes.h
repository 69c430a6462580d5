// Reductions and gathers of a kernel's data over nodes: within each node by one algorithm, between nodes by another.
#pragma once

#include "collective/address_map.h"
#include "collective/blocks.h"
#include "collective/grid.h"
#include "collective/parameters.h"

#include <string>
#include <vector>

namespace tandem::collective {

/// `nodes` nodes of `gpus` GPUs, whose ranks follow each other.
class Nodes {
public:
  /// `within`, `between`: RING or DIRECT.
  Nodes(int gpus, int nodes, Topology within, Topology between);

  /// What `rank` does for a reduce-scatter or an all-gather of whole chunks, as a kernel that is launched for it. Takes
  /// mover.channel and the three after it. Returns the end.
  OpId append(Composer& composer, model::CollectiveKind kind, Mover mover, int rank,
              const std::vector<OpId>& after) const;

private:
  Grid grid_;
  GroupAlgorithm within_, between_;
};

/// The parameter `algorithm` of a strategy for a reduction: ring, direct or hierarchical.
Topology topology_parameter(const Parameters& parameters);
/// The parameter `name`: ring or direct.
Topology way_parameter(const Parameters& parameters, const std::string& name);
/// The parameters intra and inter of algorithm=hierarchical.
std::vector<Parameter> parameters_over_nodes();
/// Empty when the operation is a reduction and the ranks are several whole nodes; else why algorithm=hierarchical
/// cannot be.
std::string needs_nodes_to_reduce_over(const Request& request, const model::Cluster& cluster);

} // namespace tandem::collective
