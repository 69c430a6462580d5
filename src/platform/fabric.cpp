// Kinds of fabrics, and what they share.
#include "platform/fabric.h"

#include "base/error.h"

#include <fmt/format.h>
#include <limits>

namespace tandem::platform {

const std::vector<std::string>& fabric_kinds() {
  static const std::vector<std::string> kinds = {"switch", "fat-tree", "rail", "torus", "dragonfly"};
  return kinds;
}

const std::vector<std::string>& routing_policies() {
  static const std::vector<std::string> policies = {"deterministic", "ecmp", "spray"};
  return policies;
}

std::unique_ptr<Fabric> make_fabric(const FabricSettings& settings, std::uint32_t nodes, std::uint32_t nics) {
  if (settings.bandwidth.value() <= 0.0)
    throw base::UserError("a fabric needs the property fabric_bandwidth, of a link in one direction, as 400Gbps");
  auto fabric = settings.kind == "torus"       ? make_torus(settings, nodes, nics)
                : settings.kind == "dragonfly" ? make_dragonfly(settings, nodes, nics)
                                               : make_tree(settings, nodes, nics);
  if (fabric->links() > std::numeric_limits<std::uint32_t>::max() / 2)
    throw base::UserError(fmt::format("{} nodes make a fabric of {} links: too many to count", nodes, fabric->links()));
  return fabric;
}

std::uint64_t flow_hash(std::uint64_t seed, std::uint64_t from, std::uint64_t to, std::uint64_t at) {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : {seed, from, to, at}) { // SplitMix64, one step per word
    hash = (hash ^ word) + 0x9e3779b97f4a7c15U;
    hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9U;
    hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111ebU;
    hash ^= hash >> 31U;
  }
  return hash;
}

std::string routing_text(const FabricSettings& settings) {
  switch (settings.routing) {
  case RoutingPolicy::DETERMINISTIC:
    return "deterministic";
  case RoutingPolicy::ECMP:
    return fmt::format("ecmp, seed {}", settings.seed);
  case RoutingPolicy::SPRAY:
    return "spray";
  }
  throw base::Bug("a routing policy without a name");
}

base::Seconds Fabric::latency(std::uint64_t number) const {
  return number < 2 * cards() ? settings_.nic_latency.value_or(settings_.latency) : settings_.latency;
}

model::Link Fabric::card_link(std::uint64_t number) const {
  return {fmt::format("node{}.port{}_{}", number / 2 / nics_, number / 2 % nics_, number % 2 == 0 ? "UP" : "DOWN"),
          settings_.nic_bandwidth.value_or(settings_.bandwidth), latency(number), model::Sharing::SHARED,
          model::Medium::NETWORK};
}

model::Link Fabric::switch_link(std::string name) const {
  return {std::move(name), settings_.bandwidth, settings_.latency, model::Sharing::SHARED, model::Medium::NETWORK};
}

model::Fabric::Stage Fabric::card_stage(std::string name) const {
  return {std::move(name),
          cards(),
          settings_.nic_bandwidth.value_or(settings_.bandwidth),
          settings_.nic_latency.value_or(settings_.latency),
          0,
          ""};
}

model::Fabric::Stage Fabric::switch_stage(std::string name, std::uint64_t links) const {
  return {std::move(name), links, settings_.bandwidth, settings_.latency, 0, ""};
}

} // namespace tandem::platform
