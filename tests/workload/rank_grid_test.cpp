// Groups of ranks as Megatron-Core forms them.
#include "base/error.h"
#include "workload/rank_grid.h"

#include <gtest/gtest.h>

namespace tandem::workload {
namespace {

using Groups = std::vector<std::vector<std::uint32_t>>;

// Megatron-LM's own example: 16 GPUs, tp 2, pp 4 and so dp 2.
TEST(RankGrid, lays_out_megatrons_example) {
  const RankGrid grid({.tp = 2, .dp = 2, .pp = 4}, "tp-cp-ep-dp-pp");
  EXPECT_EQ(grid.tp().groups(), (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}, {12, 13}, {14, 15}}));
  EXPECT_EQ(grid.dp().groups(), (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}}));
  EXPECT_EQ(grid.stages(0, 1).groups(), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(grid.stages(3, 0).groups(), (Groups{{12, 0}, {13, 1}, {14, 2}, {15, 3}}));
  EXPECT_EQ(grid.stage(9), 2);
}

// cp 2 x dp 4 = 8 ranks hold the same layers; ep 4 of them share the experts, and 2 of those have the same ones.
TEST(RankGrid, cuts_experts_over_cp_and_dp) {
  const RankGrid grid({.tp = 1, .cp = 2, .ep = 4, .dp = 4, .pp = 1}, "tp-cp-ep-dp-pp");
  EXPECT_EQ(grid.cp().groups(), (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(grid.dp().groups(), (Groups{{0, 1, 2, 3, 4, 5, 6, 7}}));
  EXPECT_EQ(grid.ep().groups(), (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(grid.expert_dp().groups(), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(grid.shards(4).groups(), (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(grid.replicas(4).groups(), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
}

TEST(RankGrid, follows_another_order) {
  const RankGrid grid({.tp = 2, .dp = 2, .pp = 2}, "dp-tp-cp-ep-pp");
  EXPECT_EQ(grid.dp().groups(), (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(grid.tp().groups(), (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
}

TEST(RankGrid, every_rank_is_in_one_group_of_each_kind) {
  const RankGrid grid({.tp = 2, .cp = 3, .ep = 2, .dp = 4, .pp = 2}, "pp-dp-ep-cp-tp");
  for (const auto& grouping : {grid.tp(), grid.cp(), grid.ep(), grid.dp(), grid.expert_dp(), grid.alone()}) {
    std::size_t members = 0;
    for (const auto& group : grouping.groups())
      members += group.size();
    EXPECT_EQ(members, 48U) << grouping.name();
  }
}

TEST(RankGrid, refuses_orders_and_expert_groups_that_do_not_fit) {
  EXPECT_THROW(RankGrid({.tp = 2}, "tp-dp-pp"), base::UserError);
  EXPECT_THROW(RankGrid({.tp = 2}, "tp-cp-ep-dp-dp"), base::UserError);
  EXPECT_THROW(RankGrid({.ep = 3, .dp = 4}, "tp-cp-ep-dp-pp"), base::UserError);
}

} // namespace
} // namespace tandem::workload
