// A small played run for the timeline's tests: three GPUs in a one-way ring, two items of one fused schedule, times
// laid down by hand.
#pragma once

#include "report/timeline.h"

#include <memory>
#include <optional>
#include <vector>

namespace tandem::report::fakes {

/// Host r reaches host s over the links r, r+1, ..., s-1 of a ring.
class OneWayRing : public model::Router {
public:
  explicit OneWayRing(std::uint32_t hosts) : hosts_(hosts) {}
  [[nodiscard]] std::optional<model::Route> route(model::HostId from, model::HostId to) const override {
    model::Route route;
    for (std::uint32_t host = from.index; host != to.index; host = (host + 1) % hosts_)
      route.links.emplace_back(host);
    route.latency = model::Seconds(500e-9 * static_cast<double>(route.links.size()));
    return route;
  }

private:
  std::uint32_t hosts_;
};

inline model::Cluster ring_cluster(std::uint32_t gpus) {
  model::Cluster cluster;
  cluster.name = "ring";
  cluster.file = "ring.xml";
  model::Device device;
  device.name = "toy";
  device.sms = 80;
  device.peak["fp16"] = model::FlopsPerSecond(100e12);
  device.hbm_bandwidth = model::BytesPerSecond(1e12);
  device.hbm_capacity = model::Bytes(32e9);
  device.l2 = model::Bytes(16e6);
  device.kernel_launch = model::Seconds(3e-6);
  device.sources = {{"hbm_bandwidth", "a data sheet"}};
  device.assumed = {"kernel_launch"};
  for (std::uint32_t i = 0; i < gpus; ++i) {
    model::Host host;
    host.name = "gpu" + std::to_string(i);
    cluster.hosts.push_back(host);
    cluster.links.push_back(
        {"link" + std::to_string(i), model::BytesPerSecond(150e9), model::Seconds(500e-9), model::Sharing::SHARED});
    cluster.gpus.push_back({model::HostId(i), device});
  }
  cluster.router = std::make_shared<OneWayRing>(gpus);
  return cluster;
}

/// When each operation of the program below runs, in microseconds from the item's begin.
struct Times {
  double begin, end;
};
inline const std::vector<Times>& op_times() {
  static const std::vector<Times> times = {
      {0, 1},     // 0 launch
      {1, 2},     // 1 read 3000 B: 3 GB/s
      {2, 4},     // 2 compute
      {4, 5},     // 3 update 2000 B
      {4, 5},     // 4 send 1000 B to the next: 1 GB/s on one link, updates there
      {0, 5.5},   // 5 receive it, posted early
      {5.5, 5.5}, // 6 trigger, holds its entry from 5 (the end of operation 3)
      {6, 8},     // 7 send 1000 B to the one after the next: 0.5 GB/s on two links; by DMA
      {6, 9},     // 8 receive it
      {6, 8},     // 9 communication kernel
      {7, 9},     // 10 another, beside it
      {9, 9},     // 11 joins
  };
  return times;
}

inline model::Schedule fused_schedule() {
  using namespace model;
  ProgramBuilder builder;
  const Traffic read{Phase::GEMM, Access::READ, 0.0, Bytes(3000)},
      update{Phase::GEMM, Access::UPDATE, 0.0, Bytes(2000)};
  const OpId launch = builder.add({.phase = Phase::GEMM, .label = 0, .delay = Seconds(1e-6)});
  const OpId loaded = builder.add({.phase = Phase::GEMM, .label = 1, .traffic = {read}}, {launch});
  const OpId computed = builder.add({.phase = Phase::GEMM, .label = 1, .sms = 80, .sm_seconds = 160e-6}, {loaded});
  const OpId stored = builder.add({.phase = Phase::GEMM, .label = 1, .traffic = {update}}, {computed});
  const Effect one{0, Buffer::LOCAL, true, {0, 1}};
  builder.add({.kind = OpKind::TRANSFER,
               .phase = Phase::RS,
               .stream = Stream::COMMUNICATION,
               .label = 2,
               .peer = 1,
               .peer_traffic = {{Phase::RS, Access::UPDATE, 1.0, {}}},
               .effect = one},
              {computed});
  const OpId got = builder.add({.kind = OpKind::RECV,
                                .phase = Phase::RS,
                                .stream = Stream::COMMUNICATION,
                                .label = 2,
                                .peer = -1,
                                .effect = one});
  const OpId fired = builder.add(
      {.kind = OpKind::TRIGGER, .phase = Phase::RS, .stream = Stream::COMMUNICATION, .label = 3}, {stored, got});
  builder.add({.kind = OpKind::TRANSFER,
               .phase = Phase::RS,
               .stream = Stream::COMMUNICATION,
               .label = 4,
               .channel = 1,
               .peer = 2,
               .traffic = {{Phase::RS, Access::READ, 1.0, {}}},
               .peer_traffic = {{Phase::RS, Access::WRITE, 1.0, {}}},
               .effect = one},
              {fired});
  builder.add({.kind = OpKind::RECV,
               .phase = Phase::RS,
               .stream = Stream::COMMUNICATION,
               .label = 4,
               .channel = 1,
               .peer = 1, // the rank that is 2 before it, in a ring of 3
               .effect = one},
              {fired});
  builder.add({.phase = Phase::AG, .stream = Stream::COMMUNICATION, .label = 5, .sms = 4, .sm_seconds = 1e-6}, {fired});
  builder.add({.phase = Phase::AG, .stream = Stream::COMMUNICATION, .label = 5, .sms = 4, .sm_seconds = 1e-6}, {fired});
  builder.add({.phase = Phase::AG, .stream = Stream::COMMUNICATION, .label = 6});

  Schedule schedule;
  schedule.strategy = "fused";
  schedule.ranks = 3;
  schedule.piece_bytes = {1000, 1000, 1000};
  schedule.labels = {"GEMM launch", "GEMM", "remote store", "block", "DMA step", "AG copy", "done"};
  schedule.goal = CollectiveKind::ALL_REDUCE;
  schedule.produces = true;
  schedule.programs = {builder.build()};
  return schedule;
}

/// Owns everything that a TimelineRun points to.
struct FakeRun {
  model::Cluster cluster = ring_cluster(3);
  model::Schedule schedule = fused_schedule();
  model::Recording recording;
  TimelineRun run;

  FakeRun() {
    constexpr double US = 1e-6;
    recording.ranks = 3;
    recording.settings = {{"SimGrid", "3.32"}};
    for (std::uint32_t item = 0; item < 2; ++item) {
      const double start = item * 9 * US;
      std::vector<model::RankItem>& ranks = recording.items.emplace_back();
      for (std::uint32_t rank = 0; rank < 3; ++rank) {
        model::RankItem times;
        times.begin_s = start;
        times.end_s = start + 9 * US;
        times.compute_s = 5 * US;
        times.exposed_s = 4 * US;
        times.phases[static_cast<std::size_t>(model::Phase::GEMM)] = {true, start, start + 5 * US, 5 * US};
        times.phases[static_cast<std::size_t>(model::Phase::RS)] = {true, start + 4 * US, start + 9 * US, 5 * US};
        ranks.push_back(times);
        for (std::uint32_t op = 0; op < op_times().size(); ++op)
          recording.ops.push_back({rank, item, op, start + op_times()[op].begin * US, start + op_times()[op].end * US});
      }
    }
    run = {"t3", &recording, {&schedule, &schedule}, {"FC-2", "OP"}, &cluster};
  }
  FakeRun(const FakeRun&) = delete;
  FakeRun& operator=(const FakeRun&) = delete;
};

} // namespace tandem::report::fakes
