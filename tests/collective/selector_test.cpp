// The choice of algorithm and protocol, and the rings and trees that follow the links of a machine.
#include "built_clusters.h"

#include "collective/bounds.h"
#include "collective/ring_place.h"
#include "collective/selector.h"
#include "collective/verify.h"
#include "platform/libraries.h"
#include "platform/platform.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace tandem::collective {
namespace {

using model::CollectiveKind;

const std::string FOLDER = TANDEM_SOURCE_DIR "/platforms/";

model::Cluster cluster_of(const std::string& name, int nodes, const std::string& library) {
  auto cluster =
      platform::read_cluster(FOLDER + name + ".xml", {FOLDER + "devices"}, {{"nodes", std::to_string(nodes)}});
  if (!library.empty())
    cluster.library = platform::find_library(library, {FOLDER + "libraries"});
  return cluster;
}

Request all_reduce(int ranks, double bytes) {
  const model::CollectiveOp op{.kind = CollectiveKind::ALL_REDUCE, .ranks = ranks, .bytes = model::Bytes(bytes)};
  return {op, std::nullopt};
}

Choice best(const model::Cluster& cluster, int ranks, double bytes) {
  return choices(all_reduce(ranks, bytes).op, cluster).front();
}

// NCCL's model: ring LL 6.6 + 14 x 0.6 = 15.0 us on 8 GPUs of a node; tree LL on two nodes 6.8 + 2 (7 x 0.6 + 5 + NIC)
// = 25.2 us and twice the NIC's latency, 3.2 us on this platform.
TEST(Selector, ExpectsTheTimesOfNcclsModel) {
  EXPECT_NEAR(best(cluster_of("dgx-a100", 1, "nccl-tuner-ampere"), 8, 8).predicted_s, 15.0e-6, 0.01e-6);
  const auto two = best(cluster_of("dgx-a100", 2, "nccl-tuner-ampere"), 16, 8);
  EXPECT_EQ(two.algorithm + two.protocol, "treeLL");
  EXPECT_NEAR(two.predicted_s, 25.2e-6 + 2 * 3.2e-6, 0.3e-6);
}

// On one node: LL while 25.6 us of latency are more than its bytes cost (2.2 MB), LL128 up to 23 MB, then Simple.
// Between nodes the tree's latency grows with the logarithm of the nodes, the ring's with their number.
TEST(Selector, CrossesOverWhereNcclDoes) {
  const auto one = cluster_of("dgx-a100", 1, "nccl-tuner-ampere");
  const auto chosen = [&](const model::Cluster& cluster, int ranks, double bytes) {
    const auto choice = best(cluster, ranks, bytes);
    return choice.algorithm + " " + choice.protocol;
  };
  EXPECT_EQ(chosen(one, 8, 1e6), "ring LL");
  EXPECT_EQ(chosen(one, 8, 8e6), "ring LL128");
  EXPECT_EQ(chosen(one, 8, 1e8), "ring Simple");
  const auto many = cluster_of("dgx-a100", 16, "nccl-tuner-ampere");
  EXPECT_EQ(chosen(many, 128, 1e4), "tree LL");
  EXPECT_THAT(chosen(many, 128, 1e6), testing::StartsWith("tree"));
  EXPECT_EQ(chosen(many, 128, 1e10), "ring Simple");
  const auto hopper = cluster_of("dgx-h100", 1, "nccl-tuner-hopper");
  EXPECT_EQ(chosen(hopper, 8, 1e5), "ring LL");
  EXPECT_EQ(chosen(hopper, 8, 1e9), "nvls Simple");
}

// Negative control: without the switch that adds, what it does is no choice.
TEST(Selector, TakesNoSwitchThatDoesNotAdd) {
  auto cluster = cluster_of("dgx-h100", 1, "nccl-tuner-hopper");
  cluster.node_reduces_in_switch = false;
  for (const auto& choice : choices(all_reduce(8, 1e9).op, cluster))
    EXPECT_EQ(choice.algorithm, "ring");
}

TEST(Selector, RefusesWhatTheLibraryDoesNotKnow) {
  auto cluster = cluster_of("v100-cube", 1, "rccl-cdna3"); // costs over xGMI, links of NVLink
  const auto request = all_reduce(8, 1e6);
  EXPECT_THAT(select_strategy("ring:protocol=ll").strategy->why_not(request, cluster),
              testing::HasSubstr("library rccl-cdna3 has no costs of LL over medium nvlink"));
  EXPECT_THAT(select_strategy("auto").strategy->why_not(request, cluster), testing::HasSubstr("no algorithm"));
  cluster.library = nullptr;
  EXPECT_THAT(select_strategy("ring:protocol=ll").strategy->why_not(request, cluster),
              testing::HasSubstr("needs a communication library"));
}

/// Every algorithm and protocol of every library, on every machine that it has costs for, is proven.
TEST(Selector, OffersOnlyWhatIsProven) {
  const std::vector<std::tuple<std::string, int, std::string>> machines{
      {"dgx-a100", 1, "nccl-ampere"}, {"dgx-a100", 3, "nccl-ampere"}, {"aws-p4d", 2, "nccl-ampere"},
      {"dgx-h100", 1, "nccl-hopper"}, {"dgx-h100", 2, "nccl-hopper"}, {"aws-p5", 4, "nccl-hopper"},
      {"mi300x", 1, "rccl-cdna3"},    {"mi300x", 2, "rccl-cdna3"}};
  for (const auto& [name, nodes, library] : machines) {
    const auto cluster = cluster_of(name, nodes, library);
    const int all = static_cast<int>(cluster.gpus.size());
    for (const int ranks : {1, 5, all})
      for (const auto kind : {CollectiveKind::ALL_REDUCE, CollectiveKind::REDUCE_SCATTER, CollectiveKind::ALL_GATHER,
                              CollectiveKind::ALL_TO_ALL, CollectiveKind::BROADCAST, CollectiveKind::REDUCE})
        for (const double bytes : {1.0, 16777216.0}) {
          auto request = all_reduce(ranks, bytes);
          request.op.kind = kind;
          const auto list = choices(request.op, cluster);
          EXPECT_FALSE(list.empty()) << name << ranks << model::to_string(kind);
          for (const auto& choice : list) {
            SCOPED_TRACE(fmt::format("{} x {}: {} of {} B on {} by {}", name, nodes, model::to_string(kind), bytes,
                                     ranks, choice.strategy));
            const auto selection = select_strategy(choice.strategy);
            ASSERT_EQ(selection.strategy->why_not(request, cluster), "");
            EXPECT_EQ(verify(selection.strategy->plan(request, cluster)), "");
          }
        }
  }
}

/// Each ring passes each rank once; no link of a mesh serves two rings; between nodes each card has its own ring.
TEST(LinkRings, UseTheLinksSideBySide) {
  for (const auto& [name, nodes, expected] : std::vector<std::tuple<std::string, int, std::size_t>>{
           {"mi300x", 1, 7}, {"v100-cube", 1, 6}, {"dgx-a100", 1, 1}, {"dgx-a100", 3, 8}, {"aws-p4d", 2, 4}}) {
    SCOPED_TRACE(name);
    const auto cluster = cluster_of(name, nodes, "");
    const int ranks = static_cast<int>(cluster.gpus.size());
    const auto rings = link_rings(cluster, ranks);
    EXPECT_EQ(rings.size(), expected);
    std::set<std::pair<int, int>> pairs;
    for (const auto& ring : rings) {
      EXPECT_EQ(std::set<int>(ring.begin(), ring.end()).size(), static_cast<std::size_t>(ranks));
      for (std::size_t at = 0; at < ring.size(); ++at)
        pairs.emplace(ring[at], ring[(at + 1) % ring.size()]);
    }
    if (name == "mi300x") {
      EXPECT_EQ(pairs.size(), 7U * 8U);
    }
  }
}

/// Offsets of a place name the same ranks as the order.
TEST(LinkRings, PlacesAreOffsetsInTheRing) {
  const RingOrder order{0, 3, 1, 4, 2};
  for (int at = 0; at < 5; ++at) {
    const int rank = order[static_cast<std::size_t>(at)];
    const RingPlace place(order, rank);
    for (int steps = 0; steps <= 5; ++steps)
      EXPECT_EQ((rank + place.behind(steps) + 5) % 5, order[static_cast<std::size_t>((at - steps + 5) % 5)]);
    EXPECT_EQ((rank + place.next() + 5) % 5, order[static_cast<std::size_t>((at + 1) % 5)]);
  }
  EXPECT_EQ(RingPlace(rank_order(7), 3), RingPlace(rank_order(7), 5));
}

} // namespace
} // namespace tandem::collective
