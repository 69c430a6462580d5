// Sums over links; equal links differ in the last digits of their sums, so that the busiest is found among nearly equal
// ones.
#include "model/link_use.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tandem::model {

namespace {

constexpr double SAME = 1e-9;

struct UsedLink {
  std::size_t number;
  Medium medium;
  double bytes, share; ///< share of what it can carry in one second
};

} // namespace

double LinkUse::total() const {
  return std::accumulate(bytes.begin(), bytes.end(), 0.0);
}

LinkUse link_use(const Recording& recording, const Cluster& cluster, double seconds, double times) {
  LinkUse use;
  std::vector<UsedLink> shared;
  double most = 0.0;
  for (std::size_t number = 0; number < recording.link_bytes.size(); ++number) {
    const double bytes = recording.link_bytes[number] / times;
    if (bytes <= 0.0)
      continue;
    const auto link = cluster.links[number];
    use.bytes[static_cast<std::size_t>(link.medium)] += bytes / recording.ranks;
    if (link.sharing == Sharing::FATPIPE)
      continue;
    shared.push_back({number, link.medium, bytes, bytes / link.bandwidth.value()});
    most = std::max(most, shared.back().share);
  }
  const auto busiest = std::find_if(shared.begin(), shared.end(),
                                    [most](const UsedLink& link) { return link.share >= most * (1.0 - SAME); });
  if (busiest == shared.end())
    return use;
  use.busiest = cluster.links[busiest->number].name;
  use.busiest_medium = busiest->medium;
  use.busiest_bytes = busiest->bytes;
  use.utilisation = seconds > 0.0 ? busiest->share / seconds : 0.0;
  return use;
}

} // namespace tandem::model
