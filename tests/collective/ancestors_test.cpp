// Order of operations against a search along the edges, on random graphs narrow and wide.
#include "collective/ancestors.h"

#include <gtest/gtest.h>
#include <random>

namespace tandem::collective {
namespace {

bool is_reached(const model::Dag& dag, std::uint32_t from, std::uint32_t to) {
  std::vector<std::uint32_t> open(dag.successors(from).begin(), dag.successors(from).end());
  while (!open.empty()) {
    const auto node = open.back();
    open.pop_back();
    if (node == to)
      return true;
    open.insert(open.end(), dag.successors(node).begin(), dag.successors(node).end());
  }
  return false;
}

TEST(Ancestors, AreWhatEdgesLeadTo) {
  std::mt19937 random(7);
  for (const std::uint32_t chains : {1U, 2U, 40U}) {
    constexpr std::uint32_t NODES = 120;
    std::vector<model::Dag::Edge> edges;
    for (std::uint32_t node = chains; node < NODES; ++node)
      edges.emplace_back(node - chains, node);
    for (int i = 0; i < 4; ++i) {
      const auto from = static_cast<std::uint32_t>(random() % (NODES - 1));
      edges.emplace_back(from, from + 1 + static_cast<std::uint32_t>(random() % (NODES - 1 - from)));
    }
    const model::Dag dag(NODES, edges);
    const Ancestors ancestors(dag);
    for (std::uint32_t a = 0; a < NODES; ++a)
      for (std::uint32_t b = 0; b < NODES; b += 7)
        ASSERT_EQ(ancestors.before(a, b), is_reached(dag, a, b)) << chains << " chains, " << a << " before " << b;
  }
}

} // namespace
} // namespace tandem::collective
