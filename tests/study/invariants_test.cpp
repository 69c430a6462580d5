// What T3's evaluation must show without any calibration, by arithmetic alone: times of the ideal, DRAM accesses in
// chunks, and what near-memory reduction saves.
#include "study/simulate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

namespace tandem::study {
namespace {

constexpr double EXACT = 1e-12;

const std::string SMALL_MODELS = R"(
title: invariants
platform: ../platforms/t3-ring-{tp}.xml
strategies: [sequential]
precision: fp16
tp: [2, 4, 8, 16, 32]
models:
  - {name: Mega-GPT-2, hidden: 3072, layers: 74, heads: 24, sequence: 1024, tokens: 16384}
  - {name: T-NLG, hidden: 4256, layers: 78, heads: 28, sequence: 1024, tokens: 8192}
sublayers: [OP, FC-2, FC-1, IP]
)";

/// The results of one case by strategy.
using ByStrategy = std::map<std::string, model::CaseResult>;

/// Calls `check` for every case of the workload with its results and the size of a chunk.
void for_each_case(const model::Workload& workload, const std::vector<std::string>& strategies,
                   const std::function<void(const ByStrategy&, double chunk)>& check) {
  std::map<std::string, model::Cluster> clusters;
  std::vector<Job> runs;
  for (const auto& described : workload.cases) {
    const auto file = described.platform.substr(described.platform.rfind('/') + 1);
    if (!clusters.contains(file))
      clusters[file] = shipped_platform(file);
    for (const auto& strategy : strategies)
      runs.push_back({described, strategy, clusters[file]});
  }
  const auto results = simulate_all(runs);
  for (std::size_t first = 0; first < results.size(); first += strategies.size()) {
    ByStrategy by_strategy;
    for (std::size_t i = 0; i < strategies.size(); ++i)
      by_strategy[strategies[i]] = results[first + i];
    const auto& described = runs[first].described;
    SCOPED_TRACE(fmt::format("{} TP {} {}", described.model, described.tp, described.sublayer));
    check(by_strategy, described.items.front().gemm->output().value() / described.tp);
  }
}

/// D1 to D4 of one case; the paper's ring has N GPUs and the output N chunks.
void expect_invariants(const ByStrategy& results, double chunk) {
  const auto& alone = results.at("sequential");
  const double n = alone.tp;
  // D1: sequential = GEMM + RS + AG; ideal-overlap = max(GEMM, RS) + AG with the same times.
  EXPECT_LE(relative_error(alone.time_s, alone.gemm_s + alone.rs_s + alone.ag_s), EXACT);
  EXPECT_LE(relative_error(results.at("ideal-overlap").time_s, std::max(alone.gemm_s, alone.rs_s) + alone.ag_s), EXACT);

  // D2: RS reads. A ring step reads the own part, from the second on also the incoming one, and the final reduce both:
  // 1 + 2 (N - 2) + 2 = 2 N - 1. T3 reads a block when it sends it on, which are N - 2 chunks: the first chunk goes out
  // as it is made, the own one stays.
  EXPECT_LE(relative_error(alone.dram.rs_read, (2 * n - 1) * chunk), EXACT);
  for (const auto* fused : {"t3", "t3-mca"}) {
    const auto& dram = results.at(fused).dram;
    if (n > 2) {
      EXPECT_LE(relative_error(dram.rs_read, (n - 2) * chunk), EXACT) << fused;
    } else {
      EXPECT_EQ(dram.rs_read, 0.0) << fused;
    }
    // D3: writes. Sequential: N by the GEMM, N - 1 incoming, 1 final. T3: N - 1 local, N - 1 incoming.
    EXPECT_LE(relative_error(dram.gemm_write + dram.rs_write, (2 * n - 2) * chunk), EXACT) << fused;
  }
  EXPECT_LE(relative_error(alone.dram.gemm_write + alone.dram.rs_write, 2 * n * chunk), EXACT);

  // D4: the all-gather reads and writes N - 1 chunks, whatever comes before it.
  for (const auto& [strategy, result] : results) {
    EXPECT_LE(relative_error(result.dram.ag_read, (n - 1) * chunk), EXACT) << strategy;
    EXPECT_LE(relative_error(result.dram.ag_write, (n - 1) * chunk), EXACT) << strategy;
  }
}

TEST(Invariants, OfTheSmallModelsHoldOnEveryRing) {
  int cases = 0;
  for_each_case(workload_of(SMALL_MODELS), {"sequential", "ideal-overlap", "t3", "t3-mca"},
                [&](const ByStrategy& results, double chunk) {
                  expect_invariants(results, chunk);
                  ++cases;
                });
  EXPECT_EQ(cases, 2 * 5 * 4);
}

TEST(Invariants, OfTheLargeModelsHoldOn32Gpus) {
  int cases = 0;
  for_each_case(shipped_workload("t3-large.yaml"), {"sequential", "ideal-overlap", "t3", "t3-mca"},
                [&](const ByStrategy& results, double chunk) {
                  expect_invariants(results, chunk);
                  ++cases;
                });
  EXPECT_EQ(cases, 3 * 4);
}

/// D5: near-memory reduction spares the final reduce, 3 accesses to a chunk at 1 TB/s, of an RS whose N - 1 steps move
/// a chunk at 150 GB/s each: (3 / 1000) / ((N - 1) / 150) = 0.45 / (N - 1), 6.4 % at N = 8 and 3.0 % at N = 16.
TEST(Invariants, NearMemoryReductionSparesTheFinalReduce) {
  for_each_case(workload_of(SMALL_MODELS), {"sequential", "ideal-rs-nmc"}, [](const ByStrategy& results, double) {
    const auto& alone = results.at("sequential");
    const double faster = alone.rs_s / results.at("ideal-rs-nmc").rs_s - 1.0;
    EXPECT_NEAR(100 * faster, 45.0 / (alone.tp - 1), 0.5);
  });
}

} // namespace
} // namespace tandem::study
