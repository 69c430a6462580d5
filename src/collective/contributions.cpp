// Union of disjoint sorted intervals.
#include "collective/contributions.h"

#include <algorithm>

namespace tandem::collective {

int Contributions::count() const {
  std::uint32_t sum = first_.end - first_.begin;
  for (const auto& interval : more_)
    sum += interval.end - interval.begin;
  return static_cast<int>(sum);
}

bool Contributions::add(const Contributions& other) {
  if (other.empty())
    return true;
  if (empty()) {
    *this = other;
    return true;
  }
  if (more_.empty() && other.more_.empty() && first_.end == other.first_.begin) { // as rings do
    first_.end = other.first_.end;
    return true;
  }
  std::vector<Interval> all;
  all.reserve(2 + more_.size() + other.more_.size());
  all.push_back(first_);
  all.insert(all.end(), more_.begin(), more_.end());
  all.push_back(other.first_);
  all.insert(all.end(), other.more_.begin(), other.more_.end());
  std::sort(all.begin(), all.end(), [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  std::size_t last = 0;
  for (std::size_t next = 1; next < all.size(); ++next) {
    if (all[next].begin < all[last].end)
      return false;
    if (all[next].begin == all[last].end)
      all[last].end = all[next].end;
    else
      all[++last] = all[next];
  }
  first_ = all.front();
  more_.assign(all.begin() + 1, all.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  return true;
}

Contributions Contributions::shifted(int by, int ranks) const {
  const auto all = static_cast<std::uint32_t>(ranks), step = static_cast<std::uint32_t>(by);
  Contributions result;
  const auto move = [&](const Interval& interval) {
    const auto length = interval.end - interval.begin;
    const auto begin = (interval.begin + step) % all;
    const auto before_end = std::min(length, all - begin);
    (void)result.add(Contributions(begin, begin + before_end));
    (void)result.add(Contributions(0, length - before_end));
  };
  move(first_);
  for (const auto& interval : more_)
    move(interval);
  return result;
}

std::size_t Contributions::hash() const {
  constexpr std::uint64_t FACTOR = 0x9e3779b97f4a7c15U; // 2^64 / golden ratio
  std::uint64_t sum = 0;
  const auto mix = [&](const Interval& interval) {
    sum = (sum ^ (std::uint64_t{interval.begin} << 32 | interval.end)) * FACTOR;
    sum ^= sum >> 29;
  };
  mix(first_);
  for (const auto& interval : more_)
    mix(interval);
  return sum;
}

} // namespace tandem::collective
