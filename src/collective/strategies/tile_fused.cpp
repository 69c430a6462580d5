// tile-fused: the GEMM's epilogue adds the incoming partial tile and stores the sum at the next rank, tile order
// shifted by rank (FLUX, CoCoNet).
#include "collective/blocks.h"
#include "collective/parameters.h"
#include "collective/strategies/strategies.h"
#include "collective/tiling.h"

namespace tandem::collective {

using model::Access;
using model::Buffer;
using model::OpKind;
using model::Phase;
using model::Stream;

namespace {

/// Builds the fused kernel for a ring (partial sums travel) or direct (every tile goes to its owner, which adds
/// atomically).
class EpiloguePlan {
public:
  EpiloguePlan(bool direct, const Request& request, const model::Cluster& cluster)
      : direct_(direct), tiling_(request, cluster.gpus.front().device),
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
    std::vector<OpId> posted,
        before; // stores of the last stage and of the one before: one stage of them may be under way
    for (const auto& stage : stages) {
      std::vector<OpId> after{last};
      after.insert(after.end(), before.begin(), before.end());
      before = std::move(posted);
      posted.clear();
      last = append_stage(composer_, stage, composer_.label("GEMM"), after);
      for (const auto& segment : tiling_.segments(stage))
        posted.push_back(append_epilogue(segment, last));
    }
    std::vector<OpId> ends = posted;
    ends.insert(ends.end(), before.begin(), before.end());
    ends.push_back(last);
    ends.insert(ends.end(), finals_.begin(), finals_.end());
    if (direct_)
      for (const auto& arrival : arrivals_)
        ends.push_back(arrival.op);
    const OpId reduced = composer_.join("RS done", Phase::RS, ends);
    append_ring_all_gather(composer_, {.sms = composer_.device().sms}, composer_.whole(), {reduced});
    return composer_.finish(goal);
  }

private:
  struct Arrival {
    Segment segment; ///< as the receiver counts positions
    OpId op;
  };

  [[nodiscard]] int peer(int position) const { return direct_ ? owner_at(position) : RING_NEXT; }
  [[nodiscard]] Span span(const Segment& segment) const {
    return composer_.chunk(owner_at(segment.position), {segment.first, segment.count});
  }

  void append_arrivals() {
    for (const auto& segment : sent_) {
      const Segment here{direct_ ? ranks_ - 1 : segment.position + 1, segment.first, segment.count};
      const OpId op = composer_.add({.kind = OpKind::RECV,
                                     .phase = Phase::RS,
                                     .stream = Stream::COMMUNICATION,
                                     .label = composer_.label("epilogue stores"),
                                     .peer = -peer(segment.position),
                                     .effect = {.span = span(here)}});
      arrivals_.push_back({here, op});
    }
  }

  OpId append_epilogue(const Segment& segment, OpId computed) {
    const bool own = segment.position == ranks_ - 1;
    const bool adds = !direct_ && segment.position > 0;
    std::vector<OpId> after{computed};
    for (const auto& arrival : arrivals_)
      if (adds && arrival.segment.position == segment.position &&
          arrival.segment.first < segment.first + segment.count &&
          segment.first < arrival.segment.first + arrival.segment.count)
        after.push_back(arrival.op);
    Op op{.kind = own ? OpKind::WORK : OpKind::TRANSFER,
          .phase = own ? Phase::GEMM : Phase::RS,
          .stream = own ? Stream::COMPUTE : Stream::COMMUNICATION,
          .label = composer_.label(own ? "GEMM" : "epilogue stores"),
          .peer = own ? 0 : peer(segment.position),
          .sms = static_cast<std::uint16_t>(composer_.device().sms),
          .sm_bytes_per_span = adds ? 2.0 : 1.0}; // the sum is in registers: load the incoming tile, store
    if (adds)
      op.traffic.push_back({Phase::RS, Access::READ, 1.0, {}});
    if (own)
      op.traffic.push_back({Phase::GEMM, Access::WRITE, 1.0, {}});
    if (own && direct_)
      op.traffic.push_back({Phase::RS, Access::READ, 1.0, {}}); // atomic adds: other ranks' tiles may be there already
    if (!own && direct_)
      op.peer_traffic.push_back({Phase::RS, Access::READ, 1.0, {}});
    if (!own)
      op.peer_traffic.push_back({Phase::RS, Access::WRITE, 1.0, {}});
    const auto sources = static_cast<model::Sources>(adds ? model::FRESH | model::FROM_STAGING : model::FRESH);
    op.effect = {sources, own || direct_ ? Buffer::LOCAL : Buffer::STAGING, direct_, span(segment)};
    const OpId id = composer_.add(std::move(op), after);
    if (own)
      finals_.push_back(id);
    return id;
  }

  bool direct_;
  Tiling tiling_;
  Composer composer_;
  int ranks_;
  std::vector<Segment> sent_;
  std::vector<Arrival> arrivals_;
  std::vector<OpId> finals_;
};

class TileFusedStrategy : public Strategy {
public:
  explicit TileFusedStrategy(const Parameters& parameters)
      : direct_(word_parameter(parameters, "algorithm", {"ring", "direct"}) == "direct") {}

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    return needs_producer(request, cluster);
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
          "RS in the GEMM's epilogue, tile by tile, tile order shifted by rank",
          {{"algorithm", "ring",
            "ring (the epilogue adds the incoming partial tile) or direct (atomic adds at the owner)"}},
          [](const Parameters& parameters) { return std::make_unique<TileFusedStrategy>(parameters); }};
}

} // namespace tandem::collective
