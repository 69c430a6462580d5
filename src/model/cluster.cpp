// Nodes and devices of a cluster, and routes between its GPUs, with an error that names both ends when there is none.
#include "model/cluster.h"

#include "model/energy.h"
#include "model/kernel_cost.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace tandem::model {

namespace {

void check_rank(const Cluster& cluster, Rank rank) {
  if (rank.index >= cluster.gpus.size())
    throw base::Bug(fmt::format("rank {} of a cluster of {} GPUs", rank.index, cluster.gpus.size()));
}

Host host_of(const Cluster& cluster, Rank rank) {
  const HostId host = cluster.gpus[rank.index].host;
  if (host.index >= cluster.hosts.size())
    throw base::Bug(fmt::format("GPU {} names host {} of {}", rank.index, host.index, cluster.hosts.size()));
  return cluster.hosts[host.index];
}

} // namespace

int Cluster::nodes() const {
  return gpus_per_node == 0 ? 1 : static_cast<int>(gpus.size()) / gpus_per_node;
}

int Cluster::node_of(Rank rank) const {
  return gpus_per_node == 0 ? 0 : static_cast<int>(rank.index) / gpus_per_node;
}

void Cluster::edit_devices(const std::function<void(Device&)>& change) {
  std::vector<std::pair<SharedDevice, SharedDevice>> edited; // before, after
  for (auto& gpu : gpus) {
    auto known =
        std::find_if(edited.begin(), edited.end(), [&](const auto& pair) { return pair.first.is(gpu.device); });
    if (known == edited.end()) {
      Device device = *gpu.device;
      change(device);
      known = edited.insert(edited.end(), {gpu.device, SharedDevice(std::move(device))});
    }
    gpu.device = known->second;
  }
}

std::vector<std::string> Cluster::all_assumed(Uses uses) const {
  std::vector<std::string> list = gpus.empty() ? std::vector<std::string>() : gpus.front().device->assumed;
  if (!uses.training)
    std::erase_if(list, for_training_only);
  if (!uses.energy)
    std::erase_if(list, for_energy_only);
  for (const auto& what : assumed)
    list.push_back("platform: " + what);
  return list;
}

Route Cluster::route(Rank from, Rank to) const {
  check_rank(*this, from);
  check_rank(*this, to);
  if (!router)
    throw base::Bug("a cluster without a router: " + file);
  std::optional<Route> found = router->route(gpus[from.index].host, gpus[to.index].host);
  if (!found) {
    throw base::UserError(base::Location{file},
                          fmt::format("no route from host {} to host {}: the platform does not connect them",
                                      base::in_quotes(host_of(*this, from).name),
                                      base::in_quotes(host_of(*this, to).name)));
  }
  return *std::move(found);
}

Medium Cluster::medium(const Route& route) const {
  Medium slowest = Medium::OTHER;
  for (const LinkId link : route.links)
    slowest = std::max(slowest, links.at(link.index).medium);
  return slowest;
}

BytesPerSecond Cluster::narrowest(const std::vector<LinkId>& crossed) const {
  BytesPerSecond smallest(std::numeric_limits<double>::infinity());
  for (const LinkId link : crossed)
    smallest = std::min(smallest, links.at(link.index).bandwidth);
  return smallest;
}

Cluster Cluster::part(const std::vector<std::uint32_t>& members) const {
  Cluster group = *this;
  group.gpus.clear();
  int block = 0, run = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Rank rank(members[i]);
    check_rank(*this, rank);
    group.gpus.push_back(gpus[rank.index]);
    if (i > 0 && node_of(rank) != node_of(Rank(members[i - 1]))) {
      block = std::gcd(block, run);
      run = 0;
    }
    ++run;
  }
  group.gpus_per_node = block == 0 ? 0 : std::gcd(block, run); // 0: all are in one node
  return group;
}

BytesPerSecond Cluster::bandwidth(Rank from, Rank to) const {
  // A GPU to itself crosses no link and is not limited.
  return narrowest(route(from, to).links);
}

} // namespace tandem::model
