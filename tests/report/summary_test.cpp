// Summary per strategy: means derived by hand, absent figures, most frequent limit.
#include "report/summary.h"

#include "report/fakes.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tandem::report {
namespace {

TEST(Summary, FiguresOverTwoCases) {
  model::Comparison comparison = fakes::two_cases();
  comparison.cases[4].dram.gemm_read = 0.1e9; // t3 of the second case
  const std::vector<StrategySummary> all = summarize(comparison);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].strategy, "sequential");
  EXPECT_EQ(*all[0].geomean_speedup, 1.0);
  EXPECT_EQ(*all[0].mean_dram_reduction, 0.0);

  const StrategySummary& t3 = all[1];
  EXPECT_EQ(t3.strategy, "t3");
  EXPECT_EQ(t3.count, 2U);
  EXPECT_FALSE(t3.ideal);
  // Speed-ups 1.25 and 2: geometric mean sqrt(2.5).
  EXPECT_NEAR(*t3.geomean_speedup, std::sqrt(2.5), 1e-12);
  EXPECT_EQ(*t3.max_speedup, 2.0);
  EXPECT_EQ(*t3.min_speedup, 1.25);
  // DRAM 0.8 and 0.7 GB of 1 GB: 0.2 and 0.3 less, mean 0.25.
  EXPECT_NEAR(*t3.mean_dram_reduction, 0.25, 1e-12);
  EXPECT_NEAR(*t3.max_dram_reduction, 0.3, 1e-12);
  // GEMM reads 0.4 / 0.2 = 2 and 0.4 / 0.1 = 4: geometric mean sqrt(8).
  EXPECT_NEAR(*t3.gemm_read_ratio_geomean, std::sqrt(8.0), 1e-12);
  EXPECT_TRUE(all[2].ideal);
}

TEST(Summary, FiguresAreAbsentWithoutWhatTheyNeed) {
  model::Comparison comparison = fakes::two_cases();
  comparison.cases = {comparison.cases[1]};
  comparison.cases[0].speedup = 0;
  const StrategySummary summary = summarize(comparison).at(0);
  EXPECT_EQ(summary.count, 1U);
  EXPECT_FALSE(summary.geomean_speedup || summary.max_speedup || summary.min_speedup);
  EXPECT_FALSE(summary.mean_dram_reduction || summary.max_dram_reduction || summary.gemm_read_ratio_geomean);
}

TEST(Summary, CasesThatDifferInAnyKeyAreNotCompared) {
  model::Comparison comparison = fakes::two_cases();
  comparison.cases[0].platform = "other.xml"; // the first case's baseline now belongs to no t3
  ASSERT_EQ(case_groups(comparison).size(), 3U);
  EXPECT_NEAR(*summarize(comparison)[1].mean_dram_reduction, 0.2, 1e-12); // of the second case alone
}

TEST(Summary, MostFrequentLimitByItsKind) {
  EXPECT_EQ(limit_kind("links (80 % busy)"), "links");
  EXPECT_EQ(limit_kind("HBM: 90 % busy"), "HBM");
  EXPECT_EQ(limit_kind("launch"), "launch");
  model::Comparison comparison =
      fakes::comparison({fakes::case_of({}, 0.8e-3), fakes::case_of({"B"}, 0.8e-3), fakes::case_of({"C"}, 0.8e-3)});
  comparison.cases[1].limit = "HBM: 70 % busy";
  comparison.cases[4].limit = "links (80 % busy)";
  comparison.cases[7].limit = "links (95 % busy)";
  const StrategySummary t3 = summarize(comparison)[1];
  EXPECT_EQ(t3.limit, "links");
  EXPECT_EQ(t3.limit_count, 2U);
}

} // namespace
} // namespace tandem::report
