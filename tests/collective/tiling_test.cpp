// A GEMM's output as pieces, chunks and staggered stages: every tile once, whatever the sizes.
#include "built_clusters.h"
#include "every_strategy.h"

#include "collective/tiling.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numeric>

namespace tandem::collective {
namespace {

using model::Gemm;
using model::OutputPath;

/// 5 x 3 tiles of 128 x 128, on 4 ranks, 2 SMs: 15 tiles in chunks of 3, 4, 4, 4; pieces_per_chunk 4, the first chunk
/// with an empty last piece.
struct Example {
  Request request = fused(4, {.m = 600, .n = 300, .k = 10});
  model::Device device = small_device();
  Example() { device.sms = 2; }
};

TEST(Tiling, CutsTilesIntoChunks) {
  const Example example;
  const Tiling tiling(example.request, example.device);
  EXPECT_EQ(tiling.pieces_per_chunk(), 4u);
  // 600 = 4 x 128 + 88 rows, 300 = 2 x 128 + 44 columns, 2 bytes each; 3 columns and 5 rows: row by row
  const double full = 128 * 128 * 2, right = 128 * 44 * 2, lower = 88 * 128 * 2, corner = 88 * 44 * 2;
  EXPECT_EQ(tiling.piece_bytes(), (std::vector<double>{full, full, right, 0,    //
                                                       full, full, right, full, //
                                                       full, right, full, full, //
                                                       right, lower, lower, corner}));
}

TEST(Tiling, StagesTakeTheNeighboursChunkFirstAndTheOwnLast) {
  const Example example;
  const Tiling tiling(example.request, example.device);
  // Rank 0 makes chunks 3, 2, 1, 0. 16 slots, 2 at a time; the last slot of chunk 0 is empty.
  const auto stages = tiling.stages(OutputPath::BYPASS_L2);
  ASSERT_EQ(stages.size(), 8u);
  const double full = 128 * 128 * 2, right = 128 * 44 * 2, lower = 88 * 128 * 2, corner = 88 * 44 * 2;
  const std::vector<double> writes{right + lower, lower + corner, full + right, full + full,
                                   full + full,   right + full,   full + full,  right};
  for (std::size_t i = 0; i < stages.size(); ++i) {
    EXPECT_EQ(stages[i].writes.value(), writes[i]) << i;
    EXPECT_EQ(stages[i].tiles, i == 7 ? 1 : 2) << i;
  }
  for (int position = 0; position < 4; ++position)
    EXPECT_EQ((4 + owner_at(position)) % 4, 3 - position);
}

TEST(Tiling, SegmentsSplitAStageAtChunks) {
  Example example;
  example.device.sms = 6; // slots 0-5, 6-11, 12-15; a chunk has 4
  const Tiling tiling(example.request, example.device);
  const auto stages = tiling.stages(OutputPath::BYPASS_L2);
  ASSERT_EQ(stages.size(), 3u);
  const auto text = [&](std::size_t stage) {
    std::string all;
    for (const auto& segment : tiling.segments(stages[stage]))
      all += fmt::format("{}:{}+{} ", segment.position, segment.first, segment.count);
    return all;
  };
  EXPECT_EQ(text(0), "0:0+4 1:0+2 ");
  EXPECT_EQ(text(1), "1:2+2 2:0+4 ");
  EXPECT_EQ(text(2), "3:0+4 ");
}

TEST(Tiling, CoversEveryTileOnceAtEverySize) {
  for (const Gemm& gemm : {Gemm{.m = 1, .n = 1, .k = 1}, Gemm{.m = 127, .n = 129, .k = 64},
                           Gemm{.m = 128, .n = 128, .k = 8}, Gemm{.m = 1000, .n = 999, .k = 17},
                           Gemm{.m = 129, .n = 5000, .k = 3}, Gemm{.m = 300, .n = 200, .k = 9, .batch = 7}})
    for (const int ranks : {1, 2, 3, 4, 5, 7, 8, 13, 16, 64})
      for (const int sms : {1, 7, 80}) {
        SCOPED_TRACE(fmt::format("{}x{}x{} on {} ranks, {} SMs", gemm.m, gemm.n, gemm.batch, ranks, sms));
        auto device = small_device();
        device.sms = sms;
        const Tiling tiling(fused(ranks, gemm), device);
        const auto bytes = tiling.piece_bytes();
        const int per_chunk = static_cast<int>(tiling.pieces_per_chunk());
        ASSERT_EQ(bytes.size(), static_cast<std::size_t>(ranks * per_chunk));
        EXPECT_EQ(std::accumulate(bytes.begin(), bytes.end(), 0.0), gemm.output().value());

        // Chunks differ by a tile at most; what is missing is at their end.
        const int tiles = model::tile_grid(gemm, device).tiles();
        for (int chunk = 0; chunk < ranks; ++chunk) {
          const auto begin = bytes.begin() + chunk * per_chunk, end = begin + per_chunk;
          const auto filled = std::find(begin, end, 0.0) - begin;
          EXPECT_TRUE(filled == tiles / ranks || filled == (tiles + ranks - 1) / ranks);
          EXPECT_EQ(std::count(begin, end, 0.0), per_chunk - filled);
        }

        // Stages and their segments walk through all slots in order, and write every piece where it lies.
        int slot = 0, made = 0;
        double written = 0.0;
        for (const auto& stage : tiling.stages(OutputPath::THROUGH_L2)) {
          EXPECT_EQ(stage.first, slot);
          EXPECT_LE(stage.count, sms);
          double in_stage = 0.0;
          for (const auto& segment : tiling.segments(stage)) {
            EXPECT_EQ(segment.position * per_chunk + static_cast<int>(segment.first), slot);
            EXPECT_LE(segment.first + segment.count, tiling.pieces_per_chunk());
            const int chunk = ((owner_at(segment.position) % ranks) + ranks) % ranks;
            for (std::uint32_t piece = 0; piece < segment.count; ++piece)
              in_stage += bytes[static_cast<std::size_t>(chunk * per_chunk) + segment.first + piece];
            slot += static_cast<int>(segment.count);
          }
          EXPECT_EQ(stage.writes.value(), in_stage);
          EXPECT_EQ(stage.first + stage.count, slot);
          written += in_stage;
          made += stage.tiles;
        }
        EXPECT_EQ(slot, ranks * per_chunk);
        EXPECT_EQ(made, tiles);
        EXPECT_EQ(written, gemm.output().value());
      }
}

} // namespace
} // namespace tandem::collective
