// The tracks and counters of one GPU in one run.
#pragma once

#include "report/link_traffic.h"
#include "report/played_run.h"
#include "report/track_layout.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tandem::report {

/// Tracks of a GPU beside its links, in the order in which they show.
enum class TrackKind : std::uint8_t { COMPUTE, SM_COMMUNICATION, DMA, NEAR_MEMORY, ARRIVALS };
constexpr std::size_t TRACK_KINDS = 5;

class GpuTimeline {
public:
  /// `flow_base` plus the number of a transfer is the id of its arrow.
  GpuTimeline(const PlayedRun& run, const LinkTraffic& links, std::uint32_t rank, std::uint64_t pid,
              std::uint64_t flow_base);

  void write(TraceWriter& trace);

private:
  void collect(OpRef ref);
  void collect_work(OpRef ref, const Segment& whole);
  void collect_transfer(OpRef ref, const Segment& whole);
  void collect_receive(OpRef ref, const Segment& whole);
  void collect_triggers(std::uint32_t item);
  void add(TrackKind kind, const Segment& segment) { tracks_[static_cast<std::size_t>(kind)].push_back(segment); }
  void count_memory(const std::vector<model::Traffic>& traffic, double span_bytes, const Segment& time);

  void write_phases(TraceWriter& trace);
  void write_track(TraceWriter& trace, const std::string& name, std::vector<Segment> segments, bool with_items);
  void write_items(TraceWriter& trace, Track track);
  void write_op(TraceWriter& trace, Track track, const Segment& segment, bool inside);
  void write_triggers(TraceWriter& trace);
  Track next_track(TraceWriter& trace, const std::string& name);

  const PlayedRun& run_;
  const LinkTraffic& links_;
  std::uint32_t rank_;
  std::uint64_t pid_, flow_base_;
  std::uint64_t tid_ = 0;
  bool on_links_ = false; ///< the tracks written now are those of links: arrows start there
  std::array<std::vector<Segment>, TRACK_KINDS> tracks_;
  std::map<std::uint32_t, std::vector<Segment>> link_tracks_; ///< by link index
  std::vector<Segment> direct_;                               ///< transfers that cross no link
  std::vector<Segment> triggers_;                             ///< from the first event to the shot
  TraceCounter memory_{{"read", "write", "update"}};
  TraceCounter entries_{{"entries"}};
};

} // namespace tandem::report
