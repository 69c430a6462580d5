// Algorithms on a grid: who shares a program, and how much goes between nodes.
#include "built_clusters.h"
#include "every_strategy.h"

#include "collective/grid.h"

#include <gtest/gtest.h>

namespace tandem::collective {
namespace {

using model::CollectiveKind;

model::Schedule planned(const std::string& strategy, CollectiveKind kind, int gpus, int nodes, double bytes) {
  auto cluster = switch_of(gpus * nodes);
  cluster.gpus_per_node = gpus;
  return select_strategy(strategy).strategy->plan(plain(kind, gpus * nodes, bytes), cluster);
}

TEST(Grid, KnowsItsCoordinatesAndLines) {
  const Grid grid({4, 1, 3});
  EXPECT_EQ(grid.ranks(), 12);
  EXPECT_EQ(grid.coordinate(6, 0), 2);
  EXPECT_EQ(grid.coordinate(6, 1), 0);
  EXPECT_EQ(grid.coordinate(6, 2), 1);
  EXPECT_EQ(grid.line(6, 0).members, (std::vector<int>{-2, -1, 0, 1}));
  EXPECT_EQ(grid.line(6, 2).members, (std::vector<int>{-4, 0, 4}));
  EXPECT_EQ(grid.line(6, 2).member(-1), 4);
}

TEST(Grid, RanksThatDifferInTheLastCoordinateOnlyShareAProgram) {
  const auto programs = [](const std::string& strategy) {
    return planned(strategy, CollectiveKind::ALL_REDUCE, 4, 3, 1200.0).programs.size();
  };
  EXPECT_EQ(programs("hierarchical"), 4U);
  EXPECT_EQ(programs("hierarchical:intra=direct:inter=direct:chunks=2"), 4U);
  EXPECT_EQ(programs("hierarchical:inter=tree"), 12U); // where a node stands in a tree differs
  EXPECT_EQ(programs("torus:dims=4x3"), 4U);
  EXPECT_EQ(programs("torus:dims=12"), 1U);
}

/// A GPU brings between nodes what it has of its node's payload, 1/G, and of that K-1 parts of K each way.
TEST(Hierarchical, SharesTheNetworkAmongTheGpusOfANode) {
  constexpr int GPUS = 4, NODES = 8;
  constexpr double BYTES = 4096.0;
  for (const auto* strategy :
       {"hierarchical", "hierarchical:intra=direct:inter=direct:chunks=2", "hierarchical:inter=halving-doubling"}) {
    const auto schedule = planned(strategy, CollectiveKind::ALL_REDUCE, GPUS, NODES, BYTES);
    const model::SpanBytes bytes(schedule);
    for (int rank = 0; rank < schedule.ranks; ++rank) {
      double between = 0.0;
      for (const auto& op : schedule.program(rank).ops)
        if (op.kind == model::OpKind::TRANSFER && schedule.peer(rank, op.peer) / GPUS != rank / GPUS) {
          EXPECT_EQ(schedule.peer(rank, op.peer) % GPUS, rank % GPUS) << strategy;
          between += bytes(rank, op.effect.span);
        }
      EXPECT_EQ(between, 2.0 * (NODES - 1) / NODES * BYTES / GPUS) << strategy << " rank " << rank;
    }
  }
}

/// In a node a GPU hands on the part of a neighbour, which lies in every node's chunks: one message for all of them.
TEST(Hierarchical, SendsOneMessageAStepHoweverManyNodes) {
  constexpr int GPUS = 4;
  for (const int nodes : {2, 5, 16}) {
    const auto schedule = planned("hierarchical", CollectiveKind::ALL_REDUCE, GPUS, nodes, 5120.0 * nodes);
    for (int rank = 0; rank < schedule.ranks; ++rank) {
      int sends = 0;
      for (const auto& op : schedule.program(rank).ops)
        sends += op.kind == model::OpKind::TRANSFER ? 1 : 0;
      EXPECT_EQ(sends, 2 * (GPUS - 1 + nodes - 1)) << "rank " << rank << " of " << nodes << " nodes";
    }
  }
}

// Chunks 1, 5, 9 of 12 lie 4 apart; 11 begins the next row, and 2 is 3 further on, around the end; a run of two does
// not go with single ones.
TEST(Spans, AreGatheredWhereTheyLieEvenly) {
  const auto found = gathered({{1, 1}, {5, 1}, {9, 1}, {11, 1}, {2, 1}, {4, 2}, {7, 2}}, 12);
  const std::vector<model::Span> expected{{1, 3, 1, 4}, {11, 2, 1, 3}, {4, 4, 2, 3}};
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].first, expected[i].first) << i;
    EXPECT_TRUE(found[i].same_shape(expected[i])) << i;
  }
}

// 9, 1, 5 of 12 begin at 9 and end before it. 0, 7, 2 are 7 apart, but 2 lies behind where they began.
TEST(Spans, GoAroundTheEndOnceAtMost) {
  const auto found = gathered({{9, 1}, {1, 1}, {5, 1}}, 12);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found.front().same_shape({9, 3, 1, 4}));
  EXPECT_EQ(gathered({{0, 1}, {7, 1}, {2, 1}}, 12).size(), 2U);
}

/// Results that no rank owns by its number lie side by side: one span for each message, however many nodes there are.
TEST(Hierarchical, SendsOneSpanAMessageWhereNoRankOwnsTheResult) {
  const auto schedule = planned("hierarchical:inter=halving-doubling", CollectiveKind::ALL_REDUCE, 2, 4, 4096.0);
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    int sends = 0;
    for (const auto& op : schedule.program(rank).ops)
      sends += op.kind == model::OpKind::TRANSFER ? 1 : 0;
    EXPECT_EQ(sends, 1 + 2 + 2 + 1) << "rank " << rank; // in the node, halving, doubling, in the node
  }
}

} // namespace
} // namespace tandem::collective
