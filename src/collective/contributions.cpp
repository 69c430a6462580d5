// Union of disjoint sorted intervals.
#include "collective/contributions.h"

#include <algorithm>

namespace tandem::collective {

int Contributions::count() const {
  std::uint32_t sum = 0;
  for (const auto& interval : intervals_)
    sum += interval.end - interval.begin;
  return static_cast<int>(sum);
}

bool Contributions::add(const Contributions& other) {
  std::vector<Interval> merged;
  merged.reserve(intervals_.size() + other.intervals_.size());
  std::merge(intervals_.begin(), intervals_.end(), other.intervals_.begin(), other.intervals_.end(),
             std::back_inserter(merged), [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  std::vector<Interval> joined;
  for (const auto& interval : merged) {
    if (!joined.empty() && interval.begin < joined.back().end)
      return false;
    if (!joined.empty() && interval.begin == joined.back().end)
      joined.back().end = interval.end;
    else
      joined.push_back(interval);
  }
  intervals_ = std::move(joined);
  return true;
}

} // namespace tandem::collective
