// Builds the schedule of a tracked all-gather and the GEMM behind it; docs/models.md, "Fusion with an all-to-all or an
// all-gather".
#include "collective/gather_and_trigger.h"

#include "collective/blocks.h"
#include "collective/row_tiling.h"

#include <algorithm>

namespace tandem::collective {

using model::Access;
using model::Buffer;
using model::OpKind;
using model::Phase;
using model::Stream;

namespace {

class GatheredPlan {
public:
  GatheredPlan(const std::string& name, const TrackAndTrigger& options, const Request& request,
               const model::Cluster& cluster)
      : topology_(options.topology), tiling_(request, *cluster.gpus.front().device),
        composer_(name, request, cluster, tiling_.pieces_per_chunk(), tiling_.piece_bytes()), ranks_(composer_.ranks()),
        arrivals_(static_cast<std::size_t>(ranks_)) {
    add_tracker(composer_, options.arbitration);
    composer_.schedule().algorithm = topology_ == Topology::RING ? "ring" : "direct";
    const int tiles = options.block_tiles > 0 ? options.block_tiles : composer_.device().sms;
    block_ =
        even_blocks(tiling_.pieces_per_chunk(), static_cast<std::uint32_t>(std::max(1, tiles / tiling_.columns())));
  }

  model::Schedule build(model::CollectiveKind goal) {
    const OpId launched = composer_.add(
        {.phase = Phase::GEMM, .label = composer_.label("GEMM launch"), .delay = composer_.device().kernel_launch});
    for (int step = 0; step < ranks_ - 1; ++step)
      for (std::uint32_t first = 0; first < tiling_.pieces_per_chunk(); first += block_)
        append_block(step, {first, std::min(block_, tiling_.pieces_per_chunk() - first)}, launched);
    append_stages(launched);
    return composer_.finish(goal);
  }

private:
  [[nodiscard]] Span span(int position, Slice rows) const { return composer_.chunk(gathered_at(position), rows); }

  /// The DMA that is due in `step`, and the arrival of another rank's: the rows of position step + 1.
  void append_block(int step, Slice rows, OpId launched) {
    const bool ring = topology_ == Topology::RING;
    const int sent = ring ? step : 0, peer = ring ? RING_NEXT : step + 1;
    const Op common{.phase = Phase::AG, .stream = Stream::COMMUNICATION, .label = composer_.label("DMA"), .channel = 0};
    Op transfer = common;
    transfer.kind = OpKind::TRANSFER;
    transfer.peer = peer;
    transfer.traffic = {{Phase::AG, Access::READ, 1.0, {}}};
    transfer.peer_traffic = {{Phase::AG, Access::WRITE, 1.0, {}}};
    transfer.effect = {sent == 0 ? model::FROM_LOCAL : model::FROM_RESULT, Buffer::RESULT, false, span(sent, rows)};
    std::vector<OpId> after{launched};
    if (sent > 0)
      after = {arrived(sent, rows.first)};
    else
      after.insert(after.end(), queue_.begin(), queue_.end());
    queue_ = {composer_.add(std::move(transfer), after)};

    Op arrival = common;
    arrival.kind = OpKind::RECV;
    arrival.peer = -peer;
    arrival.effect.span = span(step + 1, rows);
    const OpId in = composer_.add(std::move(arrival));
    arrivals_[static_cast<std::size_t>(step) + 1].push_back(composer_.add({.kind = OpKind::TRIGGER,
                                                                           .phase = Phase::AG,
                                                                           .stream = Stream::COMMUNICATION,
                                                                           .label = composer_.label("tracker")},
                                                                          {in}));
  }

  /// The tracker's event for the block at `piece`.
  [[nodiscard]] OpId arrived(int position, std::uint32_t piece) const {
    return arrivals_[static_cast<std::size_t>(position)][piece / block_];
  }

  void append_stages(OpId launched) {
    OpId last = launched;
    const auto label = composer_.label("GEMM");
    const auto stages = tiling_.stages(model::OutputPath::THROUGH_L2);
    std::vector<std::uint32_t> taken(static_cast<std::size_t>(ranks_), 0); ///< rows that have been waited for
    for (std::size_t i = 0; i < stages.size(); ++i) {
      std::vector<OpId> ready{last};
      for (const auto& rows : tiling_.segments(stages[i])) {
        auto& before = taken[static_cast<std::size_t>(rows.position)];
        if (rows.first + rows.count > before)
          ready.push_back(append_rows(rows.position, {before, rows.first + rows.count - before}, last));
        before = std::max(before, rows.first + rows.count);
      }
      const OpId computed = append_stage(composer_, stages[i], label, ready);
      last = composer_.add({.phase = Phase::GEMM,
                            .first_stage_end = i == 0,
                            .label = label,
                            .traffic = {{Phase::GEMM, Access::WRITE, 0.0, stages[i].writes}}},
                           {computed});
    }
  }

  /// Rows that the next stage is the first to read.
  OpId append_rows(int position, Slice rows, OpId last) {
    std::vector<OpId> after{last};
    for (auto piece = rows.first / block_ * block_; position > 0 && piece < rows.first + rows.count; piece += block_)
      after.push_back(arrived(position, piece));
    return append_input(composer_, "GEMM", span(position, rows), position == 0 ? model::FROM_LOCAL : model::FROM_RESULT,
                        after);
  }

  Topology topology_;
  RowTiling tiling_;
  Composer composer_;
  int ranks_;
  std::uint32_t block_ = 1;                 ///< pieces that one DMA command covers
  std::vector<std::vector<OpId>> arrivals_; ///< by position, the tracker's events block by block
  std::vector<OpId> queue_;                 ///< the DMA before, which the next one follows
};

} // namespace

model::Schedule plan_gather_and_trigger(const std::string& name, const TrackAndTrigger& options, const Request& request,
                                        const model::Cluster& cluster) {
  return GatheredPlan(name, options, request, cluster).build(request.op.kind);
}

} // namespace tandem::collective
