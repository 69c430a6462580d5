// hierarchical: a reduce-scatter within each node, then an all-reduce among the GPUs of one place in all nodes, each by
// its own way to the network, then an all-gather within each node.
#include "collective/grid.h"
#include "collective/plain.h"
#include "collective/ring_place.h"
#include "collective/strategies/strategies.h"

#include <algorithm>
#include <numeric>

namespace tandem::collective {

namespace {

using model::CollectiveKind;
using model::Phase;

GroupAlgorithm algorithm_named(const std::string& word) {
  if (word == "ring")
    return GroupAlgorithm::RING;
  if (word == "direct")
    return GroupAlgorithm::DIRECT;
  if (word == "nvls")
    return GroupAlgorithm::IN_SWITCH;
  return word == "tree" ? GroupAlgorithm::TREE : GroupAlgorithm::HALVING_DOUBLING;
}

class HierarchicalStrategy : public PlainStrategy {
public:
  explicit HierarchicalStrategy(const Parameters& parameters)
      : PlainStrategy("hierarchical",
                      {CollectiveKind::ALL_REDUCE, CollectiveKind::REDUCE_SCATTER, CollectiveKind::ALL_GATHER},
                      parameters, "ring"),
        intra_(algorithm_named(word_parameter(parameters, "intra", {"ring", "direct", "nvls"}))),
        inter_(algorithm_named(word_parameter(parameters, "inter", {"ring", "direct", "tree", "halving-doubling"}))),
        chunks_(whole_parameter(parameters, "chunks", 1, MOST_CHUNKS)) {}

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    if (auto reason = PlainStrategy::why_not(request, cluster); !reason.empty())
      return reason;
    if (!spans_nodes(cluster, request.op.ranks))
      return "the ranks are not several whole nodes";
    if (intra_ == GroupAlgorithm::IN_SWITCH && !cluster.node_reduces_in_switch)
      return "no switch of a node of platform " + cluster.name + " reduces (in_switch_reduction)";
    if (inter_ == GroupAlgorithm::TREE && request.op.kind != CollectiveKind::ALL_REDUCE)
      return "with inter=tree it does an all-reduce only";
    return {};
  }

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    const Grid grid({cluster.gpus_per_node, request.op.ranks / cluster.gpus_per_node});
    const auto pieces = pieces_of_chunk(request.op.kind, grid.size(BETWEEN));
    Composer composer(name(), request, cluster, static_cast<std::uint32_t>(chunks_) * pieces);
    prepare(composer, cluster, flows_within(grid.size(WITHIN)),
            flows_between(grid.size(BETWEEN)) * gpus_of_nic(cluster, request.op.ranks));
    const bool all_alike = is_alike(inter_);
    for (int rank = 0; rank < request.op.ranks; ++rank) {
      if (all_alike && rank >= grid.different_ranks()) {
        composer.run_program_of(rank % grid.different_ranks());
        continue;
      }
      const bool sums = request.op.kind != CollectiveKind::ALL_GATHER;
      const OpId begin = composer.launch("hierarchical launch", sums ? Phase::RS : Phase::AG, {});
      for (int chunk = 0; chunk < chunks_; ++chunk)
        append_journey(composer, grid,
                       {.legs = {{"intra ", WITHIN, intra_}, {"inter ", BETWEEN, inter_}},
                        .slice = {static_cast<std::uint32_t>(chunk) * pieces, pieces},
                        .sms = mover(composer, phases_side_by_side()).sms,
                        .first_channel = 0,
                        .side_by_side = !all_alike && request.op.kind == CollectiveKind::ALL_REDUCE},
                       rank, request.op.kind, begin);
      composer.end_program();
    }
    return composer.finish(request.op.kind);
  }

private:
  enum Dimension { WITHIN, BETWEEN };
  static constexpr int SUMS_AND_RESULTS = 2, TREES = 2;

  /// Chunks that follow each other keep the sums and the results of a node and the network busy at the same time.
  [[nodiscard]] int phases_side_by_side() const { return chunks_ > 1 ? 3 : 1; }
  /// Messages of a rank in its node that can be under way together.
  [[nodiscard]] int flows_within(int gpus) const {
    const int flows = intra_ == GroupAlgorithm::RING ? 1 : std::max(1, gpus - 1);
    return chunks_ > 1 ? SUMS_AND_RESULTS * flows : flows;
  }
  /// The same between nodes.
  [[nodiscard]] int flows_between(int nodes) const {
    const int flows = inter_ == GroupAlgorithm::DIRECT ? nodes - 1 : inter_ == GroupAlgorithm::TREE ? TREES : 1;
    return chunks_ > 1 ? SUMS_AND_RESULTS * flows : flows;
  }
  /// So that what goes between nodes can be cut evenly.
  [[nodiscard]] std::uint32_t pieces_of_chunk(CollectiveKind kind, int nodes) const {
    if (kind != CollectiveKind::ALL_REDUCE)
      return 1;
    const int parts = even_parts(inter_, nodes);
    return static_cast<std::uint32_t>(parts / std::gcd(parts, nodes));
  }

  GroupAlgorithm intra_, inter_;
  int chunks_;
};

} // namespace

StrategyInfo hierarchical_strategy() {
  return {
      "hierarchical",
      "collective on its own, over nodes: within each node, then between GPUs of one place, then within again",
      plain_parameters({{"intra", "ring", "within a node: ring, direct, nvls (its switch adds and copies)"},
                        {"inter", "ring", "between nodes: ring, direct, halving-doubling; for an all-reduce also tree"},
                        {"chunks", "1", "parts that go through the phases one behind the other"}}),
      [](const Parameters& parameters) { return std::make_unique<HierarchicalStrategy>(parameters); }};
}

} // namespace tandem::collective
