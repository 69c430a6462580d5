// Sorts a GPU's operations into tracks and writes them as nested slices, arrows and counters.
#include "report/gpu_timeline.h"

#include "base/error.h"
#include "report/trace_labels.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::report {

using model::Access;
using model::OpKind;
using model::Phase;

namespace {

constexpr std::array<const char*, TRACK_KINDS> TRACK_NAMES = {"compute kernels", "SM communication", "DMA",
                                                              "near-memory", "arrivals"};

bool has(const std::vector<model::Traffic>& traffic, Access access) {
  return std::any_of(traffic.begin(), traffic.end(), [&](const model::Traffic& part) { return part.access == access; });
}

} // namespace

GpuTimeline::GpuTimeline(const PlayedRun& run, const LinkTraffic& links, std::uint32_t rank, std::uint64_t pid,
                         std::uint64_t flow_base)
    : run_(run), links_(links), rank_(rank), pid_(pid), flow_base_(flow_base) {
  for (std::uint32_t item = 0; item < run.items(); ++item) {
    for (std::uint32_t op = 0; op < run.program(item, rank).ops.size(); ++op)
      collect({item, rank, op});
    collect_triggers(item);
  }
}

void GpuTimeline::collect(OpRef ref) {
  const model::OpRecord& record = run_.record(ref);
  const Segment whole{nanoseconds(record.begin_s), nanoseconds(record.end_s), ref};
  count_memory(run_.op(ref).traffic, run_.bytes(ref), whole);
  switch (run_.op(ref).kind) {
  case OpKind::WORK:
    collect_work(ref, whole);
    break;
  case OpKind::TRANSFER:
    collect_transfer(ref, whole);
    break;
  case OpKind::RECV:
    collect_receive(ref, whole);
    break;
  case OpKind::TRIGGER:
    break;
  }
}

void GpuTimeline::collect_work(OpRef ref, const Segment& whole) {
  const model::Op& op = run_.op(ref);
  if (whole.begin == whole.end && op.traffic.empty() && op.sms == 0)
    return; // only waits
  if (op.stream == model::Stream::COMPUTE)
    add(TrackKind::COMPUTE, whole);
  else if (op.sms > 0 || op.traffic.empty())
    add(TrackKind::SM_COMMUNICATION, whole);
  else
    add(has(op.traffic, Access::UPDATE) ? TrackKind::NEAR_MEMORY : TrackKind::DMA, whole);
}

void GpuTimeline::collect_transfer(OpRef ref, const Segment& whole) {
  const model::Op& op = run_.op(ref);
  if (op.sms > 0)
    add(TrackKind::SM_COMMUNICATION, whole);
  else if (has(op.traffic, Access::READ))
    add(TrackKind::DMA, whole);
  const std::optional<model::LinkId> link = links_.first_link(rank_, run_.peer(ref));
  (link ? link_tracks_[link->index] : direct_).push_back(whole);
}

void GpuTimeline::collect_receive(OpRef ref, const Segment& whole) {
  const OpRef from = run_.sender(ref);
  const model::OpRecord& sent = run_.record(from);
  const std::vector<model::Traffic>& traffic = run_.op(from).peer_traffic;
  const Segment transfer{nanoseconds(sent.begin_s), nanoseconds(sent.end_s), from};
  count_memory(traffic, run_.bytes(from), transfer);
  // A receive may be posted long before its message is sent: it shows from then on.
  Segment arrival = whole;
  arrival.begin = std::min(std::max(whole.begin, transfer.begin), whole.end);
  add(has(traffic, Access::UPDATE) ? TrackKind::NEAR_MEMORY : TrackKind::ARRIVALS, arrival);
}

void GpuTimeline::collect_triggers(std::uint32_t item) {
  const model::Program& program = run_.program(item, rank_);
  // A trigger holds its tracker entry from the first thing that it waits for.
  std::vector<std::optional<double>> first(program.ops.size());
  for (std::uint32_t op = 0; op < program.ops.size(); ++op)
    for (const std::uint32_t after : program.dag.successors(op))
      if (program.ops[after].kind == OpKind::TRIGGER) {
        const double end = run_.record({item, rank_, op}).end_s;
        first[after] = std::min(first[after].value_or(end), end);
      }
  for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
    if (program.ops[op].kind != OpKind::TRIGGER)
      continue;
    const model::OpRecord& record = run_.record({item, rank_, op});
    const Segment held{nanoseconds(first[op].value_or(record.begin_s)), nanoseconds(record.end_s), {item, rank_, op}};
    triggers_.push_back(held);
    entries_.hold(0, 1, held.begin, held.end);
  }
}

void GpuTimeline::count_memory(const std::vector<model::Traffic>& traffic, double span_bytes, const Segment& time) {
  for (const model::Traffic& part : traffic)
    memory_.spread(static_cast<std::size_t>(part.access), part.per_span * span_bytes + part.fixed.value(), time.begin,
                   time.end);
}

Track GpuTimeline::next_track(TraceWriter& trace, const std::string& name) {
  const Track track{pid_, ++tid_};
  trace.thread(track, name);
  return track;
}

void GpuTimeline::write(TraceWriter& trace) {
  trace.process(pid_, fmt::format("{} \u00b7 GPU {}", run_.run().name, rank_));
  write_phases(trace);
  for (std::size_t kind = 0; kind < TRACK_KINDS; ++kind)
    write_track(trace, TRACK_NAMES[kind], std::move(tracks_[kind]),
                kind == static_cast<std::size_t>(TrackKind::COMPUTE));
  write_triggers(trace);
  on_links_ = true;
  for (auto& [link, segments] : link_tracks_)
    write_track(trace, "link " + run_.run().cluster->links[link].name, std::move(segments), false);
  write_track(trace, "same host", std::move(direct_), false);
  memory_.write(trace, pid_, "HBM GB/s");
  entries_.write(trace, pid_, "tracker entries");
}

void GpuTimeline::write_phases(TraceWriter& trace) {
  for (const Phase phase : {Phase::GEMM, Phase::RS, Phase::AG, Phase::OTHER}) {
    std::optional<Track> track;
    for (std::uint32_t item = 0; item < run_.items(); ++item) {
      const model::PhaseTimes& times = run_.run().recording->items[item][rank_].phases[static_cast<std::size_t>(phase)];
      if (!times.used)
        continue;
      if (!track)
        track = next_track(trace, std::string("phase ") + phase_word(phase));
      trace.slice(*track, phase_word(phase), "phase", nanoseconds(times.begin_s), nanoseconds(times.end_s),
                  phase_args(run_, item, rank_, phase));
    }
  }
}

void GpuTimeline::write_track(TraceWriter& trace, const std::string& name, std::vector<Segment> segments,
                              bool with_items) {
  std::vector<Lane> placed = lanes(std::move(segments));
  if (placed.empty() && with_items)
    placed.emplace_back(); // the items show even where nothing computes
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const Track track = next_track(trace, i == 0 ? name : fmt::format("{} {}", name, i + 1));
    if (with_items && i == 0)
      write_items(trace, track);
    for (const Stretch& stretch : stretches(placed[i], run_)) {
      const Segment& first = placed[i][stretch.first];
      const bool several = stretch.last - stretch.first > 1;
      if (several)
        trace.slice(track, run_.label(first.op), phase_word(run_.op(first.op).phase), first.begin,
                    placed[i][stretch.last - 1].end,
                    TraceArgs().add("operations", static_cast<double>(stretch.last - stretch.first)));
      for (std::size_t s = stretch.first; s < stretch.last; ++s)
        write_op(trace, track, placed[i][s], several);
    }
  }
}

void GpuTimeline::write_items(TraceWriter& trace, Track track) {
  for (std::uint32_t item = 0; item < run_.items(); ++item) {
    const model::RankItem& times = run_.run().recording->items[item][rank_];
    const TraceArgs args = TraceArgs()
                               .add("compute_s", times.compute_s)
                               .add("exposed_communication_s", times.exposed_s)
                               .add("idle_s", times.idle_s);
    trace.slice(track, run_.run().item_names[item], "item", nanoseconds(times.begin_s), nanoseconds(times.end_s), args);
  }
}

void GpuTimeline::write_op(TraceWriter& trace, Track track, const Segment& segment, bool inside) {
  const model::Op& op = run_.op(segment.op);
  const model::RankItem& item = run_.run().recording->items[segment.op.item][rank_];
  if (segment.begin < nanoseconds(item.begin_s) || segment.end > nanoseconds(item.end_s))
    throw base::Bug(fmt::format("operation {} of rank {} ran outside the time of its item {}", segment.op.op, rank_,
                                segment.op.item));
  trace.slice(track, inside ? op_verb(op) : run_.label(segment.op), phase_word(op.phase), segment.begin, segment.end,
              op_args(run_, segment.op));
  if (op.kind == OpKind::TRANSFER && on_links_)
    trace.flow_begin(track, flow_base_ + run_.number(segment.op), segment.begin);
  else if (op.kind == OpKind::RECV)
    trace.flow_end(track, flow_base_ + run_.number(run_.sender(segment.op)), segment.begin);
}

void GpuTimeline::write_triggers(TraceWriter& trace) {
  if (triggers_.empty())
    return;
  const Track track = next_track(trace, "tracker triggers");
  for (const Segment& held : triggers_)
    trace.instant(track, run_.label(held.op), phase_word(run_.op(held.op).phase), held.end,
                  TraceArgs().add("held_us", static_cast<double>(held.end - held.begin) / 1000.0));
}

} // namespace tandem::report
