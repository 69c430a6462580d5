// sharp: the switches between nodes add and copy (SHARP; NCCL's CollNet). Each node's sum of a part goes once into the
// fabric through one network card, and the result of all comes back once; before and after it the node's GPUs reduce
// and spread among themselves. Graham et al., "Scalable Hierarchical Aggregation Protocol (SHArP)", COMHPC 2016.
#include "collective/grid.h"
#include "collective/messages.h"
#include "collective/plain.h"
#include "collective/ring_place.h"
#include "collective/strategies/strategies.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::collective {

namespace {

using model::Buffer;
using model::CollectiveKind;
using model::Medium;
using model::Phase;

GroupAlgorithm within_named(const std::string& word) {
  if (word == "ring")
    return GroupAlgorithm::RING;
  return word == "direct" ? GroupAlgorithm::DIRECT : GroupAlgorithm::IN_SWITCH;
}

/// The all-reduce of one rank: a part of the payload for each network card of a node, which one GPU brings there.
class SharpProgram {
public:
  SharpProgram(Composer& composer, const PipelineParts& parts, const std::vector<int>& leaders, GroupAlgorithm within,
               int sms, int rank, int gpus)
      : composer_(composer), parts_(parts), leaders_(leaders), mover_{sms, 2}, rank_(rank), gpus_(gpus) {
    phase_.name = "intra ";
    phase_.algorithm = within;
    phase_.group.place = rank % gpus;
    for (int gpu = 0; gpu < gpus; ++gpu)
      phase_.group.members.push_back(gpu - rank % gpus);
    phase_.sums = {sms, 0};
    phase_.results = {sms, 1};
  }

  void append() {
    const OpId begin = composer_.launch("sharp launch", Phase::RS, {});
    for (int chunk = 0; chunk < parts_.chunks(); ++chunk) {
      phase_.shares.assign(static_cast<std::size_t>(gpus_), {});
      for (std::size_t part = 0; part < leaders_.size(); ++part)
        phase_.shares[static_cast<std::size_t>(leaders_[part])] = {
            parts_.span(composer_, rank_, static_cast<int>(part), chunk)};
      OpId last = append_group_reduce_scatter(composer_, phase_, {begin});
      for (const auto span : phase_.shares[static_cast<std::size_t>(phase_.group.place)])
        last = append_fabric(span, last);
      append_group_all_gather(composer_, phase_, {last});
    }
  }

private:
  /// The node's sum goes to the node behind it in their order, and with it no other bytes: what the tree of switches
  /// adds crosses each link of the tree once, as a ring of its leaves does, which leaves and enters every subtree once.
  /// The other nodes' data is in the sums that the switches hand on, and takes as long as its way. So the result is
  /// there when the slowest node's part is, one way through the fabric later.
  OpId append_fabric(Span span, OpId summed) {
    composer_.schedule().adds_in_switch = true;
    const OpId own = append_in_place(composer_, span, {summed});
    std::vector<OpId> in{own};
    for (int step = 1; step < composer_.ranks() / gpus_; ++step) {
      auto message =
          copy_message(Phase::RS, "through the fabric", step * gpus_, model::FROM_LOCAL, Buffer::RESULT, span);
      message.effect.update = true;
      if (step > 1) {
        message.reads = message.sm_bytes = 0.0;
        message.at_peer.clear();
      }
      Op op = send(composer_, mover_, message);
      op.wire_factor = step > 1 ? 0.0 : 1.0;
      composer_.add(std::move(op), {own});
      in.push_back(composer_.add(receive(composer_, mover_, message, span), {own}));
    }
    return composer_.join("result of all nodes", Phase::RS, in);
  }

  Composer& composer_;
  const PipelineParts& parts_;
  const std::vector<int>& leaders_;
  Mover mover_;
  int rank_, gpus_;
  GroupPhase phase_;
};

/// Whether each pair of nodes has one switch between their cards of one place, as far as the GPUs' routes tell.
bool has_one_tier(const model::Cluster& cluster, int ranks) {
  for (int gpu = 0; gpu < cluster.gpus_per_node; ++gpu)
    for (int other = gpu + cluster.gpus_per_node; other < ranks; other += cluster.gpus_per_node) {
      const auto route =
          cluster.route(model::Rank(static_cast<std::uint32_t>(gpu)), model::Rank(static_cast<std::uint32_t>(other)));
      const auto crossed = std::count_if(route.links.begin(), route.links.end(), [&](model::LinkId link) {
        return cluster.links[link.index].medium == Medium::NETWORK;
      });
      if (crossed > 2)
        return false;
    }
  return true;
}

class SharpStrategy : public PlainStrategy {
public:
  explicit SharpStrategy(const Parameters& parameters)
      : PlainStrategy("sharp",
                      {CollectiveKind::ALL_REDUCE, CollectiveKind::REDUCE_SCATTER, CollectiveKind::ALL_GATHER,
                       CollectiveKind::BARRIER},
                      parameters),
        within_(within_named(word_parameter(parameters, "intra", {"direct", "ring", "nvls"}))),
        chunks_(whole_parameter(parameters, "chunks", 1, MOST_CHUNKS)) {}

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    if (auto reason = PlainStrategy::why_not(request, cluster); !reason.empty())
      return reason;
    if (!cluster.fabric_reduces_in_switch)
      return "no switch between the nodes of platform " + cluster.name + " reduces (fabric_in_switch_reduction)";
    if (!spans_nodes(cluster, request.op.ranks))
      return "the ranks are not several whole nodes";
    if (!nodes_are_apart(cluster, request.op.ranks))
      return "the group has different numbers of GPUs in the nodes";
    if (within_ == GroupAlgorithm::IN_SWITCH && !cluster.node_reduces_in_switch)
      return "no switch of a node of platform " + cluster.name + " reduces (in_switch_reduction)";
    if (cluster.fabric && (cluster.fabric->kind == "torus" || cluster.fabric->kind == "dragonfly"))
      return fmt::format("the fabric of platform {}, a {}, is no tree of switches", cluster.name, cluster.fabric->kind);
    const bool in_chunks =
        request.op.kind == CollectiveKind::REDUCE_SCATTER || request.op.kind == CollectiveKind::ALL_GATHER;
    if (in_chunks && !has_one_tier(cluster, request.op.ranks))
      return "through more than one tier of switches it does an all-reduce or a barrier only";
    return {};
  }

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    return request.op.kind == CollectiveKind::ALL_REDUCE ? plan_all_reduce(request, cluster)
                                                         : plan_in_chunks(request, cluster);
  }

private:
  enum Dimension { WITHIN, BETWEEN };

  [[nodiscard]] model::Schedule plan_all_reduce(const Request& request, const model::Cluster& cluster) const {
    const auto leaders = nic_leaders(cluster);
    const PipelineParts parts(request.op, static_cast<int>(leaders.size()), {.chunks = chunks_});
    Composer composer(name(), request, cluster, parts.pieces_per_chunk(), parts.piece_bytes());
    prepare(composer, cluster, phases_side_by_side());
    for (int rank = 0; rank < request.op.ranks; ++rank) {
      SharpProgram(composer, parts, leaders, within_, mover(composer, phases_side_by_side()).sms, rank,
                   cluster.gpus_per_node)
          .append();
      composer.end_program();
    }
    return composer.finish(request.op.kind);
  }

  /// What each rank owns goes through the switch for itself: sums to their owner, copies from it. A barrier is an
  /// all-gather of nothing.
  [[nodiscard]] model::Schedule plan_in_chunks(Request request, const model::Cluster& cluster) const {
    const int gpus = cluster.gpus_per_node;
    const Grid grid({gpus, request.op.ranks / gpus});
    const bool sums = request.op.kind == CollectiveKind::REDUCE_SCATTER;
    const bool barrier = request.op.kind == CollectiveKind::BARRIER;
    if (barrier)
      request.op.bytes = model::Bytes(0.0);
    const int chunks = barrier ? 1 : chunks_;
    Composer composer(name(), request, cluster, static_cast<std::uint32_t>(chunks));
    prepare(composer, cluster, phases_side_by_side());
    for (int rank = 0; rank < request.op.ranks; ++rank) {
      if (rank >= gpus) {
        composer.run_program_of(rank % gpus);
        continue;
      }
      const OpId begin = composer.launch("sharp launch", sums ? Phase::RS : Phase::AG, {});
      for (int chunk = 0; chunk < chunks; ++chunk)
        append_journey(
            composer, grid,
            {.legs = {{"intra ", WITHIN, within_}, {"through the fabric ", BETWEEN, GroupAlgorithm::IN_SWITCH}},
             .slice = {static_cast<std::uint32_t>(chunk), 1},
             .sms = mover(composer, phases_side_by_side()).sms},
            rank, sums ? CollectiveKind::REDUCE_SCATTER : CollectiveKind::ALL_GATHER, begin);
      composer.end_program();
    }
    return composer.finish(request.op.kind);
  }

  /// One GPU of a node for each of its network cards; where the routes name none, each GPU for itself.
  static std::vector<int> nic_leaders(const model::Cluster& cluster) {
    auto leaders = nic_gpus(cluster);
    return leaders.empty() ? rank_order(cluster.gpus_per_node) : leaders;
  }

  /// Chunks that follow each other keep the node's sums, its results and the network busy at the same time.
  [[nodiscard]] int phases_side_by_side() const { return chunks_ > 1 ? 3 : 1; }

  GroupAlgorithm within_;
  int chunks_;
};

} // namespace

StrategyInfo sharp_strategy() {
  return {"sharp",
          "collective on its own, over nodes: the fabric's switches add and copy (SHARP), each node sends a part once",
          plain_parameters({{"intra", "direct", "within a node: direct, ring, nvls (its switch adds and copies)"},
                            {"chunks", "4", "parts that go through the phases one behind the other"}}),
          [](const Parameters& parameters) { return std::make_unique<SharpStrategy>(parameters); }};
}

} // namespace tandem::collective
