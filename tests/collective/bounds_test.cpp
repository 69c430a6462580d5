// Lower bounds against numbers derived by hand.
#include "built_clusters.h"
#include "every_strategy.h"

#include "base/error.h"
#include "collective/bounds.h"
#include "platform/platform.h"

#include <gtest/gtest.h>

namespace tandem::collective {
namespace {

using model::BytesPerSecond;
using model::CollectiveKind;

constexpr double GB = 1e9;

/// Latency of a route through a switch, and of a link of a ring.
constexpr double SWITCH = 2e-6, HOP = 1e-6;

double bound(const model::CollectiveOp& op, const model::Cluster& cluster) {
  return communication_bound({op, {}}, cluster, Cuts(cluster, op.ranks)).value();
}

double bound(CollectiveKind kind, int ranks, double bytes, const model::Cluster& cluster) {
  return bound(model::CollectiveOp{kind, ranks, model::Bytes(bytes)}, cluster);
}

/// Two pairs of GPUs, each pair behind a switch: 100 GB/s from a GPU to its switch and back, 50 GB/s from switch to
/// switch. Links 2 i and 2 i + 1 are up and down of GPU i, 8 and 9 between the switches.
class PairsRouter : public model::Router {
public:
  [[nodiscard]] std::optional<model::Route> route(model::HostId from, model::HostId to) const override {
    model::Route route{{model::LinkId(2 * from.index)}, model::Seconds(SWITCH)};
    if (from.index / 2 != to.index / 2) {
      route.links.emplace_back(from.index < 2 ? 8 : 9);
      route.latency += model::Seconds(HOP);
    }
    route.links.emplace_back(2 * to.index + 1);
    return route;
  }
};

model::Cluster two_pairs() {
  auto cluster = unwired(4, "pairs", small_device());
  for (const char* name : {"right", "left"})
    cluster.links.push_back({name, BytesPerSecond(50 * GB), model::Seconds(HOP), model::Sharing::SHARED});
  cluster.router = std::make_shared<PairsRouter>();
  return cluster;
}

/// A link for each ordered pair, 10 us from GPU 0 to GPU 2 and 1 us else.
class DetourRouter : public model::Router {
public:
  [[nodiscard]] std::optional<model::Route> route(model::HostId from, model::HostId to) const override {
    return model::Route{{model::LinkId(3 * from.index + to.index)},
                        model::Seconds(from.index == 0 && to.index == 2 ? 10 * HOP : HOP)};
  }
};

TEST(Bounds, OfOneRankIsZero) {
  EXPECT_EQ(bound(CollectiveKind::ALL_REDUCE, 1, 8 * GB, ring_of(1)), 0.0);
}

TEST(Bounds, BehindASwitchGoByTheOneLinkOfAGpu) {
  // 4 GPUs, 100 GB/s each way, 8 GB: RS and AG move 3/4 x 8 = 6 GB per GPU, 0.06 s, and 2 us after the last
  // byte; AR all together 2 x 3 x 8 = 48 GB over 4 x 100 GB/s, 0.12 s.
  const auto cluster = switch_of(4);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::REDUCE_SCATTER, 4, 8 * GB, cluster), 0.06 + SWITCH);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_GATHER, 4, 8 * GB, cluster), 0.06 + SWITCH);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_REDUCE, 4, 8 * GB, cluster), 0.12);
}

TEST(Bounds, OfPairsGoByTheBusiestRank) {
  // 4 GPUs, 100 GB/s each way. A sendrecv moves 8 GB over one link; a barrier costs a latency. Rank 2 has 1 GB for each
  // other rank and is sent 2 GB by each: 6 GB come in, 3 GB go out.
  const auto cluster = switch_of(4);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::SEND_RECV, 4, 8 * GB, cluster), 0.08 + SWITCH);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::BARRIER, 4, 0, cluster), SWITCH);
  std::vector<double> pairs(16, 0.0);
  for (const std::size_t other : {0U, 1U, 3U}) {
    pairs[2 * 4 + other] = 1 * GB;
    pairs[other * 4 + 2] = 2 * GB;
  }
  pairs[2 * 4 + 2] = 100 * GB; // stays where it is
  const model::CollectiveOp op{CollectiveKind::ALL_TO_ALL_V, 4, model::Bytes(0.0), 0,
                               std::make_shared<const std::vector<double>>(pairs)};
  EXPECT_DOUBLE_EQ(bound(op, cluster), 0.06 + SWITCH);
}

TEST(Bounds, InARingGoByBothLinksOfAGpu) {
  // Two links of 100 GB/s leave each GPU: half of the above. Between 2 GPUs of a ring only one way is used.
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::REDUCE_SCATTER, 4, 8 * GB, ring_of(4)), 0.03 + HOP);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_GATHER, 4, 8 * GB, ring_of(4)), 0.03 + HOP);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_REDUCE, 4, 8 * GB, ring_of(4)), 0.06);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::REDUCE_SCATTER, 2, 8 * GB, ring_of(2)), 0.04 + HOP);
}

TEST(Bounds, CountOnlyTheRanksThatTakePart) {
  // 2 ranks on a ring of 4: one link each, half of 8 GB over 100 GB/s
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::REDUCE_SCATTER, 2, 8 * GB, ring_of(4)), 0.04 + HOP);
}

TEST(Bounds, GoByTheNarrowestGpu) {
  auto cluster = switch_of(4);
  cluster.links.stored()[2 * 1].bandwidth = BytesPerSecond(20 * GB); // out of GPU 1: 6 GB over 20 GB/s
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::REDUCE_SCATTER, 4, 8 * GB, cluster), 0.3 + SWITCH);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_GATHER, 4, 8 * GB, cluster), 0.1 + SWITCH); // its 2 GB leave it
  cluster.links.stored()[2 * 3 + 1].bandwidth = BytesPerSecond(10 * GB); // into GPU 3: 6 GB over 10 GB/s
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_GATHER, 4, 8 * GB, cluster), 0.6 + SWITCH);
}

/// An all-reduce may spare a narrow GPU: as a leaf of a tree it sends its 8 GB once. Twice 3/4 of that, as in a ring,
/// is no lower bound.
TEST(Bounds, OfAnAllReduceLetANarrowGpuBeALeaf) {
  auto cluster = switch_of(4);
  cluster.links.stored()[2 * 1].bandwidth = BytesPerSecond(20 * GB);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_REDUCE, 4, 8 * GB, cluster),
                   0.4 + SWITCH); // 8 GB over 20 GB/s, not 12 over 20
  // a little narrower only: all together send 48 GB over 3 x 100 + 90 GB/s, more than 8 GB over 90 GB/s
  cluster.links.stored()[2 * 1].bandwidth = BytesPerSecond(90 * GB);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_REDUCE, 4, 8 * GB, cluster), 48.0 / 390.0);
}

TEST(Bounds, OfAFatpipeAreTheLatency) {
  auto cluster = switch_of(3);
  for (auto& link : cluster.links.stored())
    link.sharing = model::Sharing::FATPIPE;
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_REDUCE, 3, 8 * GB, cluster), SWITCH);
}

TEST(Bounds, SeeTheNarrowPlaceBetweenTwoHalves) {
  // Chunks of 2 GB, and 50 GB/s from {0, 1} to {2, 3}. RS and AG: 2 chunks cross, 0.08 s, more than the 6 GB of a GPU
  // at 100 GB/s. AR: 8 GB, 0.16 s, more than 48 GB over 400 GB/s. All-to-all: 2 x 2 chunks, 0.16 s. A message across
  // takes 3 us.
  const auto cluster = two_pairs();
  const double across = SWITCH + HOP;
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::REDUCE_SCATTER, 4, 8 * GB, cluster), 0.08 + across);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_GATHER, 4, 8 * GB, cluster), 0.08 + across);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_REDUCE, 4, 8 * GB, cluster), 0.16 + across);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_TO_ALL, 4, 8 * GB, cluster), 0.16 + across);
  // A broadcast and a scatter from GPU 1 bring 8 GB and 2 chunks over; the scatter's other chunk makes 0.06 s.
  EXPECT_DOUBLE_EQ(bound({CollectiveKind::BROADCAST, 4, model::Bytes(8 * GB), 1}, cluster), 0.16 + across);
  EXPECT_DOUBLE_EQ(bound({CollectiveKind::SCATTER, 4, model::Bytes(8 * GB), 1}, cluster), 0.08 + across);
  EXPECT_DOUBLE_EQ(bound({CollectiveKind::GATHER, 4, model::Bytes(8 * GB), 3}, cluster), 0.08 + across);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::SEND_RECV, 4, 8 * GB, cluster), 0.16 + across);
}

TEST(Bounds, OfAnAllToAllInARingGoByItsHalves) {
  // Two links of 100 GB/s lead from {0, 1} to {2, 3}, and 2 x 2 chunks of 2 GB: 0.04 s; a GPU has 6 GB for two links.
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_TO_ALL, 4, 8 * GB, ring_of(4)), 0.04 + HOP);
}

TEST(Bounds, OfSmallDataGoByTheWay) {
  // Rank 4 is four hops away from rank 0 in a ring of 8, rank 1 one. Two links leave a GPU.
  const auto cluster = ring_of(8);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::BARRIER, 8, 0, cluster), 4 * HOP);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_REDUCE, 8, 1, cluster), 4 * HOP);
  EXPECT_DOUBLE_EQ(bound({CollectiveKind::BROADCAST, 8, model::Bytes(1.0), 2}, cluster), 4 * HOP);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_GATHER, 8, 8, cluster), 4 * HOP);
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::SEND_RECV, 8, 1, cluster), HOP + 1 / (200 * GB));
  EXPECT_EQ(bound(CollectiveKind::ALL_REDUCE, 8, 0, cluster), 0.0); // nothing need be sent
  EXPECT_EQ(bound(CollectiveKind::ALL_GATHER, 8, 7, cluster), 0.0); // nor by a rank whose chunk is empty
}

TEST(Bounds, LetMessagesTakeAFasterWayOverOthers) {
  // From 0 to 2 straight takes 10 us, over 1 two.
  auto cluster = unwired(3, "detour", small_device());
  for (int link = static_cast<int>(cluster.links.size()); link < 9; ++link)
    cluster.links.push_back({std::to_string(link), BytesPerSecond(100 * GB), model::Seconds(HOP)});
  cluster.router = std::make_shared<DetourRouter>();
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::BARRIER, 3, 0, cluster), 2 * HOP);
}

TEST(Bounds, OfAlikeNodesGoByTheirCards) {
  // A node of 8 GPUs has 8 cards of 50 GB/s; n nodes have 8 n. All-reduce without sums in switches: 2 (n-1) B of all
  // nodes over n x 400 GB/s.
  auto cluster = platform::read_cluster(std::string(TANDEM_SOURCE_DIR) + "/platforms/dgx-h100.xml",
                                        {std::string(TANDEM_SOURCE_DIR) + "/platforms/devices"}, {{"nodes", "16"}});
  cluster.node_reduces_in_switch = cluster.fabric_reduces_in_switch = false;
  for (const int nodes : {2, 16}) { // of 16 nodes only the routes of the first one are looked at
    const Cuts cuts(cluster, 8 * nodes);
    EXPECT_EQ(cuts.nodes(), nodes);
    EXPECT_DOUBLE_EQ(cuts.out_of_nodes(), nodes * 400 * GB);
  }
  EXPECT_DOUBLE_EQ(bound(CollectiveKind::ALL_REDUCE, 128, 8 * GB, cluster), 2.0 * 15 * 8 * GB / (16 * 400 * GB));
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
  // A of 1000 x 500 fp16 = 1 MB on 4 ranks behind a switch: 3/4 MB enter each at 100 GB/s, 7.5 us, and 2 us of
  // latency; the GEMM 1e6 x n FLOP at 8e12
  EXPECT_DOUBLE_EQ(lower_bound(gathered(4, {.m = 1000, .n = 8, .k = 500}), switch_of(4)).value(), 9.5e-6);
  EXPECT_DOUBLE_EQ(lower_bound(gathered(4, {.m = 1000, .n = 800, .k = 500}), switch_of(4)).value(), 100e-6);
}

} // namespace
} // namespace tandem::collective
