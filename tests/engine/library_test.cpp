// What a communication library adds to an algorithm, against closed forms: docs/models.md, "Libraries".
#include "collective/strategy.h"
#include "collective/verify.h"
#include "engine/child.h"
#include "engine/machines.h"
#include "engine/proven.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace tandem::test {
namespace {

using model::BytesPerSecond;
using model::CollectiveKind;
using model::Seconds;

model::Cluster with_library(model::Cluster cluster, const std::string& algorithm, double base_s,
                            const model::Protocol::Hop& hop) {
  model::Library library;
  library.name = "made up";
  library.entries.push_back({algorithm, {.name = "Simple", .base = Seconds(base_s)}});
  for (auto& over : library.entries[0].protocol.hops)
    over = hop;
  cluster.library = std::make_shared<const model::Library>(library);
  return cluster;
}

double time_of(const model::Cluster& cluster, const std::string& strategy, int ranks, double bytes,
               CollectiveKind kind = CollectiveKind::ALL_REDUCE) {
  const model::CollectiveOp op{.kind = kind, .ranks = ranks, .bytes = model::Bytes(bytes)};
  const collective::Request request{op, std::nullopt};
  return played(cluster, proven(strategy, request, cluster)).end_s;
}

constexpr double BANDWIDTH = 1e11, LATENCY_S = 7e-7, BYTES = 8.0 * 1024 * 1024;

// base + 14 (c w / b + l + l_protocol), c = B/8, with w bytes on the wire per byte; a rate below b / w takes its place.
TEST(Library, AddsItsLaunchLatencyAndOverheadToARing) {
  constexpr int RANKS = 8;
  const auto bare = switched(RANKS, {.bandwidth = BANDWIDTH, .latency_s = LATENCY_S}, fast_device(0.0));
  constexpr double BASE_S = 6e-6, STEP_S = 4e-7, FACTOR = 1.25, CHUNK = BYTES / RANKS, RATE = 2e10;
  const model::Protocol::Hop wide{.latency = Seconds(STEP_S), .wire_factor = FACTOR, .is_known = true};
  auto narrow = wide;
  narrow.rate = BytesPerSecond(RATE);
  const double latencies = BASE_S + 14 * (LATENCY_S + STEP_S);
  EXPECT_NEAR(time_of(with_library(bare, "ring", BASE_S, wide), "ring:protocol=simple", RANKS, BYTES),
              latencies + 14 * CHUNK * FACTOR / BANDWIDTH, 1e-9 * 1e-3);
  EXPECT_NEAR(time_of(with_library(bare, "ring", BASE_S, narrow), "ring:protocol=simple", RANKS, BYTES),
              latencies + 14 * CHUNK / RATE, 1e-9 * 1e-3);
  // two channels share the rate
  EXPECT_NEAR(time_of(with_library(bare, "ring", BASE_S, narrow), "ring:protocol=simple:channels=2", RANKS, BYTES),
              latencies + 14 * CHUNK / RATE, 1e-9 * 1e-3);
}

/// The library states costs of a ring only. Between 2^k ranks Bruck and PAT take k steps, each a message with the
/// protocol's latency, over which c (N-1) bytes go; a grid of 4 x 2 takes 3 + 1 steps.
TEST(Library, AlgorithmsThatItDoesNotNameHaveTheCostsOfARing) {
  constexpr int RANKS = 8;
  constexpr double BASE_S = 6e-6, STEP_S = 4e-7, FACTOR = 1.25, CHUNK = BYTES / RANKS;
  const auto cluster =
      with_library(switched(RANKS, {.bandwidth = BANDWIDTH, .latency_s = LATENCY_S}, fast_device(0.0)), "ring", BASE_S,
                   {.latency = Seconds(STEP_S), .wire_factor = FACTOR, .is_known = true});
  const model::CollectiveOp op{.kind = CollectiveKind::ALL_GATHER, .ranks = RANKS, .bytes = model::Bytes(BYTES)};
  for (const auto& [strategy, steps] : std::vector<std::pair<std::string, int>>{
           {"bruck", 3}, {"pat", 3}, {"halving-doubling", 3}, {"torus:dims=4x2", 4}}) {
    const auto schedule = proven(strategy + ":protocol=simple", {op, std::nullopt}, cluster);
    EXPECT_EQ(schedule.protocol->name, "Simple of ring") << strategy;
    EXPECT_NEAR(played(cluster, schedule).end_s,
                BASE_S + steps * (LATENCY_S + STEP_S) + (RANKS - 1) * CHUNK * FACTOR / BANDWIDTH, 1e-9 * 1e-3)
        << strategy;
  }
  EXPECT_EQ(proven("ring:protocol=simple", {op, std::nullopt}, cluster).protocol->name, "Simple");
  const auto why_not = [&](const std::string& strategy) {
    return collective::select_strategy(strategy).strategy->why_not({op, std::nullopt}, cluster);
  };
  EXPECT_EQ(why_not("pat:protocol=ll"), "library made up has no pat LL, only ring Simple");
  EXPECT_EQ(why_not("direct:protocol=simple"), "library made up has no direct Simple, only ring Simple");
}

// Sums: 7/8 B goes up from each GPU, 1/8 B comes down; copies: the other way round. In one chunk one after the other,
// in m chunks beside each other but for the first one's sums and the last one's copies.
TEST(Library, ASwitchThatAddsAndCopiesHalvesTheBytes) {
  constexpr int RANKS = 8;
  auto cluster = switched(RANKS, {.bandwidth = BANDWIDTH, .latency_s = LATENCY_S}, fast_device(0.0));
  cluster.node_reduces_in_switch = true;
  const double way = BYTES * 7 / 8 / BANDWIDTH;
  EXPECT_NEAR(time_of(cluster, "nvls:chunks=1", RANKS, BYTES), 2 * way + 2 * LATENCY_S, 1e-9 * way);
  EXPECT_LT(time_of(cluster, "nvls:chunks=64", RANKS, BYTES), 1.2 * way);
  EXPECT_GT(time_of(cluster, "nvls:chunks=64", RANKS, BYTES), way);
  cluster.node_reduces_in_switch = false;
  const model::CollectiveOp op{.kind = CollectiveKind::ALL_REDUCE, .ranks = RANKS, .bytes = model::Bytes(BYTES)};
  EXPECT_NE(collective::select_strategy("nvls").strategy->why_not({op, std::nullopt}, cluster), "");
}

/// ASTRA-sim's ring: T = splits x [2(N-1)(step + 10) + (N-1) x 3 floor(m/mem) + 10] ns, m = floor(S/splits/N), step =
/// floor(latency + m/B), B in GiB/s.
double astra_ns(int ranks, double bytes, int splits, double mem) {
  const double m = std::floor(bytes / splits / ranks), step = std::floor(500.0 + m / (50 * 1.073741824));
  return splits * (2 * (ranks - 1) * (step + 10) + (ranks - 1) * 3 * std::floor(m / mem) + 10);
}

/// The same machine: 50 GiB/s and 500 ns to the next NPU, 10 ns per message and per collective, one SM that adds at
/// `mem` (two loads and a store), engines that move; splits one after another.
double tandem_ns(int ranks, double bytes, int splits, double mem) {
  auto device = fast_device(0.0);
  device.sm_copy_bandwidth = BytesPerSecond(mem * 1e9);
  device.copy_engines = 1;
  device.sms = 1;
  auto cluster = with_library(ring(ranks, {.bandwidth = 50 * 1.073741824e9, .latency_s = 500e-9}, device), "ring",
                              10e-9, {.latency = Seconds(10e-9), .is_known = true});
  return 1e9 * splits * time_of(cluster, "ring:protocol=simple:mover=ce", ranks, bytes / splits);
}

/// With a root, every GPU has all of the payload to send or to take, in one message, which has the whole rate.
TEST(Library, ASwitchSpreadsARootsPayloadAtTheProtocolsRate) {
  constexpr int RANKS = 8;
  constexpr double BASE_S = 6e-6, RATE = 2e10;
  auto cluster = with_library(switched(RANKS, {.bandwidth = BANDWIDTH, .latency_s = LATENCY_S}, fast_device(0.0)),
                              "nvls", BASE_S, {.is_known = true, .rate = BytesPerSecond(RATE)});
  cluster.node_reduces_in_switch = true;
  for (const auto kind : {CollectiveKind::BROADCAST, CollectiveKind::REDUCE})
    EXPECT_NEAR(time_of(cluster, "nvls:protocol=simple", RANKS, BYTES, kind), BASE_S + BYTES / RATE + LATENCY_S,
                1e-9 * 1e-3);
}

TEST(Library, AgreesWithAstraSimOnItsMachine) {
  constexpr double MIB = 1048576.0;
  EXPECT_EQ(astra_ns(8, MIB, 4, 1600), 64440);
  EXPECT_EQ(astra_ns(8, MIB, 4, 50), 117780);
  EXPECT_NEAR(tandem_ns(8, MIB, 4, 1600), 64440, 0.005 * 64440);
  EXPECT_NEAR(tandem_ns(8, MIB, 4, 50), 117780, 0.005 * 117780);
  for (const int ranks : {8, 64})
    for (const double bytes : {MIB, 1024 * MIB})
      for (const double mem : {1600.0, 50.0}) {
        const double expected = astra_ns(ranks, bytes, 4, mem);
        EXPECT_NEAR(tandem_ns(ranks, bytes, 4, mem), expected, 0.005 * expected)
            << fmt::format("{} NPUs, {} B, local memory {}", ranks, bytes, mem);
      }
}

} // namespace
} // namespace tandem::test
