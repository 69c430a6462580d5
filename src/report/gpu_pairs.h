// Routes between the GPUs of a cluster, as reports look at them: whichever exist, without an error for those that do
// not.
#pragma once

#include "model/cluster.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tandem::report {

struct GpuPair {
  std::uint32_t from = 0, to = 0;
};

/// A route's figures.
struct PairPath {
  base::BytesPerSecond bandwidth{}; ///< the smallest on the route
  base::Seconds latency{};
  std::vector<model::LinkId> links;
};

/// None when the platform does not connect the pair. Throws Bug when the cluster has no router.
std::optional<PairPath> pair_path(const model::Cluster& cluster, GpuPair pair);

/// Each GPU to the next, the last to the first; none for fewer than two GPUs.
std::vector<GpuPair> ring_pairs(const model::Cluster& cluster);

/// Every ordered pair up to `all_up_to` GPUs; beyond, for about 128 GPUs spread evenly over the ranks, the routes to
/// and from the next GPU and GPU 0.
std::vector<GpuPair> pairs_to_check(const model::Cluster& cluster, std::size_t all_up_to);

} // namespace tandem::report
