// Pairs of GPUs and their routes.
#include "report/gpu_pairs.h"

#include "base/error.h"

#include <algorithm>
#include <limits>

namespace tandem::report {

std::optional<PairPath> pair_path(const model::Cluster& cluster, GpuPair pair) {
  if (!cluster.router)
    throw base::Bug("a cluster without a router: " + cluster.file);
  const std::optional<model::Route> route =
      cluster.router->route(cluster.gpus.at(pair.from).host, cluster.gpus.at(pair.to).host);
  if (!route)
    return std::nullopt;
  base::BytesPerSecond smallest(std::numeric_limits<double>::infinity()); // two GPUs of one host cross no link
  for (const model::LinkId link : route->links)
    smallest = std::min(smallest, cluster.links.at(link.index).bandwidth);
  return PairPath{smallest, route->latency, route->links};
}

std::vector<GpuPair> ring_pairs(const model::Cluster& cluster) {
  const auto gpus = static_cast<std::uint32_t>(cluster.gpus.size());
  std::vector<GpuPair> pairs;
  for (std::uint32_t gpu = 0; gpus > 1 && gpu < gpus; ++gpu)
    pairs.push_back({gpu, (gpu + 1) % gpus});
  return pairs;
}

std::vector<GpuPair> pairs_to_check(const model::Cluster& cluster, std::size_t all_up_to) {
  const auto gpus = static_cast<std::uint32_t>(cluster.gpus.size());
  std::vector<GpuPair> pairs;
  if (gpus <= all_up_to) {
    for (std::uint32_t from = 0; from < gpus; ++from)
      for (std::uint32_t to = 0; to < gpus; ++to)
        if (from != to)
          pairs.push_back({from, to});
    return pairs;
  }
  for (const GpuPair pair : ring_pairs(cluster)) {
    pairs.push_back(pair);
    pairs.push_back({pair.to, pair.from});
  }
  for (std::uint32_t gpu = 2; gpu + 1 < gpus; ++gpu) { // 1 and the last are neighbours of 0
    pairs.push_back({0, gpu});
    pairs.push_back({gpu, 0});
  }
  return pairs;
}

} // namespace tandem::report
