// Cutting payloads, spans of chunks, labels, and schedules of single kernels.
#include "built_clusters.h"
#include "every_strategy.h"

#include "collective/composer.h"
#include "collective/kernels.h"
#include "collective/verify.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace tandem::collective {
namespace {

using model::Access;
using model::CollectiveKind;
using model::Phase;

TEST(Composer, CutsPayloadsIntoWholeBytes) {
  EXPECT_EQ(split_bytes(model::Bytes(10), 4), (std::vector<double>{2, 3, 2, 3}));
  EXPECT_EQ(split_bytes(model::Bytes(0), 3), (std::vector<double>{0, 0, 0}));
  for (const double bytes : {1.0, 3.0, 63.0, 64.0, 1000003.0, 8589934592.0, 1e15})
    for (const std::size_t parts : {1U, 2U, 7U, 64U, 1000U}) {
      const auto pieces = split_bytes(model::Bytes(bytes), parts);
      const auto [least, most] = std::minmax_element(pieces.begin(), pieces.end());
      EXPECT_EQ(std::accumulate(pieces.begin(), pieces.end(), 0.0), bytes);
      EXPECT_LE(*most - *least, 1.0);
      EXPECT_TRUE(std::all_of(pieces.begin(), pieces.end(), [](double piece) { return piece == std::floor(piece); }));
    }
}

TEST(Composer, ChunksAreOffsetsFromTheRank) {
  const auto cluster = ring_of(4);
  const auto request = plain(CollectiveKind::ALL_REDUCE, 4, 96);
  Composer composer("test", request, cluster, 3); // 12 pieces of 8 bytes
  const auto is = [](Span span, std::uint32_t first, std::uint32_t count) {
    return span.first == first && span.count == count;
  };
  EXPECT_TRUE(is(composer.chunk(0, composer.whole()), 0, 3));
  EXPECT_TRUE(is(composer.chunk(-1, composer.whole()), 9, 3));
  EXPECT_TRUE(is(composer.chunk(-5, {1, 2}), 10, 2)); // the same chunk, once more round
  EXPECT_TRUE(is(composer.chunk(6, {2, 1}), 8, 1));
  EXPECT_TRUE(is(composer.all(), 0, 12));
  EXPECT_EQ(composer.label("a"), 0);
  EXPECT_EQ(composer.label("b"), 1);
  EXPECT_EQ(composer.label("a"), 0);
}

TEST(Kernels, BookTheirTrafficAsOther) {
  const auto cluster = ring_of(2);
  const auto gemm = kernel_schedule("attention", model::Gemm{.m = 300, .n = 300, .k = 64, .batch = 2}, 2, cluster);
  const auto vector =
      kernel_schedule("norm", model::VectorKernel{model::Flops(1e9), model::Bytes(3e6), model::Bytes(2e6)}, 2, cluster);
  double written = 0.0, read = 0.0;
  for (const auto* schedule : {&gemm, &vector}) {
    EXPECT_EQ(verify(*schedule), "");
    EXPECT_FALSE(schedule->goal.has_value());
    for (const auto& op : schedule->programs.front().ops) {
      EXPECT_EQ(op.phase, Phase::OTHER);
      EXPECT_EQ(op.kind, model::OpKind::WORK);
      for (const auto& traffic : op.traffic) {
        EXPECT_EQ(traffic.account, Phase::OTHER);
        (traffic.access == Access::READ ? read : written) += traffic.fixed.value();
      }
    }
  }
  // All of the operands fit the L2 of 4 MB beside the output: read once. 300 x 64 x 2 operands x 2 batches x 2 bytes.
  EXPECT_NEAR(read, 3e6 + 153600, 1.0);
  EXPECT_EQ(written, 2e6 + 2 * 300 * 300 * 2);
  // 1e9 FLOP at 1e12 FLOP/s on 20 SMs: 1 ms x 20 SM-seconds
  EXPECT_DOUBLE_EQ(vector.programs.front().ops.back().sm_seconds, 0.02);
}

} // namespace
} // namespace tandem::collective
