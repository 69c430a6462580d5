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

} // namespace tandem::collective
