// Builds SimGrid's side of a cluster through its API.
#include "engine/machine.h"

#include "base/error.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace tandem::engine {

namespace {

constexpr int DELAYS_AT_ONCE = 1 << 30; ///< on one GPU: no limit

} // namespace

Machine::Machine(const model::Cluster& cluster, int ranks, const std::set<Pair>& talking) : cluster_(cluster) {
  if (static_cast<std::size_t>(ranks) > cluster.gpus.size())
    throw base::UserError({.file = cluster.file}, "the platform has " + std::to_string(cluster.gpus.size()) +
                                                      " GPUs, " + std::to_string(ranks) + " are needed");
  // Memories talk to nobody: a zone of their own without routes keeps the table of the other one small.
  auto* world = sg4::create_full_zone("world");
  auto* gpus = sg4::create_full_zone("gpus");
  auto* memories = sg4::create_empty_zone("memories");
  gpus->set_parent(world);
  memories->set_parent(world);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto name = cluster.hosts[cluster.gpus[static_cast<std::size_t>(rank)].host.index].name;
    GpuHosts hosts;
    hosts.sm = gpus->create_host(name, device(rank).sms)->seal();
    hosts.hbm = memories->create_host(name + ".hbm", hbm_rate(rank))->seal();
    hosts.clock = memories->create_host(name + ".clock", 1.0)->set_core_count(DELAYS_AT_ONCE)->seal();
    gpus_.push_back(hosts);
  }
  memories->seal();

  std::unordered_map<std::uint32_t, sg4::Link*> built; // by LinkId
  const auto link = [&](model::LinkId id) {
    auto*& known = built[id.index];
    if (known == nullptr) {
      const auto described = cluster.links[id.index];
      known = gpus->create_link(described.name, described.bandwidth.value());
      if (described.sharing == model::Sharing::FATPIPE)
        known->set_sharing_policy(sg4::Link::SharingPolicy::FATPIPE);
      known->seal();
    }
    return known;
  };
  for (const auto& [from, to] : talking) {
    const auto route =
        cluster.route(model::Rank(static_cast<std::uint32_t>(from)), model::Rank(static_cast<std::uint32_t>(to)));
    std::vector<sg4::LinkInRoute> links;
    for (const auto id : route.links)
      links.emplace_back(link(id));
    if (from != to)
      gpus->add_route(gpu(from).sm->get_netpoint(), gpu(to).sm->get_netpoint(), nullptr, nullptr, links, false);
    double narrowest = std::numeric_limits<double>::infinity();
    for (const auto id : route.links)
      narrowest = std::min(narrowest, cluster.links[id.index].bandwidth.value());
    paths_[{from, to}] = {route.links, narrowest, route.latency.value()};
  }
  gpus->seal();
  world->seal();
}

double Machine::hbm_rate(int rank) const {
  return device(rank).hbm_bandwidth.value() * device(rank).memory_efficiency;
}

} // namespace tandem::engine
