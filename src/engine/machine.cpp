// Builds SimGrid's side of a cluster, or of its quotient, through its API.
#include "engine/machine.h"

#include "engine/wiring.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace tandem::engine {

namespace {

constexpr int DELAYS_AT_ONCE = 1 << 30; ///< on one GPU: no limit

} // namespace

Machine::Machine(const model::Cluster& cluster, const Folding& folding) : cluster_(cluster), folding_(folding) {
  // Memories talk to nobody: a zone of their own without routes keeps the tables of the others small.
  auto* world = sg4::create_full_zone("world");
  auto* gpus = sg4::create_full_zone("gpus");
  auto* wires = sg4::create_full_zone("wires");
  auto* memories = sg4::create_empty_zone("memories");
  for (auto* zone : {gpus, wires, memories})
    zone->set_parent(world);
  for (std::uint32_t number = 0; number < folding.played(); ++number) {
    const auto name = cluster.hosts[cluster.gpus[folding.rank(number)].host.index].name;
    GpuHosts hosts;
    hosts.sm = gpus->create_host(name, device(number).sms)->seal();
    hosts.hbm = memories->create_host(name + ".hbm", hbm_rate(number))->seal();
    hosts.clock = memories->create_host(name + ".clock", 1.0)->set_core_count(DELAYS_AT_ONCE)->seal();
    gpus_.push_back(hosts);
  }
  memories->seal();

  Wiring wiring(cluster, folding, gpus, wires);
  for (std::uint32_t number = 0; number < folding.played(); ++number)
    add_paths(wiring, number);
  gpus->seal();
  wires->seal();
  world->seal();
}

void Machine::add_paths(Wiring& wiring, std::uint32_t number) {
  const auto& classes = folding_.classes();
  const auto channels = folding_.role(number).out.size(); // legs follow
  const auto first = classes.first_flow[number];
  for (auto flow = first; flow < classes.first_flow[number + 1]; ++flow) {
    auto path = path_of(flow);
    const auto names = wiring.names(flow);
    auto* receiver = gpu(classes.flow_classes[flow].receiver).sm;
    if (flow - first >= channels || !wiring.is_direct(gpu(number).sm, receiver, names))
      std::tie(path.from, path.to) = wiring.ends(names);
    paths_.push_back(path);
  }
}

Path Machine::path_of(std::uint32_t flow_class) const {
  const auto& graph = folding_.graph();
  const auto route = folding_.classes().flow_classes[flow_class].route;
  Path path{.flow = flow_class,
            .links = folding_.links(flow_class),
            .bandwidth = std::numeric_limits<double>::infinity(),
            .medium = graph.kind(route).medium,
            .latency_s = graph.kind(route).latency.value()};
  for (const auto link : graph.crossed(route))
    path.bandwidth = std::min(path.bandwidth, graph.link_kind(link).bandwidth.value());
  return path;
}

double Machine::hbm_rate(std::uint32_t number) const {
  return device(number).hbm_bandwidth.value() * device(number).memory_efficiency;
}

} // namespace tandem::engine
