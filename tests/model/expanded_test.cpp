// Recordings by class and by rank.
#include "model/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::model {
namespace {

using testing::ElementsAre;

TEST(Recording, ExpandsClassesToRanks) {
  Recording folded;
  folded.ranks = 3;
  folded.class_of = {0, 1, 0};
  folded.items = {{{.begin_s = 0.0, .end_s = 1.0}, {.begin_s = 0.0, .end_s = 2.0}}};
  folded.ops = {{.rank = 0, .item = 0, .op = 7, .begin_s = 0.5, .end_s = 1.0},
                {.rank = 1, .item = 0, .op = 8, .begin_s = 0.5, .end_s = 2.0}};
  EXPECT_EQ(folded.classes(), 2);
  EXPECT_THAT(folded.class_sizes(), ElementsAre(2U, 1U));
  const auto whole = folded.expanded();
  ASSERT_EQ(whole.items[0].size(), 3U);
  EXPECT_EQ(whole.items[0][1].end_s, 2.0);
  EXPECT_EQ(whole.items[0][2].end_s, 1.0);
  ASSERT_EQ(whole.ops.size(), 3U);
  EXPECT_EQ(whole.ops[2].rank, 2U);
  EXPECT_EQ(whole.ops[2].op, 7U);
  EXPECT_EQ(whole.classes(), 3);
}

TEST(Recording, OfEveryRankStaysAsItIs) {
  Recording whole;
  whole.ranks = 2;
  whole.dram.resize(2);
  EXPECT_EQ(whole.classes(), 2);
  EXPECT_EQ(whole.expanded().dram.size(), 2U);
}

} // namespace
} // namespace tandem::model
