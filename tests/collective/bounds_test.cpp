// Lower bounds against numbers derived by hand.
#include "built_clusters.h"
#include "every_strategy.h"

#include "base/error.h"
#include "collective/bounds.h"

#include <gtest/gtest.h>

namespace tandem::collective {
namespace {

using model::BytesPerSecond;
using model::CollectiveKind;

constexpr double GB = 1e9;

double bound(CollectiveKind kind, int ranks, double bytes, const model::Cluster& cluster) {
  return communication_bound({kind, ranks, model::Bytes(bytes)}, cluster).value();
}

TEST(Bounds, OfOneRankIsZero) {
  EXPECT_EQ(bound(CollectiveKind::ALL_REDUCE, 1, 8 * GB, ring_of(1)), 0.0);
}

TEST(Bounds, BehindASwitchGoByTheOneLinkOfAGpu) {
  // 4 GPUs, 100 GB/s each way, 8 GB: RS and AG move 3/4 x 8 = 6 GB per GPU, 0.06 s; AR all together 2 x 3 x 8 = 48 GB
  // over 4 x 100 GB/s, 0.12 s.
  const auto cluster = switch_of(4);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::REDUCE_SCATTER, 4, 8 * GB, cluster), 0.06);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_GATHER, 4, 8 * GB, cluster), 0.06);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_REDUCE, 4, 8 * GB, cluster), 0.12);
}

TEST(Bounds, OfPairsGoByTheBusiestRank) {
  // 4 GPUs, 100 GB/s each way. A sendrecv moves 8 GB over one link; a barrier nothing. Rank 2 has 1 GB for each other
  // rank and is sent 2 GB by each: 6 GB come in, 3 GB go out.
  const auto cluster = switch_of(4);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::SEND_RECV, 4, 8 * GB, cluster), 0.08);
  EXPECT_EQ(bound(CollectiveKind::BARRIER, 4, 0, cluster), 0.0);
  std::vector<double> pairs(16, 0.0);
  for (const std::size_t other : {0U, 1U, 3U}) {
    pairs[2 * 4 + other] = 1 * GB;
    pairs[other * 4 + 2] = 2 * GB;
  }
  pairs[2 * 4 + 2] = 100 * GB; // stays where it is
  const model::CollectiveOp op{CollectiveKind::ALL_TO_ALL_V, 4, model::Bytes(0.0), 0,
                               std::make_shared<const std::vector<double>>(pairs)};
  EXPECT_DOUBLE_EQ(communication_bound(op, cluster).value(), 0.06);
}

TEST(Bounds, InARingGoByBothLinksOfAGpu) {
  // Two links of 100 GB/s leave each GPU: half of the above. Between 2 GPUs of a ring only one way is used.
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::REDUCE_SCATTER, 4, 8 * GB, ring_of(4)), 0.03);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_GATHER, 4, 8 * GB, ring_of(4)), 0.03);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_REDUCE, 4, 8 * GB, ring_of(4)), 0.06);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::REDUCE_SCATTER, 2, 8 * GB, ring_of(2)), 0.04);
}

TEST(Bounds, CountOnlyTheRanksThatTakePart) {
  // 2 ranks on a ring of 4: one link each, half of 8 GB over 100 GB/s
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::REDUCE_SCATTER, 2, 8 * GB, ring_of(4)), 0.04);
}

TEST(Bounds, GoByTheNarrowestGpu) {
  auto cluster = switch_of(4);
  cluster.links.stored()[2 * 1].bandwidth = BytesPerSecond(20 * GB); // out of GPU 1: 6 GB over 20 GB/s
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::REDUCE_SCATTER, 4, 8 * GB, cluster), 0.3);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_GATHER, 4, 8 * GB, cluster), 0.06); // what enters counts
  cluster.links.stored()[2 * 3 + 1].bandwidth = BytesPerSecond(10 * GB);         // into GPU 3: 6 GB over 10 GB/s
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_GATHER, 4, 8 * GB, cluster), 0.6);
}

/// An all-reduce may spare a narrow GPU: as a leaf of a tree it sends its 8 GB once. Twice 3/4 of that, as in a ring,
/// is no lower bound.
TEST(Bounds, OfAnAllReduceLetANarrowGpuBeALeaf) {
  auto cluster = switch_of(4);
  cluster.links.stored()[2 * 1].bandwidth = BytesPerSecond(20 * GB);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_REDUCE, 4, 8 * GB, cluster), 0.4); // 8 GB over 20 GB/s, not 12 over 20
  // a little narrower only: all together send 48 GB over 3 x 100 + 90 GB/s, more than 8 GB over 90 GB/s
  cluster.links.stored()[2 * 1].bandwidth = BytesPerSecond(90 * GB);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_REDUCE, 4, 8 * GB, cluster), 48.0 / 390.0);
}

TEST(Bounds, OfAFatpipeAreZero) {
  auto cluster = switch_of(3);
  for (auto& link : cluster.links.stored())
    link.sharing = model::Sharing::FATPIPE;
  EXPECT_EQ(bound(CollectiveKind::ALL_REDUCE, 3, 8 * GB, cluster), 0.0);
}

TEST(Bounds, OfAGemmGoByItsInnerLoop) {
  // 2 x 1000 x 500 x 200 = 2e8 FLOP at 8e12 x 0.5 FLOP/s
  auto device = small_device();
  device.gemm_efficiency = 0.5;
  EXPECT_DOUBLE_EQ(compute_bound({.m = 1000, .n = 500, .k = 200}, device).value(), 5e-5);
  EXPECT_DOUBLE_EQ(compute_bound({.m = 1000, .n = 500, .k = 200, .batch = 3}, device).value(), 15e-5);
  EXPECT_THROW((void)compute_bound({.m = 1, .n = 1, .k = 1, .precision = "fp8"}, device), base::UserError);
}

TEST(Bounds, OfAFusedOperationAreTheLargerOfTheTwo) {
  // 1000 x 500 fp16 = 1 MB on 4 ranks behind a switch: 2 x 3 x 1 MB / 400 GB/s = 15 us; the GEMM 2e6 x k FLOP at 8e12
  auto request = fused(4, {.m = 1000, .n = 500, .k = 8}); // GEMM 1 us
  EXPECT_DOUBLE_EQ(lower_bound(request, switch_of(4)).value(), 15e-6);
  request.producer->k = 800; // 100 us
  EXPECT_DOUBLE_EQ(lower_bound(request, switch_of(4)).value(), 100e-6);
  request.producer.reset();
  EXPECT_DOUBLE_EQ(lower_bound(request, switch_of(4)).value(), 15e-6);
}

TEST(Bounds, OfAGatheredInputAreTheLargerOfTheTwo) {
  // A of 1000 x 500 fp16 = 1 MB on 4 ranks behind a switch: 3/4 MB enter each at 100 GB/s, 7.5 us; the GEMM 1e6 x n
  // FLOP at 8e12
  EXPECT_DOUBLE_EQ(lower_bound(gathered(4, {.m = 1000, .n = 8, .k = 500}), switch_of(4)).value(), 7.5e-6);
  EXPECT_DOUBLE_EQ(lower_bound(gathered(4, {.m = 1000, .n = 800, .k = 500}), switch_of(4)).value(), 100e-6);
}

} // namespace
} // namespace tandem::collective
