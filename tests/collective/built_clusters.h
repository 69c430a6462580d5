// Clusters made in code: a ring and a switch of any size, with a small GPU whose numbers are easy to work with.
#pragma once

#include "model/cluster.h"

#include <memory>
#include <string>

namespace tandem::collective {

/// 20 SMs, tiles of 128 x 128, near-memory reduction and copy engines, so that every strategy can run.
inline model::Device small_device() {
  model::Device device;
  device.name = "small";
  device.sms = 20;
  device.peak["fp16"] = model::FlopsPerSecond(8e12);
  device.vector_peak = model::FlopsPerSecond(1e12);
  device.hbm_bandwidth = model::BytesPerSecond(1e12);
  device.hbm_capacity = model::Bytes(32e9);
  device.l2 = model::Bytes(4e6);
  device.sm_copy_bandwidth = model::BytesPerSecond(100e9);
  device.kernel_launch = model::Seconds(1e-6);
  device.copy_engines = 2;
  device.near_memory.available = true;
  device.near_memory.tracker_entries = 16;
  return device;
}

/// Link 2 i goes from host i to i + 1, link 2 i + 1 from host i to i - 1; the shorter way round, upwards when equal.
class RingRouter : public model::Router {
public:
  RingRouter(std::uint32_t hosts, model::Seconds latency) : hosts_(hosts), latency_(latency) {}
  [[nodiscard]] std::optional<model::Route> route(model::HostId from, model::HostId to) const override {
    model::Route route;
    const std::uint32_t up = (to.index + hosts_ - from.index) % hosts_;
    const bool upwards = up <= hosts_ - up;
    const std::uint32_t steps = upwards ? up : hosts_ - up;
    for (std::uint32_t step = 0; step < steps; ++step) {
      const std::uint32_t at = (from.index + (upwards ? step : hosts_ - step)) % hosts_;
      route.links.emplace_back(2 * at + (upwards ? 0 : 1));
      route.latency += latency_;
    }
    return route;
  }

private:
  std::uint32_t hosts_;
  model::Seconds latency_;
};

/// Link 2 i goes from host i into the switch, link 2 i + 1 from the switch to host i.
class SwitchRouter : public model::Router {
public:
  explicit SwitchRouter(model::Seconds latency) : latency_(latency) {}
  [[nodiscard]] std::optional<model::Route> route(model::HostId from, model::HostId to) const override {
    if (from == to)
      return model::Route{};
    return model::Route{{model::LinkId(2 * from.index), model::LinkId(2 * to.index + 1)}, 2.0 * latency_};
  }

private:
  model::Seconds latency_;
};

inline model::Cluster unwired(int gpus, const std::string& name, const model::Device& device) {
  model::Cluster cluster;
  cluster.name = name;
  cluster.file = name + ".xml";
  const model::SharedDevice shared(device);
  for (std::uint32_t gpu = 0; gpu < static_cast<std::uint32_t>(gpus); ++gpu) {
    cluster.hosts.stored().emplace_back().name = "gpu" + std::to_string(gpu);
    for (const char* direction : {"a", "b"})
      cluster.links.push_back({std::to_string(gpu) + direction, model::BytesPerSecond(100e9), model::Seconds(1e-6),
                               model::Sharing::SHARED});
    cluster.gpus.push_back({model::HostId(gpu), shared});
  }
  return cluster;
}

inline model::Cluster ring_of(int gpus, const model::Device& device = small_device()) {
  auto cluster = unwired(gpus, "ring", device);
  cluster.router = std::make_shared<RingRouter>(static_cast<std::uint32_t>(gpus), model::Seconds(1e-6));
  return cluster;
}

inline model::Cluster switch_of(int gpus, const model::Device& device = small_device()) {
  auto cluster = unwired(gpus, "switch", device);
  cluster.router = std::make_shared<SwitchRouter>(model::Seconds(1e-6));
  return cluster;
}

} // namespace tandem::collective
