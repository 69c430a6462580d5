// Speed of the engine as a ratio: a ring all-reduce with memory traffic through engine::play(), against the same
// activities in a bare SimGrid loop. Each measurement has a process of its own, and what is compared is CPU time.
#include "bench/bare_ring.h"
#include "collective/strategy.h"
#include "collective/verify.h"
#include "engine/child.h"
#include "engine/machines.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstring>
#include <ctime>
#include <functional>
#include <random>
#include <stdexcept>
#include <sys/resource.h>

namespace tandem::bench {
namespace {

double cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

/// What a child reports.
struct Measured {
  double plan_s = 0.0, verify_s = 0.0, play_s = 0.0; ///< CPU time
  double proof_bytes = 0.0, peak_bytes = 0.0;        ///< most memory until the end of verify, of all
  Played played;
};

Measured measure(const std::function<Measured()>& task) {
  constexpr unsigned patience_s = 900;
  const auto run = [&] {
    const auto measured = task();
    return std::string(reinterpret_cast<const char*>(&measured), sizeof measured);
  };
  const auto answer = test::in_child(run, patience_s);
  Measured measured;
  std::memcpy(&measured, answer.data(), sizeof measured);
  return measured;
}

/// 150 GB/s links around GPUs of 1 TB/s whose kernels outrun the wire.
model::Cluster cluster_of(int ranks, double latency_s) {
  auto device = test::round_device();
  device.hbm_bandwidth = model::BytesPerSecond(1e12);
  device.sm_copy_bandwidth = model::BytesPerSecond(12e9);
  return test::ring(ranks, {.bandwidth = 150e9, .latency_s = latency_s}, device);
}

/// Plans and proves, and notes what that cost.
model::Schedule proven_schedule(const model::Cluster& cluster, int ranks, double bytes, Measured& measured) {
  const auto selected = collective::select_strategy("sequential");
  const double start = cpu_s();
  auto schedule =
      selected.strategy->plan({{model::CollectiveKind::ALL_REDUCE, ranks, model::Bytes(bytes)}, std::nullopt}, cluster);
  measured.plan_s = cpu_s() - start;
  const double planned = cpu_s();
  if (const auto wrong = collective::verify(schedule); !wrong.empty())
    throw std::runtime_error(wrong);
  measured.verify_s = cpu_s() - planned;
  measured.proof_bytes = peak_bytes();
  return schedule;
}

Measured measure_proof(const model::Cluster& cluster, int ranks, double bytes) {
  return measure([&] {
    Measured measured;
    proven_schedule(cluster, ranks, bytes, measured);
    return measured;
  });
}

Measured measure_product(const model::Cluster& cluster, int ranks, double bytes) {
  return measure([&] {
    Measured measured;
    const auto schedule = proven_schedule(cluster, ranks, bytes, measured);
    const double before = cpu_s();
    const auto recording = engine::play(cluster, {&schedule});
    measured.play_s = cpu_s() - before;
    measured.peak_bytes = peak_bytes();
    measured.played = {recording.end_s, recording.activities};
    return measured;
  });
}

Measured measure_bare(const model::Cluster& cluster, int ranks, double bytes) {
  return measure([&] {
    Measured measured;
    const double before = cpu_s();
    measured.played = play_bare_ring(cluster, ranks, bytes);
    measured.play_s = cpu_s() - before;
    measured.peak_bytes = peak_bytes();
    return measured;
  });
}

constexpr double CHUNK_BYTES = 1048576.0;

/// The product and a bare loop of the same activities; of several iterations the fastest counts, as others share the
/// machine. The time shown is that of engine::play().
void race(benchmark::State& state, const std::function<Measured()>& measure_product,
          const std::function<Measured()>& measure_bare) {
  Measured product, bare;
  const auto keep_fastest = [](Measured& fastest, const Measured& one) {
    if (fastest.play_s == 0.0 || one.play_s < fastest.play_s)
      fastest = one;
  };
  for ([[maybe_unused]] auto iteration : state) {
    const auto one = measure_product();
    keep_fastest(product, one);
    keep_fastest(bare, measure_bare());
    state.SetIterationTime(one.play_s);
    if (product.played.activities != bare.played.activities ||
        std::abs(product.played.end_s - bare.played.end_s) > 1e-9 * bare.played.end_s) {
      state.SkipWithError("the bare loop and the engine do not play the same");
      return;
    }
  }
  state.counters["bare_s"] = bare.play_s;
  state.counters["play_s"] = product.play_s;
  state.counters["ratio"] = product.play_s / bare.play_s;
  state.counters["whole_s"] = product.plan_s + product.verify_s + product.play_s;
  state.counters["whole_ratio"] = (product.plan_s + product.verify_s + product.play_s) / bare.play_s;
  state.counters["activities"] = static_cast<double>(product.played.activities);
  state.counters["bare_mb"] = bare.peak_bytes / 1e6;
  state.counters["whole_mb"] = product.peak_bytes / 1e6;
}

/// Arguments: ranks, latency in ns.
void ring_all_reduce(benchmark::State& state) {
  const auto ranks = static_cast<int>(state.range(0));
  const auto cluster = cluster_of(ranks, 1e-9 * static_cast<double>(state.range(1)));
  const double bytes = CHUNK_BYTES * ranks;
  race(
      state, [&] { return measure_product(cluster, ranks, bytes); },
      [&] { return measure_bare(cluster, ranks, bytes); });
}

/// What bare_ring.h says of Messages: they touch no data and no memory.
model::Schedule schedule_of(const Messages& messages) {
  model::Schedule schedule;
  schedule.strategy = "messages";
  schedule.ranks = static_cast<int>(messages.starts_s.size());
  schedule.piece_bytes.assign(messages.starts_s.size(), messages.bytes);
  schedule.labels = {"message"};
  model::ProgramBuilder program;
  std::vector<model::OpId> before;
  for (int message = 0; message < messages.count; ++message) {
    const auto sent =
        program.add({.kind = model::OpKind::TRANSFER, .peer = 1, .effect = {.span = {.first = 0, .count = 1}}}, before);
    const auto received =
        program.add({.kind = model::OpKind::RECV, .peer = -1, .effect = {.span = {.first = 0, .count = 1}}}, before);
    before = {sent, received};
  }
  schedule.programs.push_back(program.build());
  return schedule;
}

Measured measure_messages(const model::Cluster& cluster, const Messages& messages) {
  return measure([&] {
    Measured measured;
    const auto schedule = schedule_of(messages);
    const double before = cpu_s();
    const auto recording = engine::play(cluster, {&schedule}, {.start_times_s = messages.starts_s});
    measured.play_s = cpu_s() - before;
    measured.peak_bytes = peak_bytes();
    measured.played = {recording.end_s, recording.activities};
    return measured;
  });
}

Measured measure_bare_messages(const model::Cluster& cluster, const Messages& messages) {
  return measure([&] {
    Measured measured;
    const double before = cpu_s();
    measured.played = play_bare_messages(cluster, messages);
    measured.play_s = cpu_s() - before;
    measured.peak_bytes = peak_bytes();
    return measured;
  });
}

/// Arguments: ranks, messages of each, and whether they start together or at times of their own.
void messages_alone(benchmark::State& state) {
  const auto ranks = static_cast<int>(state.range(0));
  const auto cluster = cluster_of(ranks, 0.0);
  Messages messages{static_cast<int>(state.range(1)), CHUNK_BYTES, {}};
  std::mt19937 random; // seeded alike in every run
  const double one_s = CHUNK_BYTES / cluster.links.front().bandwidth.value();
  for (int rank = 0; rank < ranks; ++rank)
    messages.starts_s.push_back(state.range(2) == 0 ? 0.0 : one_s * static_cast<double>(random()) / 4294967296.0);
  race(
      state, [&] { return measure_messages(cluster, messages); },
      [&] { return measure_bare_messages(cluster, messages); });
}

/// Argument: ranks.
void plan_and_verify(benchmark::State& state) {
  const auto ranks = static_cast<int>(state.range(0));
  const auto cluster = cluster_of(ranks, 0.0);
  Measured one;
  for ([[maybe_unused]] auto iteration : state) {
    one = measure_proof(cluster, ranks, CHUNK_BYTES * ranks);
    state.SetIterationTime(one.plan_s + one.verify_s);
  }
  state.counters["plan_s"] = one.plan_s;
  state.counters["verify_s"] = one.verify_s;
  state.counters["mb"] = one.proof_bytes / 1e6;
}

BENCHMARK(plan_and_verify)->ArgName("ranks")->Arg(16)->Arg(64)->Arg(256)->Arg(1024)->UseManualTime();

BENCHMARK(ring_all_reduce)->ArgNames({"ranks", "latency_ns"})->ArgsProduct({{16, 64}, {0, 500}})->UseManualTime();
BENCHMARK(ring_all_reduce)
    ->ArgNames({"ranks", "latency_ns"})
    ->ArgsProduct({{256}, {0, 500}})
    ->UseManualTime()
    ->Iterations(3);
BENCHMARK(ring_all_reduce)
    ->ArgNames({"ranks", "latency_ns"})
    ->ArgsProduct({{1024}, {0, 500}})
    ->UseManualTime()
    ->Iterations(3);
BENCHMARK(messages_alone)
    ->ArgNames({"ranks", "messages", "apart"})
    ->Args({16, 30, 1})
    ->Args({256, 510, 0})
    ->Args({1024, 2046, 0})
    ->Args({4096, 64, 1})
    ->UseManualTime()
    ->Iterations(3);

} // namespace
} // namespace tandem::bench

BENCHMARK_MAIN();
