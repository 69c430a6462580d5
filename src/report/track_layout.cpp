// First-fit lanes and stretches of one label.
#include "report/track_layout.h"

#include <algorithm>
#include <tuple>

namespace tandem::report {

std::vector<Lane> lanes(std::vector<Segment> segments) {
  const auto order = [](const Segment& s) { return std::tuple(s.begin, s.end, s.op.item, s.op.op, s.op.rank); };
  std::sort(segments.begin(), segments.end(), [&](const Segment& a, const Segment& b) { return order(a) < order(b); });
  std::vector<Lane> placed;
  for (const Segment& segment : segments) {
    auto lane = std::find_if(placed.begin(), placed.end(),
                             [&](const Lane& other) { return other.back().end <= segment.begin; });
    if (lane == placed.end())
      lane = placed.emplace(placed.end());
    lane->push_back(segment);
  }
  return placed;
}

std::vector<Stretch> stretches(const Lane& lane, const PlayedRun& run) {
  const auto key = [&](const Segment& s) {
    const model::Op& op = run.op(s.op);
    return std::tuple(s.op.item, op.label, op.phase);
  };
  std::vector<Stretch> cuts;
  for (std::size_t i = 0; i < lane.size(); ++i) {
    if (i == 0 || key(lane[i]) != key(lane[i - 1]))
      cuts.push_back({i, i});
    cuts.back().last = i + 1;
  }
  return cuts;
}

} // namespace tandem::report
