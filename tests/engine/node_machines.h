// Nodes built in code, whose GPUs have wires of their own to their node's and to the others.
#pragma once

#include "engine/machines.h"

#include <memory>

namespace tandem::test {

/// Of each GPU: a pair of wires to the others of its node, and another pair to the network.
struct Ways {
  Wires node{.bandwidth = 1e11, .latency_s = 7e-7};
  Wires network{.bandwidth = 2e10, .latency_s = 2e-6};
};

class NodeRouter : public model::Router {
public:
  NodeRouter(std::uint32_t gpus_per_node, const Ways& ways) : gpus_(gpus_per_node), ways_(ways) {}
  [[nodiscard]] std::optional<model::Route> route(model::HostId from, model::HostId to) const override {
    if (from == to)
      return model::Route{};
    const bool inside = from.index / gpus_ == to.index / gpus_;
    const std::uint32_t pair = inside ? 0 : 2;
    return model::Route{{model::LinkId(4 * from.index + pair), model::LinkId(4 * to.index + pair + 1)},
                        model::Seconds(inside ? ways_.node.latency_s : ways_.network.latency_s)};
  }

private:
  std::uint32_t gpus_;
  Ways ways_;
};

inline model::Cluster nodes_of(int gpus, int nodes, const Ways& ways, const model::Device& device) {
  auto cluster = machine("nodes", gpus * nodes, ways.node, device, 4,
                         std::make_shared<NodeRouter>(static_cast<std::uint32_t>(gpus), ways));
  for (std::size_t link = 0; link < 4 * static_cast<std::size_t>(gpus * nodes); ++link) {
    const auto& wires = link % 4 < 2 ? ways.node : ways.network;
    cluster.links.stored()[link].bandwidth = model::BytesPerSecond(wires.bandwidth);
    cluster.links.stored()[link].latency = model::Seconds(wires.latency_s / 2);
  }
  cluster.gpus_per_node = gpus;
  return cluster;
}

} // namespace tandem::test
