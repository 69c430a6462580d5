// Routes between GPUs of a cluster, with an error that names both ends when there is none.
#include "model/cluster.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace tandem::model {

namespace {

const Host& host_of(const Cluster& cluster, Rank rank) {
  if (rank.index >= cluster.gpus.size())
    throw base::Bug(fmt::format("rank {} of a cluster of {} GPUs", rank.index, cluster.gpus.size()));
  const HostId host = cluster.gpus[rank.index].host;
  if (host.index >= cluster.hosts.size())
    throw base::Bug(fmt::format("GPU {} names host {} of {}", rank.index, host.index, cluster.hosts.size()));
  return cluster.hosts[host.index];
}

} // namespace

Route Cluster::route(Rank from, Rank to) const {
  const Host& source = host_of(*this, from);
  const Host& target = host_of(*this, to);
  if (!router)
    throw base::Bug("a cluster without a router: " + file);
  std::optional<Route> found = router->route(gpus[from.index].host, gpus[to.index].host);
  if (!found) {
    throw base::UserError(base::Location{file},
                          fmt::format("no route from host {} to host {}: the platform does not connect them",
                                      base::in_quotes(source.name), base::in_quotes(target.name)));
  }
  return *std::move(found);
}

BytesPerSecond Cluster::bandwidth(Rank from, Rank to) const {
  // A GPU to itself crosses no link and is not limited.
  BytesPerSecond smallest(std::numeric_limits<double>::infinity());
  for (const LinkId link : route(from, to).links)
    smallest = std::min(smallest, links.at(link.index).bandwidth);
  return smallest;
}

} // namespace tandem::model
