// algorithm=hierarchical of strategies that fuse a GEMM with a reduction, or run one after the other.
#include "collective/nodes.h"

#include "collective/ring_place.h"

#include <fmt/format.h>

namespace tandem::collective {

namespace {

using model::CollectiveKind;
using model::Phase;

enum Level { WITHIN_NODE, BETWEEN_NODES };

GroupAlgorithm algorithm_of(Topology topology) {
  return topology == Topology::RING ? GroupAlgorithm::RING : GroupAlgorithm::DIRECT;
}

} // namespace

Nodes::Nodes(int gpus, int nodes, Topology within, Topology between)
    : grid_({gpus, nodes}), within_(algorithm_of(within)), between_(algorithm_of(between)) {}

OpId Nodes::append(Composer& composer, CollectiveKind kind, Mover mover, int rank,
                   const std::vector<OpId>& after) const {
  const bool sums = kind == CollectiveKind::REDUCE_SCATTER;
  const OpId begin = composer.launch(sums ? "RS launch" : "AG launch", sums ? Phase::RS : Phase::AG, after);
  return append_journey(composer, grid_,
                        {.legs = {{"intra ", WITHIN_NODE, within_}, {"inter ", BETWEEN_NODES, between_}},
                         .slice = composer.whole(),
                         .sms = mover.sms,
                         .first_channel = mover.channel},
                        rank, kind, begin);
}

Topology way_parameter(const Parameters& parameters, const std::string& name) {
  return word_parameter(parameters, name, {"ring", "direct"}) == "ring" ? Topology::RING : Topology::DIRECT;
}

Topology topology_parameter(const Parameters& parameters) {
  const auto word = word_parameter(parameters, "algorithm", {"ring", "direct", "hierarchical"});
  if (word == "hierarchical")
    return Topology::HIERARCHICAL;
  return word == "ring" ? Topology::RING : Topology::DIRECT;
}

std::vector<Parameter> parameters_over_nodes() {
  return {{"intra", "ring", "of algorithm=hierarchical, within a node: ring, direct"},
          {"inter", "ring", "of algorithm=hierarchical, between nodes: ring, direct"}};
}

std::string needs_nodes_to_reduce_over(const Request& request, const model::Cluster& cluster) {
  if (request.op.kind != CollectiveKind::ALL_REDUCE && request.op.kind != CollectiveKind::REDUCE_SCATTER)
    return fmt::format("it does no {} with algorithm=hierarchical, only all-reduce, reduce-scatter",
                       model::to_string(request.op.kind));
  return spans_nodes(cluster, request.op.ranks) ? "" : "the ranks are not several whole nodes";
}

} // namespace tandem::collective
