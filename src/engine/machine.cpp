// Builds SimGrid's side of a cluster through its API.
#include "engine/machine.h"

#include "base/error.h"

#include <unordered_map>

namespace tandem::engine {

namespace {

constexpr int DELAYS_AT_ONCE = 1 << 30; ///< on one GPU: no limit

} // namespace

class Machine::Wiring {
public:
  Wiring(const model::Cluster& cluster, sg4::NetZone* zone) : cluster_(cluster), zone_(zone) {}

  void add_route(sg4::Host* from, sg4::Host* to, const std::vector<model::LinkId>& links) {
    std::vector<sg4::LinkInRoute> crossed;
    for (const auto id : links)
      crossed.emplace_back(link(id));
    zone_->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, crossed, false);
  }

  /// The end in a switch of the half path between `gpu` and it: GPUs whose halves are one each share an end.
  sg4::Host* end_in_switch(const sg4::Host* gpu, model::Leg leg, const std::vector<model::LinkId>& links) {
    for (auto& end : ends_) {
      const auto [known, is_new] = end.halves.try_emplace({gpu, leg}, links);
      if (is_new || known->second == links)
        return end.host;
    }
    auto& end = ends_.emplace_back();
    end.host = zone_->create_host("switch-" + std::to_string(ends_.size()), 1.0)->seal();
    end.halves[{gpu, leg}] = links;
    return end.host;
  }

private:
  sg4::Link* link(model::LinkId id) {
    auto*& known = built_[id.index];
    if (known == nullptr) {
      const auto& described = cluster_.links[id.index];
      known = zone_->create_link(described.name, described.bandwidth.value());
      if (described.sharing == model::Sharing::FATPIPE)
        known->set_sharing_policy(sg4::Link::SharingPolicy::FATPIPE);
      known->seal();
    }
    return known;
  }

  struct End {
    sg4::Host* host = nullptr;
    std::map<std::pair<const sg4::Host*, model::Leg>, std::vector<model::LinkId>> halves;
  };
  const model::Cluster& cluster_;
  sg4::NetZone* zone_;
  std::unordered_map<std::uint32_t, sg4::Link*> built_; ///< by LinkId
  std::vector<End> ends_;
};

Machine::Machine(const model::Cluster& cluster, int ranks, const Talk& talk) : cluster_(cluster) {
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

  Wiring wiring(cluster, gpus);
  for (const auto& [from, to] : talk.pairs) {
    const auto route =
        cluster.route(model::Rank(static_cast<std::uint32_t>(from)), model::Rank(static_cast<std::uint32_t>(to)));
    if (from != to)
      wiring.add_route(gpu(from).sm, gpu(to).sm, route.links);
    paths_[{from, to}] = {route.links, cluster.narrowest(route.links).value(), cluster.medium(route),
                          route.latency.value()};
  }
  for (const auto& [pair, leg] : talk.legs)
    add_half(wiring, pair, leg);
  gpus->seal();
  world->seal();
}

void Machine::add_half(Wiring& wiring, const Pair& pair, model::Leg leg) {
  const auto& whole = paths_.at(pair).links;
  const auto middle = whole.begin() + static_cast<std::ptrdiff_t>(whole.size() / 2);
  const bool up = leg == model::Leg::TO_SWITCH;
  HalfPath half;
  half.links = up ? std::vector(whole.begin(), middle) : std::vector(middle, whole.end());
  half.bandwidth = cluster_.narrowest(half.links).value();
  auto* gpu_end = gpu(up ? pair.first : pair.second).sm;
  auto* switch_end = wiring.end_in_switch(gpu_end, leg, half.links);
  half.from = up ? gpu_end : switch_end;
  half.to = up ? switch_end : gpu_end;
  if (routed_.insert({half.from, half.to}).second)
    wiring.add_route(half.from, half.to, half.links);
  halves_[{pair, leg}] = std::move(half);
}

double Machine::hbm_rate(int rank) const {
  return device(rank).hbm_bandwidth.value() * device(rank).memory_efficiency;
}

} // namespace tandem::engine
