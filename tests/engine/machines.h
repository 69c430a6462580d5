// Clusters built in code for the tests of the engine: GPUs with round numbers on a one-way ring or on one switch.
#pragma once

#include "model/cluster.h"

#include <memory>
#include <string>
#include <utility>

namespace tandem::test {

/// 80 SMs that move 100 B/s each; a memory of 1000 B/s; no launch cost, so that sums are easy to do by hand.
inline model::Device round_device() {
  model::Device device;
  device.name = "round";
  device.sms = 80;
  device.hbm_bandwidth = model::BytesPerSecond(1000.0);
  device.sm_copy_bandwidth = model::BytesPerSecond(100.0);
  device.near_memory.available = true;
  return device;
}

/// SMs and memory take no time; a kernel's launch does.
inline model::Device fast_device(double launch_s) {
  auto device = round_device();
  device.kernel_launch = model::Seconds(launch_s);
  device.hbm_bandwidth = model::BytesPerSecond(1e24);
  device.sm_copy_bandwidth = model::BytesPerSecond(1e24);
  return device;
}

/// What every link of a machine is like.
struct Wires {
  double bandwidth = 1000.0;
  double latency_s = 0.0; ///< of a whole route
  model::Sharing sharing = model::Sharing::SHARED;
};

/// GPU i reaches i + 1 over link i, and nobody else.
class RingRouter : public model::Router {
public:
  RingRouter(std::uint32_t gpus, double latency_s) : gpus_(gpus), latency_s_(latency_s) {}
  [[nodiscard]] std::optional<model::Route> route(model::HostId from, model::HostId to) const override {
    if (from == to)
      return model::Route{};
    if (to.index != (from.index + 1) % gpus_)
      return std::nullopt;
    return model::Route{{model::LinkId(from.index)}, model::Seconds(latency_s_)};
  }

private:
  std::uint32_t gpus_;
  double latency_s_;
};

/// GPU i has link 2i into the switch and link 2i + 1 out of it.
class SwitchRouter : public model::Router {
public:
  explicit SwitchRouter(double latency_s) : latency_s_(latency_s) {}
  [[nodiscard]] std::optional<model::Route> route(model::HostId from, model::HostId to) const override {
    if (from == to)
      return model::Route{};
    return model::Route{{model::LinkId(2 * from.index), model::LinkId(2 * to.index + 1)}, model::Seconds(latency_s_)};
  }

private:
  double latency_s_;
};

inline model::Cluster machine(std::string name, int gpus, const Wires& wires, const model::Device& device,
                              int links_per_gpu, std::shared_ptr<const model::Router> router) {
  model::Cluster cluster;
  cluster.name = std::move(name);
  cluster.file = cluster.name + ".xml";
  cluster.router = std::move(router);
  for (int gpu = 0; gpu < gpus; ++gpu) {
    model::Host host;
    host.name = "gpu" + std::to_string(gpu);
    cluster.gpus.push_back({model::HostId(static_cast<std::uint32_t>(gpu)), device});
    cluster.hosts.push_back(std::move(host));
  }
  for (int link = 0; link < gpus * links_per_gpu; ++link)
    cluster.links.push_back({"link" + std::to_string(link), model::BytesPerSecond(wires.bandwidth),
                             model::Seconds(wires.latency_s / links_per_gpu), wires.sharing});
  return cluster;
}

inline model::Cluster ring(int gpus, const Wires& wires = {}, const model::Device& device = round_device()) {
  return machine("ring", gpus, wires, device, 1,
                 std::make_shared<RingRouter>(static_cast<std::uint32_t>(gpus), wires.latency_s));
}

inline model::Cluster switched(int gpus, const Wires& wires = {}, const model::Device& device = round_device()) {
  return machine("switched", gpus, wires, device, 2, std::make_shared<SwitchRouter>(wires.latency_s));
}

} // namespace tandem::test
