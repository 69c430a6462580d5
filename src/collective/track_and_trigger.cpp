// Builds the schedule of T3; docs/models.md, "T3".
#include "collective/track_and_trigger.h"

#include "collective/blocks.h"
#include "collective/parameters.h"
#include "collective/tiling.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::collective {

using model::Access;
using model::Buffer;
using model::OpKind;
using model::Phase;
using model::Stream;

namespace {

constexpr std::uint16_t STORES = 0, DMA = 1; // channels

class FusedPlan {
public:
  FusedPlan(const std::string& name, const TrackAndTrigger& options, const Request& request,
            const model::Cluster& cluster)
      : options_(options), exchanges_(request.op.kind == model::CollectiveKind::ALL_TO_ALL),
        tiling_(request, *cluster.gpus.front().device),
        composer_(name, request, cluster, tiling_.pieces_per_chunk(), tiling_.piece_bytes()), ranks_(composer_.ranks()),
        writers_(static_cast<std::size_t>(ranks_)) {
    const auto& near_memory = composer_.device().near_memory;
    auto& schedule = composer_.schedule();
    schedule.arbitration = options.arbitration;
    schedule.resources.push_back(
        {"tracker", near_memory.tracker_entries, model::WhenFull::SPILL, near_memory.spill_bytes});
    schedule.tracker = 0;
    // Blocks of equal size in a chunk, none larger than asked for: a short last block would leave the link waiting for
    // its memory access.
    const auto most =
        static_cast<std::uint32_t>(options.block_tiles > 0 ? options.block_tiles : composer_.device().sms);
    const auto blocks = (tiling_.pieces_per_chunk() + most - 1) / most;
    block_ = (tiling_.pieces_per_chunk() + blocks - 1) / blocks;
  }

  model::Schedule build(model::CollectiveKind goal) {
    append_stages();
    if (exchanges_) {
      append_exchanges();
      return composer_.finish(goal);
    }
    append_remote_arrivals();
    for (int position = 1; options_.topology == Topology::RING && position < ranks_ - 1; ++position)
      append_triggered_transfers(position);
    const OpId reduced = composer_.join("RS done", Phase::RS, append_triggers(ranks_ - 1));
    append_rest_of_all_reduce(composer_, goal, {.sms = composer_.device().sms, .channel = STORES}, composer_.whole(),
                              reduced);
    return composer_.finish(goal);
  }

private:
  [[nodiscard]] bool own(int position) const { return position == ranks_ - 1; }
  [[nodiscard]] bool goes_remote(int position) const {
    return !own(position) && !exchanges_ && (position == 0 || options_.topology == Topology::DIRECT);
  }
  [[nodiscard]] int store_peer(int position) const {
    return options_.topology == Topology::RING ? RING_NEXT : owner_at(position);
  }
  [[nodiscard]] Span span(int position, std::uint32_t first, std::uint32_t count) const {
    return composer_.chunk(owner_at(position), {first, count});
  }

  void append_stages() {
    OpId last = composer_.add(
        {.phase = Phase::GEMM, .label = composer_.label("GEMM launch"), .delay = composer_.device().kernel_launch});
    const auto label = composer_.label("GEMM");
    std::vector<OpId> posted,
        before; // remote stores of the last stage and of the one before: one stage of them may be under way
    const auto stages = tiling_.stages(model::OutputPath::BYPASS_L2);
    for (std::size_t i = 0; i < stages.size(); ++i) {
      std::vector<OpId> after{last};
      after.insert(after.end(), before.begin(), before.end());
      before = std::move(posted);
      posted.clear();
      last = append_stage(composer_, stages[i], label, after);
      for (const auto& segment : tiling_.segments(stages[i])) {
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
         .peer = store_peer(segment.position),
         .peer_traffic = {{Phase::RS, Access::UPDATE, 1.0, {}}},
         .effect = {model::FRESH, Buffer::LOCAL, true, span(segment.position, segment.first, segment.count)}},
        after);
  }

  /// What the peers' remote stores bring. Ring: the previous rank's first chunk is this rank's second. Direct: all
  /// bring parts of the own chunk.
  void append_remote_arrivals() {
    for (const auto& segment : stores_) {
      const int position = options_.topology == Topology::RING ? 1 : ranks_ - 1;
      append_arrival(-store_peer(segment.position), STORES, "remote stores", position, segment.first, segment.count);
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
    std::uint32_t first = 0;
    for (const OpId trigger : append_triggers(position)) {
      const auto count = std::min(block_, tiling_.pieces_per_chunk() - first);
      composer_.add({.kind = OpKind::TRANSFER,
                     .phase = Phase::RS,
                     .stream = Stream::COMMUNICATION,
                     .label = composer_.label("DMA"),
                     .channel = DMA,
                     .peer = RING_NEXT,
                     .traffic = {{Phase::RS, Access::READ, 1.0, {}}},
                     .peer_traffic = {{Phase::RS, Access::UPDATE, 1.0, {}}},
                     .effect = {model::FROM_LOCAL, Buffer::LOCAL, true, span(position, first, count)}},
                    {trigger});
      append_arrival(-RING_NEXT, DMA, "DMA", position + 1, first, count);
      first += count;
    }
  }

  /// All-to-all: each block goes to its owner by DMA once it is made. Its memory keeps it at the place of this rank's
  /// chunk.
  void append_exchanges() {
    std::vector<OpId> ends;
    for (const auto& stores : writers_)
      for (const auto& store : stores)
        ends.push_back(store.op);
    for (int position = 0; position < ranks_ - 1; ++position) {
      std::uint32_t first = 0;
      for (const OpId trigger : append_triggers(position)) {
        const auto count = std::min(block_, tiling_.pieces_per_chunk() - first);
        const Span here = span(ranks_ - 1, first, count);
        const Op common{
            .phase = Phase::OTHER, .stream = Stream::COMMUNICATION, .label = composer_.label("DMA"), .channel = DMA};
        Op transfer = common;
        transfer.kind = OpKind::TRANSFER;
        transfer.peer = owner_at(position);
        transfer.traffic = {{Phase::OTHER, Access::READ, 1.0, {}}};
        transfer.peer_traffic = {{Phase::OTHER, Access::WRITE, 1.0, {}}};
        transfer.effect = {model::FROM_LOCAL, Buffer::RESULT, false, span(position, first, count)};
        transfer.effect.to = here.first;
        composer_.add(std::move(transfer), {trigger});
        Op arrival = common;
        arrival.kind = OpKind::RECV;
        arrival.peer = -owner_at(position);
        arrival.effect.span = here;
        ends.push_back(composer_.add(std::move(arrival)));
        first += count;
      }
    }
    composer_.join("A2A done", Phase::OTHER, ends);
  }

  TrackAndTrigger options_;
  bool exchanges_; ///< an all-to-all: nothing is reduced
  Tiling tiling_;
  Composer composer_;
  int ranks_;
  std::uint32_t block_ = 1;                  ///< tiles that one DMA command covers
  std::vector<std::vector<Writer>> writers_; ///< per position
  std::vector<Segment> stores_;              ///< remote stores in program order
};

} // namespace

namespace {

class TrackAndTriggerStrategy : public Strategy {
public:
  TrackAndTriggerStrategy(std::string name, model::Arbitration arbitration, const Parameters& parameters)
      : name_(std::move(name)), options_{arbitration,
                                         word_parameter(parameters, "algorithm", {"ring", "direct"}) == "ring"
                                             ? Topology::RING
                                             : Topology::DIRECT,
                                         whole_parameter(parameters, "block", 0, 1 << 20)} {}

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    if (auto reason = needs_producer(request, cluster, kinds_after_gemm()); !reason.empty())
      return reason;
    return request.op.kind == model::CollectiveKind::ALL_TO_ALL ? "" : needs_near_memory(cluster);
  }
  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    return plan_track_and_trigger(name_, options_, request, cluster);
  }

private:
  std::string name_;
  TrackAndTrigger options_;
};

} // namespace

model::Schedule plan_track_and_trigger(const std::string& name, const TrackAndTrigger& options, const Request& request,
                                       const model::Cluster& cluster) {
  return FusedPlan(name, options, request, cluster).build(request.op.kind);
}

StrategyInfo track_and_trigger_strategy(const std::string& name, const std::string& summary,
                                        model::Arbitration arbitration) {
  return {name,
          summary,
          {{"block", "0", "output tiles that one DMA command covers at most; 0: as many as a stage of the GEMM has"},
           {"algorithm", "ring",
            "of the RS: ring (blocks travel and grow) or direct (every chunk straight to its owner); an all-to-all is "
            "direct"}},
          [name, arbitration](const Parameters& parameters) {
            return std::make_unique<TrackAndTriggerStrategy>(name, arbitration, parameters);
          }};
}

} // namespace tandem::collective
