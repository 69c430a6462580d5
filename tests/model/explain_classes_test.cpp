// Rank classes in words.
#include "model/explain_classes.h"
#include "model/rank_ranges.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::model {
namespace {

using testing::ElementsAre;

TEST(RankRanges, AreRunsOfEqualSteps) {
  EXPECT_EQ(rank_ranges({}), "");
  EXPECT_EQ(rank_ranges({3}), "3");
  EXPECT_EQ(rank_ranges({3, 4}), "3-4");
  EXPECT_EQ(rank_ranges({3, 8}), "3, 8");
  EXPECT_EQ(rank_ranges({0, 8, 16, 24}), "0-24 step 8");
  EXPECT_EQ(rank_ranges({0, 1, 2, 12, 16, 20, 24}), "0-2, 12-24 step 4");
  EXPECT_EQ(rank_ranges({0, 2, 7, 9, 21, 22}, 3), "0, 2, 7, ...");
}

/// Two nodes of three: within a node over NVLink, between nodes over the network.
TEST(ExplainClasses, SaysWhatSetEachApart) {
  Table<Link> table;
  for (int i = 0; i < 6; ++i)
    table.push_back({std::to_string(i), BytesPerSecond(4e11), Seconds(), Sharing::SHARED, Medium::NVLINK});
  for (int i = 0; i < 6; ++i)
    table.push_back({std::to_string(i), BytesPerSecond(5e10), Seconds(), Sharing::SHARED, Medium::NETWORK});
  TalkGraph graph(table);
  for (std::uint32_t rank = 0; rank < 6; ++rank) {
    graph.add_rank(0);
    const std::vector<LinkId> crossed{LinkId(rank % 3 == 2 ? rank + 6 : rank)};
    graph.add_flow({(rank + 1) % 6, 0, graph.add_route(crossed, Seconds(1e-6))});
  }
  graph.finish(TalkGraph::Implied::KEPT);
  const auto colouring = refine(graph);
  const auto classes = quotient(graph, colouring.of_rank, colouring.of_link);
  const auto none = [](std::uint32_t, std::uint32_t) { return std::string("?"); };
  // Rank 2 goes over the network; then rank 0 receives from there, and 1 sends to there: one of these two keeps the
  // colour that they had in common.
  EXPECT_THAT(
      class_lines(graph, colouring, classes, none),
      ElementsAre("3 classes of 6 ranks, 3 of 6 links", "class 0: 2 ranks, 0, 3",
                  "class 1: 2 ranks, 1, 4 (rank 1 sends to rank 2, rank 0 to rank 1, and these differ)",
                  "class 2: 2 ranks, 2, 5 (rank 2 sends to rank 3 over network, rank 0 to rank 1 over nvlink)"));
  EXPECT_THAT(class_lines(graph, colouring, classes, none, 1),
              ElementsAre("3 classes of 6 ranks, 3 of 6 links",
                          "set apart first: rank 2 sends to rank 3 over network, rank 0 to rank 1 over nvlink",
                          "class 0: 2 ranks, 0, 3", "... and 2 more classes"));
}

TEST(ExplainClasses, AsksWhatTheColoursMean) {
  const Table<Link> table;
  TalkGraph graph(table);
  graph.add_rank(5);
  graph.add_rank(6);
  graph.finish(TalkGraph::Implied::KEPT);
  const auto colouring = refine(graph);
  const auto classes = quotient(graph, colouring.of_rank, colouring.of_link);
  const auto device = [](std::uint32_t rank, std::uint32_t other) {
    return fmt::format("rank {} has another device than rank {}", rank, other);
  };
  EXPECT_THAT(class_lines(graph, colouring, classes, device),
              ElementsAre("2 classes of 2 ranks, 0 of 0 links", "class 0: 1 rank, 0",
                          "class 1: 1 rank, 1 (rank 1 has another device than rank 0)"));
}

} // namespace
} // namespace tandem::model
