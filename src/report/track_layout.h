// Places what runs at once on one track: lanes on which nothing overlaps, and slices that hold several operations.
#pragma once

#include "report/played_run.h"
#include "report/trace_writer.h"

#include <cstddef>
#include <vector>

namespace tandem::report {

/// An operation's time on a track.
struct Segment {
  Nanoseconds begin = 0, end = 0;
  OpRef op;
};

using Lane = std::vector<Segment>;

/// In order of time, each segment goes to the first lane that is free. The order of the input does not matter, ties go
/// by item, operation and rank.
std::vector<Lane> lanes(std::vector<Segment> segments);

/// Segments [first, last) of a lane.
struct Stretch {
  std::size_t first = 0, last = 0;
};

/// Cuts a lane into stretches of consecutive segments of one item, one label and one phase.
std::vector<Stretch> stretches(const Lane& lane, const PlayedRun& run);

} // namespace tandem::report
