// One rank played for each class gives what every rank played gives.
#include "base/error.h"
#include "engine/fold_case.h"

#include <gtest/gtest.h>

namespace tandem::test {
namespace {

/// The smallest case found from here that still differs, with how it does; cases that nobody can play do not count.
std::string counter_example(FoldCase failing, std::string difference) {
  for (bool shrunk = true; shrunk;) {
    shrunk = false;
    for (const auto& other : smaller(failing)) {
      try {
        if (const auto answer = fold_and_compare(other); !answer.difference.empty()) {
          failing = other;
          difference = answer.difference;
          shrunk = true;
          break;
        }
      } catch (const base::Infeasible&) {
      } catch (const base::UserError&) {
      }
    }
  }
  return failing.text() + "\n" + difference;
}

/// In shards, so that they run side by side.
class FoldingOf : public testing::TestWithParam<std::uint32_t> {};
constexpr std::uint32_t SHARDS = 4, CASES = 50;

TEST_P(FoldingOf, changes_no_time_and_no_byte) {
  std::uint32_t played = 0, halved = 0;
  for (std::uint32_t seed = GetParam() * 100000; played < CASES; ++seed) {
    const auto described = random_case(seed);
    FoldAnswer answer;
    try {
      answer = fold_and_compare(described);
    } catch (const base::Infeasible&) {
      continue;
    } catch (const base::UserError&) {
      continue;
    } catch (const std::exception& error) {
      FAIL() << "seed " << seed << ": " << error.what() << "\n" << described.text();
    }
    ASSERT_EQ(answer.difference, "") << "seed " << seed << ", shrunk:\n"
                                     << counter_example(described, answer.difference);
    ++played;
    halved += 2 * answer.played <= described.ranks() ? 1 : 0;
  }
  EXPECT_GT(3 * halved, CASES) << "cases that do not fold prove nothing";
}

INSTANTIATE_TEST_SUITE_P(random_cases, FoldingOf, testing::Range(0U, SHARDS));

TEST(Folding, plays_one_rank_of_a_ring) {
  const auto answer = fold_and_compare({.nodes = 1, .per_node = 16});
  EXPECT_EQ(answer.difference, "");
  EXPECT_EQ(answer.played, 1U);
}

// A link that is 1 % slower than the others leaves no two ranks alike, and the answer is the whole machine's.
TEST(Folding, splits_where_one_link_is_slower) {
  const FoldCase described{.nodes = 1, .per_node = 16, .odd_link = 6};
  const auto answer = fold_and_compare(described);
  EXPECT_EQ(answer.difference, "");
  EXPECT_EQ(answer.played, 16U);
}

// One lane to itself and one to others of its class, which go different ways between the same two hosts.
TEST(Folding, keeps_apart_ways_between_the_same_classes) {
  FoldCase described{.nodes = 4, .per_node = 8, .tasks = {}};
  described.tasks.push_back({.among = Among::NODES, .pieces = 1000});
  described.tasks.push_back({.among = Among::SAME_PLACES, .stream = 1, .pieces = 1000});
  const auto answer = fold_and_compare(described);
  EXPECT_EQ(answer.difference, "");
  EXPECT_EQ(answer.played, 1U);
}

// Programs of their own, which differ only in whom they talk to.
TEST(Folding, finds_programs_that_are_alike) {
  for (const auto* strategy : {"halving-doubling", "hierarchical"}) {
    FoldCase described{.nodes = 4, .per_node = 4, .far_is_slower = false, .tasks = {}};
    described.tasks.push_back({.strategy = strategy, .pieces = 1000});
    const auto answer = fold_and_compare(described);
    EXPECT_EQ(answer.difference, "") << strategy;
    EXPECT_LE(answer.played, 4U) << strategy;
  }
}

// Of a core that six nodes share, a third of the flows is one job's: links are named once and twice.
TEST(Folding, weighs_flows_that_share_a_link) {
  FoldCase described{.nodes = 6, .per_node = 1, .cores = 1, .tasks = {}};
  described.tasks.push_back({.kind = model::CollectiveKind::REDUCE_SCATTER, .among = Among::HALVES, .pieces = 1000});
  const auto answer = fold_and_compare(described);
  EXPECT_EQ(answer.difference, "");
  EXPECT_EQ(answer.played, 2U);
}

} // namespace
} // namespace tandem::test
