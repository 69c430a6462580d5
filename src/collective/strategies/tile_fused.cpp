// tile-fused: the GEMM's epilogue adds the incoming partial tile and stores the sum at the next rank, tile order
// shifted by rank (FLUX, CoCoNet). For an all-to-all it stores each tile at its owner, and nothing is added.
#include "collective/blocks.h"
#include "collective/parameters.h"
#include "collective/strategies/strategies.h"
#include "collective/tiling.h"

#include <utility>

namespace tandem::collective {

using model::Access;
using model::Buffer;
using model::OpKind;
using model::Phase;
using model::Stream;

namespace {

/// Builds the fused kernel for a ring (partial sums travel) or direct (every tile goes to its owner, which adds
/// atomically, or, in an all-to-all, keeps it).
class EpiloguePlan {
public:
  EpiloguePlan(bool direct, const Request& request, const model::Cluster& cluster)
      : exchanges_(request.op.kind == model::CollectiveKind::ALL_TO_ALL), direct_(direct || exchanges_),
        phase_(exchanges_ ? Phase::OTHER : Phase::RS), tiling_(request, *cluster.gpus.front().device),
        composer_("tile-fused", request, cluster, tiling_.pieces_per_chunk(), tiling_.piece_bytes()),
        ranks_(composer_.ranks()) {}

  model::Schedule build(model::CollectiveKind goal) {
    OpId last = composer_.add(
        {.phase = Phase::GEMM, .label = composer_.label("GEMM launch"), .delay = composer_.device().kernel_launch});
    const auto stages = tiling_.stages(model::OutputPath::THROUGH_L2);
    for (const auto& stage : stages)
      for (const auto& segment : tiling_.segments(stage))
        if (segment.position != ranks_ - 1)
          sent_.push_back(segment);
    append_arrivals();
    std::vector<OpId> before; // stores of the stage before the last: one stage of them may be under way
    for (const auto& stage : stages) {
      std::vector<OpId> after{last};
      after.insert(after.end(), before.begin(), before.end());
      before = std::exchange(stores_, {});
      last = append_stage(composer_, stage, composer_.label("GEMM"), after);
      for (const auto& segment : tiling_.segments(stage))
        last = append_epilogue(segment, last);
    }
    std::vector<OpId> ends{last};
    ends.insert(ends.end(), before.begin(), before.end());
    ends.insert(ends.end(), stores_.begin(), stores_.end());
    if (direct_)
      for (const auto& arrival : arrivals_)
        ends.push_back(arrival.op);
    const OpId moved = composer_.join(exchanges_ ? "A2A done" : "RS done", phase_, ends);
    append_rest_of_all_reduce(composer_, goal, {.sms = composer_.device().sms}, composer_.whole(), moved);
    return composer_.finish(goal);
  }

private:
  [[nodiscard]] int peer(int position) const { return direct_ ? owner_at(position) : RING_NEXT; }
  [[nodiscard]] Span span(const Segment& segment) const {
    return composer_.chunk(owner_at(segment.position), {segment.first, segment.count});
  }

  void append_arrivals() {
    for (const auto& segment : sent_) {
      const Segment here{direct_ ? ranks_ - 1 : segment.position + 1, segment.first, segment.count};
      const OpId op = composer_.add({.kind = OpKind::RECV,
                                     .phase = phase_,
                                     .stream = Stream::COMMUNICATION,
                                     .label = composer_.label("epilogue stores"),
                                     .peer = -peer(segment.position),
                                     .effect = {.span = span(here)}});
      arrivals_.push_back({here, op});
    }
  }

  /// The end of a segment's tiles: the workgroups wait for the incoming partial tiles, add them, and issue their
  /// stores. The next stage has the SMs only then; the stores themselves cross the link behind it.
  OpId append_epilogue(const Segment& segment, OpId computed) {
    const bool own = segment.position == ranks_ - 1;
    const bool adds = !direct_ && segment.position > 0;
    std::vector<OpId> after{computed};
    for (const auto& arrival : arrivals_)
      if (adds && arrival.segment.overlaps(segment))
        after.push_back(arrival.op);
    Op epilogue{.kind = OpKind::WORK,
                .phase = Phase::GEMM,
                .label = composer_.label("GEMM epilogue"),
                .sms = static_cast<std::uint16_t>(composer_.device().sms),
                .sm_bytes_per_span = adds ? 2.0 : 1.0}; // the own part is in registers: load the other, store the sum
    epilogue.effect.span = span(segment);
    if (adds)
      epilogue.traffic.push_back({Phase::RS, Access::READ, 1.0, {}});
    if (own) {
      if (adds_at_owner()) // atomic adds: other ranks' tiles may be there already
        epilogue.traffic.push_back({Phase::RS, Access::READ, 1.0, {}});
      epilogue.traffic.push_back({Phase::GEMM, Access::WRITE, 1.0, {}});
      epilogue.effect = {sources(adds), Buffer::LOCAL, adds_at_owner(), span(segment)};
    }
    const OpId issued = composer_.add(std::move(epilogue), after);
    if (!own)
      stores_.push_back(append_store(segment, adds, issued));
    return issued;
  }

  OpId append_store(const Segment& segment, bool adds, OpId issued) {
    Op store{.kind = OpKind::TRANSFER,
             .phase = phase_,
             .stream = Stream::COMMUNICATION,
             .label = composer_.label("epilogue stores"),
             .peer = peer(segment.position),
             .effect = {sources(adds), direct_ ? Buffer::LOCAL : Buffer::STAGING, adds_at_owner(), span(segment)}};
    if (exchanges_) { // to the place of this rank's chunk
      store.effect.target = Buffer::RESULT;
      store.effect.to = composer_.chunk(0, {segment.first, segment.count}).first;
    }
    if (adds_at_owner())
      store.peer_traffic.push_back({phase_, Access::READ, 1.0, {}});
    store.peer_traffic.push_back({phase_, Access::WRITE, 1.0, {}});
    return composer_.add(std::move(store), {issued});
  }

  static model::Sources sources(bool adds) {
    return static_cast<model::Sources>(adds ? model::FRESH | model::FROM_STAGING : model::FRESH);
  }

  [[nodiscard]] bool adds_at_owner() const { return direct_ && !exchanges_; }

  bool exchanges_, direct_;
  Phase phase_; ///< of the communication
  Tiling tiling_;
  Composer composer_;
  int ranks_;
  std::vector<Segment> sent_;
  std::vector<Writer> arrivals_; ///< positions as the receiver counts them
  std::vector<OpId> stores_;     ///< of the stage that was added last
};

class TileFusedStrategy : public Strategy {
public:
  explicit TileFusedStrategy(const Parameters& parameters)
      : direct_(word_parameter(parameters, "algorithm", {"ring", "direct"}) == "direct") {}

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    return needs_producer(request, cluster, kinds_after_gemm());
  }
  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    return EpiloguePlan(direct_, request, cluster).build(request.op.kind);
  }

private:
  bool direct_;
};

} // namespace

StrategyInfo tile_fused_strategy() {
  return {"tile-fused",
          "RS or all-to-all in the GEMM's epilogue, tile by tile, tile order shifted by rank",
          {{"algorithm", "ring",
            "of the RS: ring (the epilogue adds the incoming partial tile) or direct (atomic adds at the owner); an "
            "all-to-all is direct"}},
          [](const Parameters& parameters) { return std::make_unique<TileFusedStrategy>(parameters); }};
}

} // namespace tandem::collective
