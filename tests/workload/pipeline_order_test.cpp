// Orders of pipeline schedules: every step once, forward before backward, and as many micro-batches in flight as the
// schedule promises.
#include "workload/pipeline_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace tandem::workload {
namespace {

using Kind = PipelineStep::Kind;

struct Shape {
  PipelineSchedule schedule;
  int stages, micro_batches, chunks;
};

std::vector<Shape> shapes() {
  std::vector<Shape> list;
  for (const int stages : {1, 2, 3, 4, 8})
    for (const int times : {1, 2, 5}) {
      for (const auto schedule :
           {PipelineSchedule::GPIPE, PipelineSchedule::ONE_F_ONE_B, PipelineSchedule::ZERO_BUBBLE})
        for (const int more : {0, 1})
          list.push_back({schedule, stages, stages * times + more, 1});
      for (const int chunks : {2, 3})
        list.push_back({PipelineSchedule::INTERLEAVED, stages, stages * times, chunks});
    }
  return list;
}

TEST(PipelineOrder, has_every_step_once_and_forward_first) {
  for (const auto& shape : shapes())
    for (int stage = 0; stage < shape.stages; ++stage) {
      const auto order = pipeline_order(shape.schedule, shape.stages, stage, shape.micro_batches, shape.chunks);
      std::map<std::tuple<int, int, Kind>, std::size_t> at;
      for (std::size_t i = 0; i < order.size(); ++i)
        EXPECT_TRUE(at.emplace(std::tuple{order[i].micro_batch, order[i].chunk, order[i].kind}, i).second);
      const bool apart = shape.schedule == PipelineSchedule::ZERO_BUBBLE;
      EXPECT_EQ(order.size(), static_cast<std::size_t>(shape.micro_batches * shape.chunks * (apart ? 3 : 2)));
      for (int batch = 0; batch < shape.micro_batches; ++batch)
        for (int chunk = 0; chunk < shape.chunks; ++chunk) {
          const auto when = [&](Kind kind) { return at.at({batch, chunk, kind}); };
          EXPECT_LT(when(Kind::FORWARD), when(apart ? Kind::INPUT_GRADIENT : Kind::BACKWARD));
          if (apart) {
            EXPECT_LT(when(Kind::INPUT_GRADIENT), when(Kind::WEIGHT_GRADIENT));
          }
        }
    }
}

// 1F1B stashes p - s micro-batches on stage s, GPipe all m; ZB-H1 at most p on each (arXiv 2401.10241).
TEST(PipelineOrder, holds_as_many_as_the_schedule_promises) {
  for (int stage = 0; stage < 4; ++stage) {
    EXPECT_EQ(most_in_flight(pipeline_order(PipelineSchedule::GPIPE, 4, stage, 12, 1)), 12);
    EXPECT_EQ(most_in_flight(pipeline_order(PipelineSchedule::ONE_F_ONE_B, 4, stage, 12, 1)), 4 - stage);
    EXPECT_LE(most_in_flight(pipeline_order(PipelineSchedule::ZERO_BUBBLE, 4, stage, 12, 1)), 4);
  }
}

// Megatron-LM, 2 stages and 2 chunks, 4 micro-batches: stage 0 runs (p-1)*2 + (v-1)*p = 2 + 2 forward passes first:
// batches 0 and 1 through chunk 0, then through chunk 1.
TEST(PipelineOrder, interleaves_chunks_by_groups_of_micro_batches) {
  const auto order = pipeline_order(PipelineSchedule::INTERLEAVED, 2, 0, 4, 2);
  const std::vector<PipelineStep> first{{Kind::FORWARD, 0, 0}, {Kind::FORWARD, 1, 0}, {Kind::FORWARD, 0, 1},
                                        {Kind::FORWARD, 1, 1}, {Kind::FORWARD, 2, 0}, {Kind::BACKWARD, 0, 1}};
  EXPECT_TRUE(std::equal(first.begin(), first.end(), order.begin()));
}

TEST(PipelineOrder, refuses_what_does_not_exist_with_both_numbers) {
  EXPECT_EQ(check_pipeline(PipelineSchedule::ONE_F_ONE_B, 4, 8, 1), "");
  EXPECT_EQ(check_pipeline(PipelineSchedule::INTERLEAVED, 4, 8, 2), "");
  EXPECT_NE(check_pipeline(PipelineSchedule::INTERLEAVED, 4, 6, 2)
                .find("multiple of the 4 stages (pp) as "
                      "micro-batches; found 6"),
            std::string::npos);
  EXPECT_NE(check_pipeline(PipelineSchedule::GPIPE, 4, 8, 2), "");
  EXPECT_NE(check_pipeline(PipelineSchedule::INTERLEAVED, 4, 8, 1), "");
}

} // namespace
} // namespace tandem::workload
