// Ring collectives on the engine against closed forms, to 1e-9: equal and unequal starts, extreme latencies and sizes.
#include "collective/blocks.h"
#include "collective/strategy.h"
#include "collective/verify.h"
#include "engine/child.h"
#include "engine/machines.h"
#include "engine/ring_recurrence.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace tandem::test {
namespace {

using model::CollectiveKind;

constexpr double RELATIVE = 1e-9;
/// Under sanitizers 64 ranks would take long and show nothing that 16 do not.
const std::vector<int> RANKS = std::getenv("TANDEM_CONTEXT_FACTORY") == nullptr
                                   ? std::vector<int>{2, 3, 4, 5, 8, 16, 64}
                                   : std::vector<int>{2, 3, 4, 5, 8, 16};

/// 150 GB/s links, 80 SMs of 12 GB/s beside a memory of 1 TB/s, 5 us to launch a kernel. A kernel on 8 SMs handles
/// 96 GB/s and is slower than the wire, for which a reduction needs 450 GB/s; one on 40 SMs handles 480 GB/s. Two such
/// kernels and the memory accesses of two steps fit beside each other: neither SMs nor memory are shared out.
model::Device gpu() {
  auto device = round_device();
  device.hbm_bandwidth = model::BytesPerSecond(1e12);
  device.sm_copy_bandwidth = model::BytesPerSecond(12e9);
  device.kernel_launch = model::Seconds(5e-6);
  return device;
}

RingModel ring_model(int ranks, double bytes, double latency_s, int sms) {
  return {.ranks = ranks,
          .bytes = bytes,
          .bandwidth = 150e9,
          .latency_s = latency_s,
          .launch_s = 5e-6,
          .kernel_rate = sms > 0 ? sms * 12e9 : std::numeric_limits<double>::infinity()};
}

model::Cluster cluster_of(const RingModel& expected) {
  return ring(expected.ranks, {.bandwidth = expected.bandwidth, .latency_s = expected.latency_s}, gpu());
}

model::Schedule plan(const std::string& strategy, CollectiveKind kind, const RingModel& expected,
                     const model::Cluster& cluster) {
  const auto selected = collective::select_strategy(strategy);
  auto schedule =
      selected.strategy->plan({{kind, expected.ranks, model::Bytes(expected.bytes)}, std::nullopt}, cluster);
  EXPECT_EQ(collective::verify(schedule), "");
  return schedule;
}

model::Schedule near_memory_plan(int sms, const RingModel& expected, const model::Cluster& cluster) {
  collective::Composer composer(
      "near-memory", {{CollectiveKind::REDUCE_SCATTER, expected.ranks, model::Bytes(expected.bytes)}, std::nullopt},
      cluster);
  collective::append_ring_reduce_scatter_near_memory(composer, {.sms = sms}, {});
  auto schedule = composer.finish(CollectiveKind::REDUCE_SCATTER);
  EXPECT_EQ(collective::verify(schedule), "");
  return schedule;
}

void expect_ends(const model::Recording& recording, const std::vector<double>& expected) {
  ASSERT_EQ(recording.items.size(), 1u);
  ASSERT_EQ(recording.items[0].size(), expected.size());
  for (std::size_t rank = 0; rank < expected.size(); ++rank)
    EXPECT_NEAR(recording.items[0][rank].end_s, expected[rank], RELATIVE * expected[rank]) << "rank " << rank;
}

/// Starts that differ by up to 1.4 ms in no order; a step of 1 MiB takes 7 us or more.
std::vector<double> unequal_starts(int ranks) {
  std::vector<double> starts;
  for (int rank = 0; rank < ranks; ++rank)
    starts.push_back(((rank * 7919 + 13) % 101) * 1.37e-5);
  return starts;
}

struct Collective {
  std::string name;
  CollectiveKind kind;
  int sms;
  bool near_memory;
};

const std::vector<Collective> COLLECTIVES{
    {"reduce-scatter, wire-bound", CollectiveKind::REDUCE_SCATTER, 40, false},
    {"reduce-scatter, SM-bound", CollectiveKind::REDUCE_SCATTER, 8, false},
    {"all-gather, wire-bound", CollectiveKind::ALL_GATHER, 40, false},
    {"all-gather, SM-bound", CollectiveKind::ALL_GATHER, 8, false},
    {"all-reduce, wire-bound", CollectiveKind::ALL_REDUCE, 40, false},
    {"all-reduce, SM-bound", CollectiveKind::ALL_REDUCE, 8, false},
    {"near-memory reduce-scatter, SM-bound", CollectiveKind::REDUCE_SCATTER, 8, true},
    {"near-memory reduce-scatter by copy engine", CollectiveKind::REDUCE_SCATTER, 0, true},
};

RingModel model_of(const Collective& collective, int ranks, double bytes, double latency_s) {
  auto expected = ring_model(ranks, bytes, latency_s, collective.sms);
  expected.near_memory = collective.near_memory;
  return expected;
}

model::Schedule plan_of(const Collective& collective, const RingModel& expected, const model::Cluster& cluster) {
  if (collective.near_memory)
    return near_memory_plan(collective.sms, expected, cluster);
  return plan(fmt::format("sequential:sms={}", collective.sms), collective.kind, expected, cluster);
}

class RingCollective : public testing::TestWithParam<Collective> {};

TEST_P(RingCollective, takes_the_closed_form) {
  for (const int ranks : RANKS)
    for (const double latency : {0.0, 5e-7, 10.0}) {
      SCOPED_TRACE(fmt::format("N = {}, latency {} s", ranks, latency));
      const auto expected = model_of(GetParam(), ranks, ranks * 1048576.0, latency);
      const auto cluster = cluster_of(expected);
      const double time = ring_time(expected, GetParam().kind);
      const auto recording = played(cluster, plan_of(GetParam(), expected, cluster));
      EXPECT_NEAR(recording.end_s, time, RELATIVE * time);
      expect_ends(recording, std::vector<double>(static_cast<std::size_t>(ranks), time));
    }
}

TEST_P(RingCollective, with_bytes_that_N_does_not_divide) {
  for (const int ranks : RANKS)
    for (const double latency : {0.0, 5e-7, 10.0}) {
      SCOPED_TRACE(fmt::format("N = {}, latency {} s", ranks, latency));
      const auto expected = model_of(GetParam(), ranks, ranks * 1048576.0 + ranks - 1.0, latency);
      const auto cluster = cluster_of(expected);
      const std::vector<double> starts(static_cast<std::size_t>(ranks), 0.0);
      expect_ends(played(cluster, plan_of(GetParam(), expected, cluster)),
                  ring_ends(expected, GetParam().kind, starts));
    }
}

TEST_P(RingCollective, with_ranks_that_start_at_unequal_times) {
  for (const int ranks : RANKS)
    for (const double latency : {0.0, 5e-7, 10.0}) {
      SCOPED_TRACE(fmt::format("N = {}, latency {} s", ranks, latency));
      const auto expected = model_of(GetParam(), ranks, ranks * 1048576.0 + 1.0, latency);
      const auto cluster = cluster_of(expected);
      const auto starts = unequal_starts(ranks);
      expect_ends(played(cluster, plan_of(GetParam(), expected, cluster), {.start_times_s = starts}),
                  ring_ends(expected, GetParam().kind, starts));
    }
}

INSTANTIATE_TEST_SUITE_P(ring, RingCollective, testing::ValuesIn(COLLECTIVES), [](const auto& instance) {
  std::string name = instance.param.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == ',' || c == '-'; }, '_');
  return name;
});

// The two derivations agree with each other where both hold.
TEST(RingRecurrence, is_the_closed_form_for_equal_starts) {
  for (const auto& collective : COLLECTIVES)
    for (const int ranks : RANKS) {
      const auto expected = model_of(collective, ranks, ranks * 1048576.0, 5e-7);
      const auto ends = ring_ends(expected, collective.kind, std::vector<double>(static_cast<std::size_t>(ranks), 0.0));
      for (const double end : ends)
        EXPECT_NEAR(end, ring_time(expected, collective.kind), 1e-12 * end);
    }
}

// A negative control: unequal starts do change when ranks end, by more than the tolerance.
TEST(RingRecurrence, depends_on_the_starts) {
  const auto expected = ring_model(8, 8 * 1048576.0, 5e-7, 8);
  const auto equal = ring_ends(expected, CollectiveKind::ALL_REDUCE, std::vector<double>(8, 0.0));
  const auto unequal = ring_ends(expected, CollectiveKind::ALL_REDUCE, unequal_starts(8));
  for (std::size_t rank = 0; rank < 8; ++rank)
    EXPECT_GT(unequal[rank], equal[rank] * 1.01);
}

TEST(Ring, of_one_rank_takes_no_time) {
  const auto expected = ring_model(1, 1e9, 5e-7, 80);
  const auto cluster = cluster_of(expected);
  for (const auto kind : {CollectiveKind::REDUCE_SCATTER, CollectiveKind::ALL_GATHER, CollectiveKind::ALL_REDUCE})
    EXPECT_EQ(played(cluster, plan("sequential", kind, expected, cluster)).end_s, 0.0);
}

// 1 B among N ranks: floor(c / N) puts the byte into the last chunk, all other transfers have 0 bytes. 2^31 + 1 and
// 2^40 B are beyond 32 bits.
TEST(Ring, moves_a_byte_and_a_tebibyte) {
  for (const double bytes : {0.0, 1.0, 2147483649.0, 1099511627776.0})
    for (const int ranks : {2, 3, 8}) {
      SCOPED_TRACE(fmt::format("{} B, N = {}", bytes, ranks));
      const auto expected = ring_model(ranks, bytes, 5e-7, 8);
      const auto cluster = cluster_of(expected);
      const std::vector<double> starts(static_cast<std::size_t>(ranks), 0.0);
      const auto recording = played(cluster, plan("sequential:sms=8", CollectiveKind::ALL_REDUCE, expected, cluster));
      expect_ends(recording, ring_ends(expected, CollectiveKind::ALL_REDUCE, starts));
      // Each of the 2 (N - 1) steps moves every chunk once: 2 (N - 1) times all bytes.
      EXPECT_EQ(recording.wire_bytes, 2.0 * (ranks - 1) * bytes);
    }
}

// A memory that limits, by hand. N = 4, chunks of 1000 B, wire 100 B/s, so p = 10 s; memory 250 B/s.
//   step 1: reads 1000 B at up to 100 B/s beside writes at up to 100 B/s: 200 < 250, so 10 s
//   steps 2, 3: reads 2000 B at up to 200, writes 1000 B at up to 100. Half of 250 is 125, so the writes get their 100
//     and the reads 150; after 10 s the writes are done and 500 B of reads are left, at 200: 2.5 s. Together 12.5 s
//   final: reads 2000 and writes 1000 B at 250: 12 s (SMs: 3000 B at 80 x 100 B/s, 0.375 s)
//   all-gather: three times 10 s
// 10 + 2 x 12.5 + 12 + 30 = 77 s
TEST(Ring, is_slowed_by_a_memory_that_cannot_keep_up) {
  auto device = round_device();
  device.hbm_bandwidth = model::BytesPerSecond(250.0);
  const auto cluster = ring(4, {.bandwidth = 100.0}, device);
  const auto schedule = plan("sequential", CollectiveKind::ALL_REDUCE, {.ranks = 4, .bytes = 4000.0}, cluster);
  EXPECT_NEAR(played(cluster, schedule).end_s, 77.0, 77.0 * RELATIVE);
}

} // namespace
} // namespace tandem::test
