// The same run twice is the same in every bit, and the numbers that ranks bear change nothing.
#include "collective/strategy.h"
#include "collective/verify.h"
#include "engine/child.h"
#include "engine/machines.h"
#include "engine/proven.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tandem::test {
namespace {

using model::CollectiveKind;

constexpr int RANKS = 8;

/// 80 SMs that reach 80 TFLOP/s beside 1 TB/s, with a tracker of few entries and a queue with thresholds.
model::Device gpu() {
  auto device = round_device();
  device.peak["fp16"] = model::FlopsPerSecond(80e12);
  device.vector_peak = model::FlopsPerSecond(10e12);
  device.hbm_bandwidth = model::BytesPerSecond(1e12);
  device.sm_copy_bandwidth = model::BytesPerSecond(12e9);
  device.kernel_launch = model::Seconds(5e-6);
  device.l2 = model::Bytes(16e6);
  device.copy_engines = 2;
  device.near_memory.tracker_entries = 2;
  device.queue.thresholds = {{0.3, 5}, {0.1, 10}};
  return device;
}

const char* const STRATEGIES[] = {"sequential", "concurrent", "decomposed", "tile-fused", "t3", "t3-mca"};

model::Schedule plan(const std::string& strategy, const model::Cluster& cluster,
                     const model::Gemm& gemm = {.m = 2048, .n = 1024, .k = 512, .precision = "fp16"}) {
  const auto ranks = static_cast<int>(cluster.gpus.size());
  collective::Request request;
  request.op = {CollectiveKind::ALL_REDUCE, ranks, gemm.output(), 0, nullptr};
  request.producer = gemm;
  return proven(strategy, request, cluster);
}

std::vector<double> starts() {
  std::vector<double> starts;
  for (int rank = 0; rank < RANKS; ++rank)
    starts.push_back((rank * 37 % RANKS) * 1.3e-6);
  return starts;
}

class Symmetry : public testing::TestWithParam<const char*> {};

TEST_P(Symmetry, two_runs_are_the_same_in_every_bit) {
  const auto cluster = switched(RANKS, {.bandwidth = 150e9, .latency_s = 5e-7}, gpu());
  const auto made = plan(GetParam(), cluster);
  const auto run = [&] { return bytes_of(played(cluster, made, {.record_ops = true, .start_times_s = starts()})); };
  EXPECT_EQ(run(), run());
}

// Rank r of one run is rank r + 3 of the other: who starts when moves along, and so must all that is recorded. All
// chunks are alike and all GPUs and links too, so the run is the same but for the names.
TEST_P(Symmetry, renaming_ranks_changes_nothing) {
  constexpr int SHIFT = 3;
  const auto cluster = switched(RANKS, {.bandwidth = 150e9, .latency_s = 5e-7}, gpu());
  const auto made = plan(GetParam(), cluster);
  const auto begin = starts();
  auto shifted = begin;
  for (std::size_t rank = 0; rank < begin.size(); ++rank)
    shifted[(rank + SHIFT) % begin.size()] = begin[rank];
  const auto one = played(cluster, made, {.start_times_s = begin});
  const auto other = played(cluster, made, {.start_times_s = shifted});
  for (std::size_t rank = 0; rank < begin.size(); ++rank) {
    const auto& a = one.items[0][rank];
    const auto& b = other.items[0][(rank + SHIFT) % begin.size()];
    EXPECT_NEAR(a.end_s, b.end_s, 1e-9 * a.end_s) << "rank " << rank;
    EXPECT_NEAR(a.compute_s, b.compute_s, 1e-9 * a.end_s) << "rank " << rank;
    EXPECT_NEAR(a.exposed_s, b.exposed_s, 1e-9 * a.end_s) << "rank " << rank;
    EXPECT_EQ(one.dram[rank].bytes, other.dram[(rank + SHIFT) % begin.size()].bytes) << "rank " << rank;
  }
  EXPECT_GT(std::abs(one.items[0][0].compute_s - one.items[0][1].compute_s) +
                std::abs(one.items[0][0].exposed_s - one.items[0][1].exposed_s),
            1e-9)
      << "ranks that are all alike prove nothing";
  EXPECT_EQ(one.activities, other.activities);
  EXPECT_EQ(one.wire_bytes, other.wire_bytes);
}

// Which of the platform's GPUs a rank sits on changes nothing either, when all are alike.
TEST_P(Symmetry, placement_on_like_gpus_changes_nothing) {
  const auto cluster = switched(RANKS, {.bandwidth = 150e9, .latency_s = 5e-7}, gpu());
  auto moved = cluster;
  std::swap(moved.gpus[1], moved.gpus[6]);
  std::swap(moved.gpus[2], moved.gpus[3]);
  const auto made = plan(GetParam(), cluster);
  const auto one = played(cluster, made, {.start_times_s = starts()});
  const auto other = played(moved, made, {.start_times_s = starts()});
  for (std::size_t rank = 0; rank < one.items[0].size(); ++rank)
    EXPECT_NEAR(one.items[0][rank].end_s, other.items[0][rank].end_s, 1e-9 * one.items[0][rank].end_s);
}

// All ranks do the same at the same moments, so that whose actor runs first must not matter: where an access ends, two
// actors at once begin the memory's next ones.
TEST_P(Symmetry, ranks_that_begin_alike_end_alike) {
  const auto cluster = ring(2 * RANKS, {.bandwidth = 150e9, .latency_s = 5e-7}, gpu());
  const model::Gemm many_stages{.m = 16384, .n = 3072, .k = 192, .precision = "fp16"};
  const auto recording = played(cluster, plan(GetParam(), cluster, many_stages));
  const auto& first = recording.items[0][0];
  for (std::size_t rank = 1; rank < recording.items[0].size(); ++rank) {
    EXPECT_NEAR(recording.items[0][rank].end_s, first.end_s, 1e-9 * first.end_s) << "rank " << rank;
    EXPECT_NEAR(recording.items[0][rank].exposed_s, first.exposed_s, 1e-9 * first.end_s) << "rank " << rank;
  }
}

INSTANTIATE_TEST_SUITE_P(strategies, Symmetry, testing::ValuesIn(STRATEGIES), [](const auto& instance) {
  std::string name = instance.param;
  for (auto& letter : name)
    if (letter == '-')
      letter = '_';
  return name;
});

} // namespace
} // namespace tandem::test
