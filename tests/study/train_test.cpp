// Whole iterations: what adds up, what a machine without limits leaves, and how choices relate to each other.
#include "collective/built_clusters.h"
#include "small_training.h"
#include "study/train.h"

#include "base/error.h"
#include "workload/layer_memory.h"

#include <gtest/gtest.h>

#include <numeric>

namespace tandem::study {
namespace {

using model::Dimension;
using workload::ParallelPlan;
using workload::PipelineSchedule;

model::TrainCase run(const ParallelPlan& made, const model::Cluster& cluster, TrainOptions options = {}) {
  return run_training(small_gpt(), made, cluster, options).cases.front();
}

double exposed(const model::TrainCase& result, Dimension dimension) {
  return result.breakdown.exposed_s[static_cast<std::size_t>(dimension)];
}

/// Links, copies and memories without limits, launches and ways that cost nothing.
model::Cluster endless(int gpus) {
  auto device = collective::small_device();
  device.sm_copy_bandwidth = model::BytesPerSecond(1e24);
  device.hbm_bandwidth = model::BytesPerSecond(1e24);
  device.kernel_launch = model::Seconds(0.0);
  auto cluster = collective::switch_of(gpus, device);
  for (auto& link : cluster.links.stored())
    link.bandwidth = model::BytesPerSecond(1e24);
  cluster.router = std::make_shared<collective::SwitchRouter>(model::Seconds(0.0));
  return cluster;
}

// Each term is accumulated on its own; run_training() would throw Bug if a stage's did not sum to the iteration.
TEST(Train, terms_of_every_plan_add_up) {
  for (auto made : {small_plan(1, 1, 1, 2), small_plan(2, 1, 2, 2), small_plan(2, 2, 1, 4), small_plan(1, 2, 2, 4),
                    small_plan(2, 2, 2, 2)})
    for (const int zero : {0, 1, 3}) {
      if (zero == 3 && made.pp > 1)
        continue;
      made.zero = zero;
      const auto result = run(made, collective::switch_of(made.ranks()));
      EXPECT_NEAR(result.breakdown.sum(), result.iteration_s, 1e-9 * result.iteration_s) << to_string(made);
      EXPECT_GT(result.iteration_s, result.lower_bound_s);
    }
}

TEST(Train, without_limits_only_computing_and_the_bubble_are_left) {
  auto made = small_plan(2, 2, 2, 4);
  const auto result = run(made, endless(8));
  const double all = result.breakdown.compute_s + result.breakdown.bubble_s + result.breakdown.optimizer_s;
  EXPECT_NEAR(all, result.iteration_s, 1e-9 * result.iteration_s);
  EXPECT_GT(result.breakdown.bubble_s, 0.0);
}

// Without a pipeline nothing is idle.
TEST(Train, one_stage_has_no_bubble) {
  EXPECT_NEAR(run(small_plan(2, 1, 2, 2), collective::switch_of(4)).breakdown.bubble_s, 0.0, 1e-12);
}

TEST(Train, classes_and_single_ranks_take_the_same_time) {
  for (auto made : {small_plan(2, 2, 2, 4), small_plan(2, 1, 4, 1), small_plan(1, 4, 2, 4)}) {
    made.zero = 1;
    TrainOptions folded, whole;
    folded.fold = engine::Fold::ON;
    whole.fold = engine::Fold::OFF;
    const auto one = run(made, collective::switch_of(8), folded), other = run(made, collective::switch_of(8), whole);
    EXPECT_LT(one.classes, other.classes) << to_string(made);
    EXPECT_NEAR(one.iteration_s, other.iteration_s, 1e-9 * other.iteration_s) << to_string(made);
    EXPECT_NEAR(one.breakdown.bubble_s, other.breakdown.bubble_s, 1e-9 * other.iteration_s);
    EXPECT_NEAR(exposed(one, Dimension::DP), exposed(other, Dimension::DP), 1e-9 * other.iteration_s);
  }
}

// Steps one by one, or a ring's as one flow: the difference is where computing beside it changes the bottleneck.
TEST(Train, flows_stay_near_the_steps) {
  TrainOptions flows, steps;
  steps.granularity = Granularity::STEP;
  for (const auto& made : {small_plan(4, 1, 2, 2), small_plan(2, 2, 2, 4)}) {
    const double expected = run(made, collective::switch_of(8), steps).iteration_s;
    EXPECT_NEAR(run(made, collective::switch_of(8), flows).iteration_s, expected, 0.01 * expected) << to_string(made);
  }
}

// The fused strategies hide communication behind the GEMMs that make it; T3's reduction costs no SMs.
TEST(Train, overlap_pays_inside_an_iteration) {
  TrainOptions options;
  options.strategies = {"tp=sequential", "tp=t3", "tp=t3-mca"};
  const auto cases = run_training(small_gpt(), small_plan(4, 1, 1, 1), collective::ring_of(4), options).cases;
  EXPECT_LT(cases[1].iteration_s, cases[0].iteration_s);
  EXPECT_LT(cases[2].iteration_s, cases[0].iteration_s);
}

TEST(Train, gradients_hide_behind_the_backward_pass) {
  auto made = small_plan(1, 1, 4, 1);
  made.bucket = base::Bytes(4e6);
  const auto hidden = run(made, collective::switch_of(4));
  made.overlap_gradients = false;
  const auto shown = run(made, collective::switch_of(4));
  EXPECT_LT(hidden.iteration_s, shown.iteration_s);
  EXPECT_LT(exposed(hidden, Dimension::DP), exposed(shown, Dimension::DP));
}

// One rank holds all layers' activations when the head's forward pass ends; states are 2 + 4 + 12 bytes a parameter.
TEST(Train, memory_is_states_and_what_the_passes_keep) {
  const auto made = small_plan(1, 1, 1, 1);
  const auto model = small_gpt();
  const auto result = run(made, collective::switch_of(2).part({0}));
  const auto& stage = result.stages.front();
  const double kept = 4 * workload::layer_memory(model, model.kinds.front(), made.layer).kept.value() +
                      workload::embedding_memory(model, made.layer).kept.value() +
                      workload::head_memory(model, made.layer).kept.value();
  EXPECT_NEAR(stage.memory.peak_bytes, 18.0 * stage.parameters + kept, 1.0);
}

// 1F1B holds pp micro-batches of the first stage's layers, and one of the last's.
TEST(Train, the_first_stage_holds_most_activations) {
  const auto stages = run(small_plan(1, 4, 1, 8), collective::switch_of(4)).stages;
  constexpr std::size_t ACTIVATIONS = 3;
  const double layer =
      workload::layer_memory(small_gpt(), small_gpt().kinds.front(), small_plan(1, 4, 1, 8).layer).kept.value();
  EXPECT_GE(stages[0].memory.at_peak[ACTIVATIONS], 4 * layer);
  EXPECT_NEAR(stages[1].memory.at_peak[ACTIVATIONS], 3 * layer, 1.0);
}

TEST(Train, iterations_repeat) {
  auto made = small_plan(2, 1, 2, 2);
  made.zero = 3;
  const double once = run(made, collective::switch_of(4)).iteration_s;
  TrainOptions options;
  options.iterations = 3;
  options.warmup = 1;
  EXPECT_NEAR(run(made, collective::switch_of(4), options).iteration_s, once, 0.05 * once);
}

TEST(Train, what_does_not_fit_is_told_with_a_change_that_does) {
  auto device = collective::small_device();
  device.hbm_capacity = model::Bytes(0.9e9);
  const auto cluster = collective::switch_of(4, device);
  const auto made = small_plan(1, 1, 4, 1);
  const auto result = run_training(small_gpt(), made, cluster, {});
  const auto text = does_not_fit(small_gpt(), made, result);
  EXPECT_NE(text.find("out of memory: a GPU of stage 0 holds"), std::string::npos) << text;
  EXPECT_NE(text.find("would fit"), std::string::npos) << text;
}

TEST(Train, refuses_what_a_dimension_cannot_do) {
  TrainOptions options;
  options.strategies = {"tp=bruck"};
  EXPECT_THROW(run_training(small_gpt(), small_plan(4, 1, 1, 1), collective::switch_of(4), options), base::Infeasible);
  for (const auto* wrong : {"tq=ring", "tp=", "tp=ring,tp=tree", "ideal-overlap", "tp=rng"}) {
    options.strategies = {wrong};
    EXPECT_THROW(run_training(small_gpt(), small_plan(4, 1, 1, 1), collective::switch_of(4), options), base::UserError)
        << wrong;
  }
  EXPECT_THROW(run_training(small_gpt(), small_plan(2, 1, 1, 1), collective::switch_of(4), {}), base::UserError);
}

// The collectives that no GEMM makes go the same way in both: with the library's protocols in one of them only, overlap
// would look slower than none.
TEST(Train, overlap_is_held_against_the_same_collectives) {
  auto made = small_plan(4, 1, 1, 2);
  made.layer.sequence_parallel = true;
  TrainOptions plain, overlapped;
  plain.strategies = {"tp=sequential"};
  overlapped.strategies = {"tp=tile-fused"};
  const auto one = run(made, collective::switch_of(4), plain), other = run(made, collective::switch_of(4), overlapped);
  const auto used = [](const model::TrainCase& result, const std::string& line) {
    return std::find(result.used.begin(), result.used.end(), line) != result.used.end();
  };
  for (const auto* result : {&one, &other})
    EXPECT_TRUE(used(*result, "tp all-gather: sequential")) << result->strategies;
  EXPECT_TRUE(used(other, "tp reduce-scatter behind its GEMM: tile-fused"));
  EXPECT_LT(other.iteration_s, one.iteration_s);
}

} // namespace
} // namespace tandem::study
