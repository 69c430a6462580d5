// Plans that do not fit are refused with both numbers; layers are split as they are asked for.
#include "base/error.h"
#include "workload/gpt.h"
#include "workload/parallel_plan.h"

#include <gtest/gtest.h>

#include <functional>

namespace tandem::workload {
namespace {

std::string complaint(const ParallelPlan& plan, int gpus) {
  try {
    check_plan(gpt(1024, 16, 12, 51200, 2048), plan, gpus);
    return "";
  } catch (const base::UserError& error) {
    return error.what();
  }
}

ParallelPlan plan() {
  ParallelPlan made;
  made.layer.sequence = 2048;
  made.layer.tp = 2;
  made.pp = 4;
  made.dp = 2;
  made.global_batch = 16;
  return made;
}

TEST(ParallelPlan, is_refused_with_both_numbers) {
  EXPECT_EQ(complaint(plan(), 16), "");
  const std::vector<std::pair<std::function<void(ParallelPlan&)>, std::string>> rows{
      {[](auto& made) { made.dp = 3; }, "2 x 1 x 4 x 3 = 24 ranks, and there are 16 GPUs"},
      {[](auto& made) { made.global_batch = 7; }, "a global batch of 7 is not a multiple of micro-batch x dp = 1 x 2"},
      {[](auto& made) {
         made.pp = 16;
         made.dp = 1;
         made.layer.tp = 1;
       },
       "has 12 layers, and pp x vpp = 16 x 1"},
      {[](auto& made) { made.layer.ep = 4; }, "ep 4, and gpt has no experts"},
      {[](auto& made) {
         made.stage_layers = {3, 3, 3, 4};
       },
       "given 13 layers in all, and"},
      {[](auto& made) {
         made.stage_layers = {6, 6};
       },
       "given for 2 stages, and pp x vpp = 4 x 1"},
      {[](auto& made) {
         made.zero = 1;
         made.shard_size = 3;
       },
       "a shard size of 3 does not divide the 2 ranks"},
      {[](auto& made) { made.zero = 3; }, "zero 3 with pp 4"},
      {[](auto& made) { made.vpp = 2; }, "need the schedule interleaved, not 1f1b"},
      {[](auto& made) { made.order = "tp-pp"; }, "rank order 'tp-pp' is not understood"},
  };
  for (const auto& [change, expected] : rows) {
    auto made = plan();
    change(made);
    EXPECT_NE(complaint(made, 16).find(expected), std::string::npos) << complaint(made, 16) << "\nnot: " << expected;
  }
}

TEST(ParallelPlan, splits_layers_evenly_or_as_told) {
  const auto counts = [](const ParallelPlan& made, int layers) {
    std::vector<int> list;
    for (const auto& range : split_layers(gpt(1024, 16, layers, 51200, 2048), made))
      list.push_back(range.end - range.first);
    return list;
  };
  EXPECT_EQ(counts(plan(), 12), (std::vector{3, 3, 3, 3}));
  EXPECT_EQ(counts(plan(), 14), (std::vector{3, 4, 4, 3})); // one less beside the embedding and the head
  auto uneven = plan();
  uneven.stage_layers = {2, 4, 4, 2};
  EXPECT_EQ(counts(uneven, 12), (std::vector{2, 4, 4, 2}));
}

} // namespace
} // namespace tandem::workload
