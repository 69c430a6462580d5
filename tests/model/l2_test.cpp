// What a GEMM reads through the L2: the two extremes exactly, one case between them by its formula, and what must hold
// for every size.
#include "model/gemm.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>

namespace tandem::model {
namespace {

constexpr double ENDLESS = 1e15, NONE = 0.0;

Device device_of(double l2) {
  Device device;
  device.sms = 8;
  device.l2 = Bytes(l2);
  device.peak["fp16"] = FlopsPerSecond(1e12);
  return device;
}

double reads(const Gemm& gemm, double l2, int sms, OutputPath path) {
  double sum = 0.0;
  for (const auto& stage : gemm_stages(gemm, device_of(l2), sms, path))
    sum += stage.reads.value();
  return sum;
}

/// Both operands once.
double compulsory(const Gemm& gemm) {
  return 2.0 * static_cast<double>(gemm.batch * (gemm.m * gemm.k + gemm.k * gemm.n));
}

/// Every stage reads the rows of A and columns of B that its tiles touch, once each, and keeps nothing.
double without_cache(const Gemm& gemm, int sms) {
  const auto device = device_of(NONE);
  const auto grid = tile_grid(gemm, device);
  double sum = 0.0;
  for (int first = 0; first < grid.tiles(); first += sms) {
    std::set<std::pair<int, int>> rows, columns; // batch, index
    for (int tile = first; tile < std::min(first + sms, grid.tiles()); ++tile) {
      rows.emplace(grid.batch_of(tile), grid.row_of(tile));
      columns.emplace(grid.batch_of(tile), grid.column_of(tile));
    }
    for (const auto& [batch, row] : rows)
      sum += 2.0 * static_cast<double>(gemm.k * std::min<std::int64_t>(128, gemm.m - std::int64_t{128} * row));
    for (const auto& [batch, column] : columns)
      sum += 2.0 * static_cast<double>(gemm.k * std::min<std::int64_t>(128, gemm.n - std::int64_t{128} * column));
  }
  return sum;
}

std::vector<Gemm> gemms() {
  std::vector<Gemm> list{{.m = 1, .n = 1, .k = 1},          {.m = 127, .n = 129, .k = 64},
                         {.m = 128, .n = 128, .k = 8},      {.m = 1000, .n = 999, .k = 17},
                         {.m = 2048, .n = 12288, .k = 384}, {.m = 300, .n = 200, .k = 9, .batch = 7}};
  std::mt19937 engine(11);
  const auto up_to = [&](std::int64_t limit) { return 1 + static_cast<std::int64_t>(engine()) % limit; };
  for (int i = 0; i < 60; ++i) {
    const auto m = up_to(3000), n = up_to(3000), k = up_to(2000);
    list.push_back({.m = m, .n = n, .k = k, .batch = 1 + i % 3});
  }
  return list;
}

TEST(L2, EndlessReadsEveryOperandOnce) {
  for (const auto& gemm : gemms())
    for (const auto path : {OutputPath::THROUGH_L2, OutputPath::BYPASS_L2})
      EXPECT_NEAR(reads(gemm, ENDLESS, 8, path), compulsory(gemm), 1e-6 * compulsory(gemm)) << gemm.m << "x" << gemm.n;
}

TEST(L2, OfNoSizeReadsThePanelsOfEveryStage) {
  for (const auto& gemm : gemms())
    for (const int sms : {1, 8, 80})
      for (const auto path : {OutputPath::THROUGH_L2, OutputPath::BYPASS_L2})
        EXPECT_DOUBLE_EQ(reads(gemm, NONE, sms, path), without_cache(gemm, sms)) << gemm.m << "x" << gemm.n;
}

TEST(L2, KeepsWhatRandomReplacementLeaves) {
  // 2 x 1 tiles of 128 x 128 on 1 SM, k = 100: a panel is 128 x 100 x 2 = 25600 bytes, a tile of output 32768. Stage 1
  // reads a0 and b: E = 51200, and with the output in the L2 83968. Into a cache of C = 64000 bytes x = E / C cache
  // sizes come; a line that came in at a random moment is still there with probability (1 - exp(-x)) / x. Stage 2 reads
  // a1 and what is gone of b.
  const Gemm gemm{.m = 256, .n = 128, .k = 100};
  const auto second = [&](OutputPath path) { return gemm_stages(gemm, device_of(64000), 1, path).at(1).reads.value(); };
  const auto expected = [](double x) { return 25600 + 25600 * (1 - (1 - std::exp(-x)) / x); };
  EXPECT_DOUBLE_EQ(second(OutputPath::BYPASS_L2), expected(51200.0 / 64000.0));
  EXPECT_DOUBLE_EQ(second(OutputPath::THROUGH_L2), expected(83968.0 / 64000.0));
}

TEST(L2, HoldsNothingOfAnotherBatch) {
  // the panels of batch 2 are other memory: twice the reads of one batch, however large the cache
  const Gemm one{.m = 256, .n = 256, .k = 64}, two{.m = 256, .n = 256, .k = 64, .batch = 2};
  EXPECT_NEAR(reads(two, ENDLESS, 4, OutputPath::BYPASS_L2), 2 * reads(one, ENDLESS, 4, OutputPath::BYPASS_L2), 1e-3);
  EXPECT_DOUBLE_EQ(reads(two, NONE, 4, OutputPath::BYPASS_L2), 2 * reads(one, NONE, 4, OutputPath::BYPASS_L2));
}

TEST(L2, ReadsBetweenTheExtremesAndNeverMoreWithMoreOfIt) {
  for (const auto& gemm : gemms())
    for (const int sms : {3, 8, 80})
      for (const auto path : {OutputPath::THROUGH_L2, OutputPath::BYPASS_L2}) {
        SCOPED_TRACE(fmt::format("{}x{}x{}x{} on {} SMs", gemm.m, gemm.n, gemm.k, gemm.batch, sms));
        double before = reads(gemm, NONE, sms, path);
        for (double l2 = 1e3; l2 < 1e9; l2 *= 1.7) {
          const double now = reads(gemm, l2, sms, path);
          ASSERT_LE(now, before * (1 + 1e-12)) << l2;
          ASSERT_GE(now, compulsory(gemm) * (1 - 1e-12)) << l2;
          before = now;
        }
      }
}

TEST(L2, NeverReadsMoreWhenTheOutputPassesItBy) {
  for (const auto& gemm : gemms())
    for (const int sms : {3, 8, 80})
      for (double l2 = 1e4; l2 < 1e9; l2 *= 4.1)
        ASSERT_LE(reads(gemm, l2, sms, OutputPath::BYPASS_L2),
                  reads(gemm, l2, sms, OutputPath::THROUGH_L2) * (1 + 1e-12))
            << gemm.m << "x" << gemm.n << "x" << gemm.k << " on " << sms << " SMs, L2 " << l2;
}

/// Work, writes and stages do not depend on the cache.
TEST(L2, ChangesNothingButReads) {
  const Gemm gemm{.m = 1000, .n = 999, .k = 170};
  const auto small = gemm_stages(gemm, device_of(1e4), 8, OutputPath::THROUGH_L2);
  const auto large = gemm_stages(gemm, device_of(1e8), 8, OutputPath::BYPASS_L2);
  ASSERT_EQ(small.size(), large.size());
  for (std::size_t i = 0; i < small.size(); ++i) {
    EXPECT_EQ(small[i].writes, large[i].writes);
    EXPECT_EQ(small[i].sm_seconds, large[i].sm_seconds);
    EXPECT_EQ(small[i].tiles, large[i].tiles);
  }
}

} // namespace
} // namespace tandem::model
