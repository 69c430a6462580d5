// Orders and cycles of graphs.
#include "model/dag.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>

namespace tandem::model {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Dag, OfNothing) {
  for (const Dag& dag : {Dag(), Dag(0, {})}) {
    EXPECT_EQ(dag.size(), 0u);
    EXPECT_THAT(dag.find_cycle(), IsEmpty());
    EXPECT_THAT(dag.topological_order(), IsEmpty());
  }
}

TEST(Dag, KeepsSuccessorsInTheOrderOfTheEdges) {
  const Dag dag(4, {{2, 3}, {0, 3}, {2, 1}, {0, 1}, {0, 2}, {0, 3}});
  EXPECT_THAT(dag.successors(0), ElementsAre(3, 1, 2, 3)); // an edge twice counts twice
  EXPECT_THAT(dag.successors(1), IsEmpty());
  EXPECT_THAT(dag.successors(2), ElementsAre(3, 1));
  EXPECT_THAT(dag.in_degrees(), ElementsAre(0, 2, 1, 3));
}

void expect_order(const Dag& dag) {
  const auto order = dag.topological_order();
  ASSERT_EQ(order.size(), dag.size());
  std::vector<std::size_t> position(dag.size());
  EXPECT_EQ(std::set<std::uint32_t>(order.begin(), order.end()).size(), dag.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    position[order[i]] = i;
  for (std::uint32_t node = 0; node < dag.size(); ++node)
    for (const auto successor : dag.successors(node))
      EXPECT_LT(position[node], position[successor]);
}

TEST(Dag, OrdersEveryNodeAfterItsPredecessors) {
  std::mt19937 engine(3);
  const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
  for (int round = 0; round < 200; ++round) {
    const std::uint32_t nodes = 1 + random() % 40;
    std::vector<std::uint32_t> names(nodes);
    std::iota(names.begin(), names.end(), 0);
    std::shuffle(names.begin(), names.end(), engine);
    std::vector<Dag::Edge> edges;
    for (std::uint32_t edge = random() % 100; nodes > 1 && edge > 0; --edge) {
      const auto a = random() % nodes, b = random() % nodes;
      if (a != b)
        edges.emplace_back(names[std::min(a, b)], names[std::max(a, b)]);
    }
    const Dag dag(nodes, edges);
    EXPECT_THAT(dag.find_cycle(), IsEmpty());
    expect_order(dag);
    EXPECT_EQ(dag.topological_order(), Dag(nodes, edges).topological_order());
  }
}

void expect_cycle(const Dag& dag) {
  const auto cycle = dag.find_cycle();
  ASSERT_FALSE(cycle.empty());
  EXPECT_EQ(std::set<std::uint32_t>(cycle.begin(), cycle.end()).size(), cycle.size());
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const auto successors = dag.successors(cycle[i]);
    EXPECT_NE(std::find(successors.begin(), successors.end(), cycle[(i + 1) % cycle.size()]), successors.end());
  }
}

TEST(Dag, FindsTheNodesOfACycleInOrder) {
  expect_cycle(Dag(1, {{0, 0}}));
  expect_cycle(Dag(2, {{0, 1}, {1, 0}}));
  expect_cycle(Dag(6, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 2}, {0, 5}}));
  expect_cycle(Dag(5, {{0, 1}, {2, 3}, {3, 4}, {4, 2}})); // not reached from node 0
  EXPECT_THAT(Dag(6, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 2}, {0, 5}}).find_cycle(),
              testing::UnorderedElementsAre(2, 3, 4));
  std::mt19937 engine(5);
  const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
  for (int round = 0; round < 200; ++round) { // as many edges as nodes, each node with a successor: there is a cycle
    const std::uint32_t nodes = 2 + random() % 30;
    std::vector<Dag::Edge> edges;
    for (std::uint32_t node = 0; node < nodes; ++node)
      edges.emplace_back(node, random() % nodes);
    expect_cycle(Dag(nodes, edges));
  }
}

/// A chain as long as this would overflow the stack of a search that calls itself.
TEST(Dag, BearsLongChains) {
  constexpr std::uint32_t NODES = 500000;
  std::vector<Dag::Edge> edges;
  for (std::uint32_t node = 1; node < NODES; ++node)
    edges.emplace_back(node, node - 1);
  const Dag chain(NODES, edges);
  EXPECT_THAT(chain.find_cycle(), IsEmpty());
  EXPECT_EQ(chain.topological_order().front(), NODES - 1);
  EXPECT_EQ(chain.topological_order().back(), 0u);
  edges.emplace_back(0, NODES - 1);
  EXPECT_EQ(Dag(NODES, edges).find_cycle().size(), NODES);
}

} // namespace
} // namespace tandem::model
