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
  // A route may cost a walk over the whole platform: of many GPUs some are looked at, GPU 0 among them.
  constexpr std::uint32_t MOST_GPUS = 128;
  const std::uint32_t step = std::max(1U, gpus / MOST_GPUS);
  for (std::uint32_t gpu = 0; gpu < gpus; gpu += step) {
    const std::uint32_t next = (gpu + 1) % gpus;
    for (const GpuPair pair : {GpuPair{gpu, next}, GpuPair{next, gpu}, GpuPair{0, gpu}, GpuPair{gpu, 0}}) {
      const auto same = [&](const GpuPair& known) { return known.from == pair.from && known.to == pair.to; };
      if (pair.from != pair.to && std::none_of(pairs.begin(), pairs.end(), same))
        pairs.push_back(pair);
    }
  }
  return pairs;
}

} // namespace tandem::report
