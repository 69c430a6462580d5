// Sets of ranks: union that notices what is there already, against std::set.
#include "collective/contributions.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace tandem::collective {
namespace {

TEST(Contributions, BeginEmpty) {
  const Contributions none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.count(), 0);
  EXPECT_NE(none, Contributions::one(0));
}

TEST(Contributions, OfAllRanksAreTheUnionOfEach) {
  for (const std::vector<int>& order :
       {std::vector{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 0, 4, 1, 3}, {0, 2, 4, 3, 1}}) {
    Contributions sum;
    for (const int rank : order)
      EXPECT_TRUE(sum.add(Contributions::one(rank)));
    EXPECT_EQ(sum, Contributions::all(5));
    EXPECT_EQ(sum.count(), 5);
  }
}

TEST(Contributions, RefuseARankTwiceAndStayAsTheyAre) {
  Contributions sum = Contributions::one(3);
  ASSERT_TRUE(sum.add(Contributions::one(5)));
  const Contributions before = sum;
  EXPECT_FALSE(sum.add(Contributions::one(3)));
  EXPECT_FALSE(sum.add(Contributions::one(5)));
  EXPECT_FALSE(sum.add(Contributions::all(4)));
  EXPECT_FALSE(sum.add(sum));
  EXPECT_EQ(sum, before);
  EXPECT_TRUE(sum.add(Contributions()));
  EXPECT_EQ(sum, before);
  EXPECT_TRUE(sum.add(Contributions::one(4))); // fills the gap: 3, 4, 5 are one run
  EXPECT_TRUE(sum.add(Contributions::all(3)));
  EXPECT_EQ(sum, Contributions::all(6));
}

TEST(Contributions, AgreeWithSets) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    std::vector<std::pair<Contributions, std::set<int>>> pool(6);
    for (int step = 0; step < 40; ++step) {
      auto& [sum, set] = pool[random() % pool.size()];
      const int rank = static_cast<int>(random() % 12);
      const auto one = std::pair{Contributions::one(rank), std::set{rank}};
      const auto [other, members] = random() % 2 == 0 ? one : pool[random() % pool.size()];
      std::set<int> both = set;
      both.insert(members.begin(), members.end());
      const bool disjoint = both.size() == set.size() + members.size();
      ASSERT_EQ(sum.add(other), disjoint);
      if (disjoint)
        set = both;
      ASSERT_EQ(sum.count(), static_cast<int>(set.size()));
      ASSERT_EQ(sum.empty(), set.empty());
    }
  }
}

} // namespace
} // namespace tandem::collective
