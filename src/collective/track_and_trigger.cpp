// Builds the schedule of T3; docs/models.md, "T3".
#include "collective/track_and_trigger.h"

#include "collective/blocks.h"
#include "collective/nodes.h"
#include "collective/tiling.h"

#include <algorithm>

namespace tandem::collective {

using model::Access;
using model::Buffer;
using model::OpKind;
using model::Phase;
using model::Stream;

namespace {

constexpr std::uint16_t STORES = 0, DMA = 1; // channels

/// The program of one rank.
class FusedProgram {
public:
  FusedProgram(Composer& composer, const Tiling& tiling, const std::vector<model::Stage>& stages, const AddressMap& map,
               bool exchanges, std::uint32_t block)
      : composer_(composer), tiling_(tiling), stages_(stages), map_(map), exchanges_(exchanges), block_(block),
        writers_(static_cast<std::size_t>(map.positions())) {}

  /// Returns the end of the reduce-scatter, or of the all-to-all.
  OpId append() {
    append_stages();
    if (exchanges_)
      return append_exchanges();
    append_remote_arrivals();
    for (int position = 0; !map_.is_own(position); ++position)
      if (!map_.goes_remote(position))
        append_triggered_transfers(position);
    return composer_.join("RS done", Phase::RS, append_triggers(map_.positions() - 1));
  }

private:
  [[nodiscard]] bool goes_remote(int position) const { return !exchanges_ && map_.goes_remote(position); }
  [[nodiscard]] Span span(int position, std::uint32_t first, std::uint32_t count) const {
    return composer_.chunk(map_.owner(position), {first, count});
  }

  void append_stages() {
    OpId last = composer_.add(
        {.phase = Phase::GEMM, .label = composer_.label("GEMM launch"), .delay = composer_.device().kernel_launch});
    const auto label = composer_.label("GEMM");
    std::vector<OpId> posted,
        before; // remote stores of the last stage and of the one before: one stage of them may be under way
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      std::vector<OpId> after{last};
      after.insert(after.end(), before.begin(), before.end());
      before = std::move(posted);
      posted.clear();
      last = append_stage(composer_, stages_[i], label, after);
      for (const auto& segment : tiling_.segments(stages_[i])) {
        if (goes_remote(segment.position))
          posted.push_back(append_remote_store(segment, {last}));
        else
          last = append_local_update(segment, last);
      }
      if (i == 0)
        last = composer_.add({.phase = Phase::GEMM, .first_stage_end = true, .label = label}, {last});
    }
  }

  OpId append_local_update(const Segment& segment, OpId after) {
    const OpId op = composer_.add(
        {.phase = Phase::GEMM,
         .label = composer_.label("GEMM"),
         .traffic = {{Phase::GEMM, exchanges_ ? Access::WRITE : Access::UPDATE, 1.0, {}}},
         .effect = {model::FRESH, Buffer::LOCAL, !exchanges_, span(segment.position, segment.first, segment.count)}},
        {after});
    writers_[static_cast<std::size_t>(segment.position)].push_back({segment, op});
    return op;
  }

  OpId append_remote_store(const Segment& segment, const std::vector<OpId>& after) {
    stores_.push_back(segment);
    return composer_.add(
        {.kind = OpKind::TRANSFER,
         .phase = Phase::RS,
         .stream = Stream::COMMUNICATION,
         .label = composer_.label("remote stores"),
         .channel = STORES,
         .peer = map_.way(segment.position).to,
         .peer_traffic = {{Phase::RS, Access::UPDATE, 1.0, {}}},
         .effect = {model::FRESH, Buffer::LOCAL, true, span(segment.position, segment.first, segment.count)}},
        after);
  }

  /// What the peers' remote stores bring.
  void append_remote_arrivals() {
    for (const auto& segment : stores_) {
      const auto way = map_.way(segment.position);
      append_arrival(way.from, STORES, "remote stores", way.position, segment.first, segment.count);
    }
  }

  void append_arrival(int from, std::uint16_t channel, const std::string& text, int position, std::uint32_t first,
                      std::uint32_t count) {
    const OpId op = composer_.add({.kind = OpKind::RECV,
                                   .phase = Phase::RS,
                                   .stream = Stream::COMMUNICATION,
                                   .label = composer_.label(text),
                                   .channel = channel,
                                   .peer = from,
                                   .effect = {.span = span(position, first, count)}});
    writers_[static_cast<std::size_t>(position)].push_back({{position, first, count}, op});
  }

  /// One tracker entry per block: fires when every store and arrival that touches the block is in.
  std::vector<OpId> append_triggers(int position) {
    std::vector<OpId> triggers;
    for (std::uint32_t first = 0; first < tiling_.pieces_per_chunk(); first += block_) {
      const Segment block{position, first, std::min(block_, tiling_.pieces_per_chunk() - first)};
      std::vector<OpId> updates;
      for (const auto& writer : writers_[static_cast<std::size_t>(position)])
        if (writer.segment.overlaps(block))
          updates.push_back(writer.op);
      triggers.push_back(composer_.add({.kind = OpKind::TRIGGER,
                                        .phase = exchanges_ ? Phase::OTHER : Phase::RS,
                                        .stream = Stream::COMMUNICATION,
                                        .label = composer_.label("tracker")},
                                       updates));
    }
    return triggers;
  }

  void append_triggered_transfers(int position) {
    const auto way = map_.way(position);
    const auto* text = map_.is_node_sum(position) ? "DMA between nodes" : "DMA";
    std::uint32_t first = 0;
    for (const OpId trigger : append_triggers(position)) {
      const auto count = std::min(block_, tiling_.pieces_per_chunk() - first);
      composer_.add({.kind = OpKind::TRANSFER,
                     .phase = Phase::RS,
                     .stream = Stream::COMMUNICATION,
                     .label = composer_.label(text),
                     .channel = DMA,
                     .peer = way.to,
                     .traffic = {{Phase::RS, Access::READ, 1.0, {}}},
                     .peer_traffic = {{Phase::RS, Access::UPDATE, 1.0, {}}},
                     .effect = {model::FROM_LOCAL, Buffer::LOCAL, true, span(position, first, count)}},
                    {trigger});
      append_arrival(way.from, DMA, text, way.position, first, count);
      first += count;
    }
  }

  /// All-to-all: each block goes to its owner by DMA once it is made. Its memory keeps it at the place of this rank's
  /// chunk.
  OpId append_exchanges() {
    std::vector<OpId> ends;
    for (const auto& stores : writers_)
      for (const auto& store : stores)
        ends.push_back(store.op);
    for (int position = 0; !map_.is_own(position); ++position) {
      std::uint32_t first = 0;
      for (const OpId trigger : append_triggers(position)) {
        const auto count = std::min(block_, tiling_.pieces_per_chunk() - first);
        const Span here = composer_.chunk(0, {first, count});
        const Op common{
            .phase = Phase::OTHER, .stream = Stream::COMMUNICATION, .label = composer_.label("DMA"), .channel = DMA};
        Op transfer = common;
        transfer.kind = OpKind::TRANSFER;
        transfer.peer = map_.owner(position);
        transfer.traffic = {{Phase::OTHER, Access::READ, 1.0, {}}};
        transfer.peer_traffic = {{Phase::OTHER, Access::WRITE, 1.0, {}}};
        transfer.effect = {model::FROM_LOCAL, Buffer::RESULT, false, span(position, first, count)};
        transfer.effect.to = here.first;
        composer_.add(std::move(transfer), {trigger});
        Op arrival = common;
        arrival.kind = OpKind::RECV;
        arrival.peer = -map_.owner(position);
        arrival.effect.span = here;
        ends.push_back(composer_.add(std::move(arrival)));
        first += count;
      }
    }
    return composer_.join("A2A done", Phase::OTHER, ends);
  }

  Composer& composer_;
  const Tiling& tiling_;
  const std::vector<model::Stage>& stages_;
  AddressMap map_;
  bool exchanges_;                           ///< an all-to-all: nothing is reduced
  std::uint32_t block_;                      ///< tiles that one DMA command covers
  std::vector<std::vector<Writer>> writers_; ///< per position
  std::vector<Segment> stores_;              ///< remote stores in program order
};

/// The kernels and the all-gather of all ranks.
class FusedPlan {
public:
  FusedPlan(const std::string& name, const TrackAndTrigger& options, const Request& request,
            const model::Cluster& cluster)
      : options_(options), kind_(request.op.kind), tiling_(request, *cluster.gpus.front().device),
        stages_(tiling_.stages(model::OutputPath::BYPASS_L2)),
        composer_(name, request, cluster, tiling_.pieces_per_chunk(), tiling_.piece_bytes()),
        over_nodes_(options.topology == Topology::HIERARCHICAL),
        gpus_(over_nodes_ ? cluster.gpus_per_node : composer_.ranks()) {
    add_tracker(composer_, options.arbitration);
    const int most = options.block_tiles > 0 ? options.block_tiles : composer_.device().sms;
    block_ = even_blocks(tiling_.pieces_per_chunk(), static_cast<std::uint32_t>(most));
  }

  model::Schedule build() {
    if (!over_nodes_) {
      append_rest_of_all_reduce(composer_, kind_, {.sms = composer_.device().sms, .channel = STORES}, composer_.whole(),
                                append_program(0, options_.topology));
      return composer_.finish(kind_);
    }
    const Nodes nodes(gpus_, composer_.ranks() / gpus_, options_.within, options_.between);
    for (int rank = 0; rank < composer_.ranks(); ++rank) {
      if (rank >= gpus_) {
        composer_.run_program_of(rank % gpus_);
        continue;
      }
      const OpId reduced = append_program(rank, options_.within);
      if (kind_ == model::CollectiveKind::ALL_REDUCE)
        nodes.append(composer_, model::CollectiveKind::ALL_GATHER, {.sms = composer_.device().sms, .channel = DMA + 1},
                     rank, {reduced});
      composer_.end_program();
    }
    return composer_.finish(kind_);
  }

private:
  OpId append_program(int place, Topology within) {
    const AddressMap map(gpus_, composer_.ranks() / gpus_, place, within, options_.between);
    return FusedProgram(composer_, tiling_, stages_, map, kind_ == model::CollectiveKind::ALL_TO_ALL, block_).append();
  }

  TrackAndTrigger options_;
  model::CollectiveKind kind_;
  Tiling tiling_;
  std::vector<model::Stage> stages_;
  Composer composer_;
  bool over_nodes_;
  int gpus_; ///< of a node
  std::uint32_t block_ = 1;
};

} // namespace

void add_tracker(Composer& composer, model::Arbitration arbitration) {
  const auto& near_memory = composer.device().near_memory;
  auto& schedule = composer.schedule();
  schedule.arbitration = arbitration;
  schedule.resources.push_back(
      {"tracker", near_memory.tracker_entries, model::WhenFull::SPILL, near_memory.spill_bytes});
  schedule.tracker = 0;
}

std::uint32_t even_blocks(std::uint32_t pieces_per_chunk, std::uint32_t most) {
  const auto blocks = (pieces_per_chunk + most - 1) / most;
  return (pieces_per_chunk + blocks - 1) / blocks;
}

model::Schedule plan_track_and_trigger(const std::string& name, const TrackAndTrigger& options, const Request& request,
                                       const model::Cluster& cluster) {
  return FusedPlan(name, options, request, cluster).build();
}

} // namespace tandem::collective
