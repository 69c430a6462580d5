// Groups of ranks as the user writes them.
#include "model/rank_list.h"

#include "base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Ranks = std::vector<std::uint32_t>;

std::string refusal(const std::string& text, std::size_t gpus) {
  try {
    (void)parse_rank_list(text, gpus);
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "it was taken";
}

TEST(RankList, RangesStepsAndSingleRanksKeepTheirOrder) {
  EXPECT_THAT(parse_rank_list("0-3", 8), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(parse_rank_list("0,8,16,24", 32), ElementsAre(0, 8, 16, 24));
  EXPECT_THAT(parse_rank_list("0-30:8", 32), ElementsAre(0, 8, 16, 24));
  EXPECT_THAT(parse_rank_list("7,2-3,0", 8), ElementsAre(7, 2, 3, 0));
  EXPECT_THAT(parse_rank_list("5-5", 8), ElementsAre(5));
}

TEST(RankList, WhatCannotBeIsRefused) {
  EXPECT_THAT(refusal("0-8", 8), HasSubstr("rank 8 does not exist: the platform has 8 GPUs; allowed: 0 to 7"));
  EXPECT_THAT(refusal("0-3,2", 8), HasSubstr("rank 2 is given twice"));
  EXPECT_THAT(refusal("", 8), HasSubstr("without a rank"));
  EXPECT_THAT(refusal("0,,1", 8), HasSubstr("it is empty"));
  EXPECT_THAT(refusal("0,", 8), HasSubstr("it is empty"));
  EXPECT_THAT(refusal("3-1", 8), HasSubstr("runs backwards: 1 is before 3"));
  EXPECT_THAT(refusal("0-7:0", 8), HasSubstr("out of range"));
  EXPECT_THAT(refusal("3:2", 8), HasSubstr("a step without a range"));
  EXPECT_THAT(refusal("0:8-2", 8), HasSubstr("a step without a range"));
  EXPECT_THAT(refusal("-1", 8), HasSubstr("it is empty"));
  EXPECT_THAT(refusal("0-99999999999999999999", 8), HasSubstr("out of range"));
}

TEST(RankList, WritingAndReadingGivesTheGroupBack) {
  for (const auto& [ranks, text] : std::vector<std::pair<Ranks, std::string>>{{{0, 1, 2, 3}, "0-3"},
                                                                              {{0, 8, 16, 24}, "0-24:8"},
                                                                              {{0, 1}, "0-1"},
                                                                              {{0, 8}, "0,8"},
                                                                              {{3, 1, 2}, "3,1-2"},
                                                                              {{7}, "7"},
                                                                              {{0, 2, 4, 5, 6, 9}, "0-4:2,5-6,9"}}) {
    EXPECT_EQ(rank_list(ranks), text);
    EXPECT_EQ(parse_rank_list(text, 32), ranks);
  }
}

} // namespace
} // namespace tandem::model
