// GEMM: sizes, tiles, stages, and what the stages read through the L2, against numbers derived by hand.
#include "base/error.h"
#include "model/gemm.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace tandem::model {
namespace {

Device device_of(int sms, double l2, int tile_m = 128, int tile_n = 128) {
  Device device;
  device.name = "test";
  device.sms = sms;
  device.tile_m = tile_m;
  device.tile_n = tile_n;
  device.l2 = Bytes(l2);
  device.peak["fp16"] = FlopsPerSecond(4e12);
  device.peak["fp32"] = FlopsPerSecond(1e12);
  return device;
}

TEST(Gemm, CountsFlopsAndBytes) {
  const Gemm gemm{.m = 3, .n = 5, .k = 7, .batch = 2};
  EXPECT_EQ(gemm.flops().value(), 2.0 * 3 * 5 * 7 * 2);
  EXPECT_EQ(gemm.output().value(), 3.0 * 5 * 2 * 2); // fp16
  const auto bytes = [](const char* precision) { return Gemm{.precision = precision}.element_bytes(); };
  EXPECT_EQ(bytes("fp32"), 4);
  EXPECT_EQ(bytes("tf32"), 4);
  EXPECT_EQ(bytes("bf16"), 2);
  EXPECT_EQ(bytes("fp8"), 1);
  EXPECT_THROW((void)bytes("int4"), base::UserError);
  // beyond 2^53 FLOP nothing overflows
  EXPECT_DOUBLE_EQ((Gemm{.m = 1 << 20, .n = 1 << 20, .k = 1 << 20}).flops().value(), std::pow(2.0, 61));
}

TEST(TileGrid, RoundsUp) {
  const auto device = device_of(4, 0);
  const auto grid = [&](std::int64_t m, std::int64_t n, std::int64_t batch = 1) {
    return tile_grid({.m = m, .n = n, .k = 1, .batch = batch}, device);
  };
  EXPECT_EQ(grid(1, 1).tiles(), 1);
  EXPECT_EQ(grid(128, 128).tiles(), 1);
  EXPECT_EQ(grid(129, 128).tiles(), 2);
  EXPECT_EQ(grid(129, 129).tiles(), 4);
  EXPECT_EQ(grid(1000, 999).tiles(), 64);     // 8 x 8
  EXPECT_EQ(grid(16384, 3072).tiles(), 3072); // 128 x 24
  EXPECT_EQ(grid(300, 200, 7).tiles(), 42);   // 3 x 2 x 7
}

TEST(TileGrid, WalksAlongTheShorterEdge) {
  const auto device = device_of(4, 0);
  // 2 rows, 3 columns: down the columns; tile 3 is row 1 of column 1
  const auto wide = tile_grid({.m = 256, .n = 384, .k = 1}, device);
  std::vector<std::pair<int, int>> order;
  for (int tile = 0; tile < wide.tiles(); ++tile)
    order.emplace_back(wide.row_of(tile), wide.column_of(tile));
  EXPECT_EQ(order, (std::vector<std::pair<int, int>>{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}}));
  // 3 rows, 2 columns: along the rows; two batches one after the other
  const auto tall = tile_grid({.m = 384, .n = 256, .k = 1, .batch = 2}, device);
  EXPECT_EQ(tall.row_of(3), 1);
  EXPECT_EQ(tall.column_of(3), 1);
  EXPECT_EQ(tall.batch_of(5), 0);
  EXPECT_EQ(tall.batch_of(6), 1);
  EXPECT_EQ(tall.row_of(9), 1);
  EXPECT_EQ(tall.column_of(9), 1);
}

TEST(TileGrid, RefusesMoreTilesThanItCanCount) {
  const auto device = device_of(4, 0);
  EXPECT_NO_THROW((void)tile_grid({.m = 128 << 12, .n = 128 << 12, .k = 1}, device)); // 2^24
  for (const Gemm& gemm :
       {Gemm{.m = (128 << 12) + 1, .n = 128 << 12, .k = 1}, Gemm{.m = 1, .n = 1, .k = 1, .batch = (1 << 24) + 1},
        Gemm{.m = std::numeric_limits<std::int64_t>::max() / 2, .n = 1 << 30, .k = 1},
        Gemm{.m = 1 << 30, .n = std::numeric_limits<std::int64_t>::max() / 2, .k = 1}})
    EXPECT_THROW((void)tile_grid(gemm, device), base::UserError);
}

TEST(TileBytes, AreSmallerAtTheEdges) {
  // 300 x 200: rows of 128, 128, 44; columns of 128, 72; walked along the rows
  const Gemm gemm{.m = 300, .n = 200, .k = 9, .batch = 2};
  const auto device = device_of(4, 0);
  const std::vector<double> elements{128 * 128, 128 * 72, 128 * 128, 128 * 72, 44 * 128, 44 * 72};
  for (int tile = 0; tile < 12; ++tile)
    EXPECT_EQ(tile_bytes(gemm, device, tile).value(), 2 * elements[static_cast<std::size_t>(tile % 6)]) << tile;
}

TEST(TileTime, IsThatOfAFullTileOnOneSm) {
  // 2 x 128 x 128 x 500 FLOP; one of 8 SMs does 4e12 x 0.8 / 8 FLOP/s
  auto device = device_of(8, 0);
  device.gemm_efficiency = 0.8;
  EXPECT_DOUBLE_EQ(tile_time({.m = 1, .n = 1, .k = 500}, device).value(), 2.0 * 128 * 128 * 500 / 4e11);
  try {
    (void)tile_time({.m = 1, .n = 1, .k = 1, .precision = "fp8"}, device);
    FAIL() << "a precision without a peak was accepted";
  } catch (const base::UserError& error) {
    EXPECT_EQ(std::string(error.what()), "device test: unknown precision 'fp8'; allowed: fp16, fp32");
  }
}

TEST(Stages, AreWavesOfTilesAndTheLastIsShort) {
  // 5 x 3 tiles on 4 SMs: 4 + 4 + 4 + 3; an edge tile costs as much SM time as a whole one
  const Gemm gemm{.m = 600, .n = 300, .k = 100};
  const auto device = device_of(4, 0);
  const auto stages = gemm_stages(gemm, device, 4, OutputPath::THROUGH_L2);
  ASSERT_EQ(stages.size(), 4u);
  const double tile = tile_time(gemm, device).value();
  double written = 0.0;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    EXPECT_EQ(stages[i].first, static_cast<int>(4 * i));
    EXPECT_EQ(stages[i].count, i < 3 ? 4 : 3);
    EXPECT_EQ(stages[i].tiles, stages[i].count);
    EXPECT_DOUBLE_EQ(stages[i].sm_seconds, tile * stages[i].tiles);
    written += stages[i].writes.value();
  }
  EXPECT_EQ(written, gemm.output().value());
  // first stage: row 0 (128, 128, 44 wide) and the first tile of row 1
  EXPECT_EQ(stages[0].writes.value(), 2.0 * (128 * 128 + 128 * 128 + 128 * 44 + 128 * 128));
  // on fewer SMs than the device has there are more stages of the same work
  EXPECT_EQ(gemm_stages(gemm, device, 1, OutputPath::THROUGH_L2).size(), 15u);
  EXPECT_EQ(gemm_stages(gemm, device, 100, OutputPath::THROUGH_L2).size(), 1u);
}

TEST(Stages, SkipSlotsWithoutATile) {
  const Gemm gemm{.m = 256, .n = 128, .k = 10};
  const auto stages =
      gemm_stages(gemm, device_of(2, 0), 2, OutputPath::BYPASS_L2, {1, NO_TILE, NO_TILE, NO_TILE, NO_TILE, 0});
  ASSERT_EQ(stages.size(), 3u);
  EXPECT_EQ(stages[0].tiles, 1);
  EXPECT_EQ(stages[1].tiles, 0);
  EXPECT_EQ(stages[1].count, 2);
  EXPECT_EQ(stages[1].reads.value(), 0.0);
  EXPECT_EQ(stages[1].writes.value(), 0.0);
  EXPECT_EQ(stages[1].sm_seconds, 0.0);
  EXPECT_EQ(stages[2].writes.value(), 2.0 * 128 * 128);
}

} // namespace
} // namespace tandem::model
