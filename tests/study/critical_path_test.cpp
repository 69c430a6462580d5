// The critical path of iterations whose path is known.
#include "collective/built_clusters.h"
#include "small_training.h"

#include "study/train.h"

#include <gtest/gtest.h>

namespace tandem::study {
namespace {

using model::Dimension;

model::TrainCase iteration(const workload::ParallelPlan& plan, TrainOptions options = {}, double slower = 1.0) {
  auto cluster = collective::switch_of(plan.ranks());
  for (auto& link : cluster.links.stored())
    link.bandwidth = model::BytesPerSecond(link.bandwidth.value() / slower);
  return run_training(small_gpt(), plan, cluster, options).cases.front();
}

double term(const model::TrainCase& result, const std::string& what) {
  for (const auto& one : result.critical_path)
    if (one.what == what)
      return one.seconds;
  return 0.0;
}

double length(const model::TrainCase& result) {
  double sum = 0.0;
  for (const auto& one : result.critical_path)
    sum += one.seconds;
  return sum;
}

double exposed(const model::TrainCase& result, Dimension dimension) {
  return result.breakdown.exposed_s[static_cast<std::size_t>(dimension)];
}

// No moment is left out or counted twice, whoever waits for whom.
TEST(CriticalPath, is_as_long_as_the_iteration) {
  for (auto plan : {small_plan(1, 1, 1, 2), small_plan(2, 1, 2, 2), small_plan(2, 2, 1, 4), small_plan(1, 4, 2, 4)}) {
    plan.zero = 1;
    const auto result = iteration(plan);
    EXPECT_NEAR(length(result), result.iteration_s, 1e-9 * result.iteration_s) << to_string(plan);
  }
}

// The second of two iterations begins when the first has ended, and takes as long.
TEST(CriticalPath, is_that_of_the_last_iteration) {
  TrainOptions two;
  two.iterations = 2;
  two.warmup = 1;
  const auto result = iteration(small_plan(2, 2, 1, 4), two);
  EXPECT_NEAR(length(result), result.iteration_s, 1e-9 * result.iteration_s);
}

// One GPU only computes.
TEST(CriticalPath, of_one_gpu_is_its_kernels) {
  const auto result = iteration(small_plan(1, 1, 1, 2));
  EXPECT_GT(term(result, "GEMM"), 0.2 * result.iteration_s);
  EXPECT_NEAR(term(result, "optimizer"), result.breakdown.optimizer_s, 1e-9 * result.iteration_s);
  for (const auto& one : result.critical_path)
    EXPECT_EQ(one.what.find("all-"), std::string::npos) << one.what;
}

// Nothing runs beside a collective that is awaited at once: all of it is exposed, and all of it is on the path.
TEST(CriticalPath, holds_what_is_awaited_at_once) {
  auto plan = small_plan(2, 1, 1, 2);
  plan.overlap_tp = false;
  const auto tp = iteration(plan);
  EXPECT_NEAR(term(tp, "tp all-reduce"), exposed(tp, Dimension::TP), 1e-9 * tp.iteration_s);
  EXPECT_GT(term(tp, "tp all-reduce"), 0.0);
  plan = small_plan(1, 1, 2, 2);
  plan.overlap_gradients = false;
  const auto dp = iteration(plan);
  EXPECT_NEAR(term(dp, "dp all-reduce"), exposed(dp, Dimension::DP), 1e-9 * dp.iteration_s);
  EXPECT_GT(term(dp, "dp all-reduce"), 0.0);
}

// Gradients that are reduced behind the backward pass are on the path only where the links are too slow for them: at a
// hundredth of the bandwidth they are most of it.
TEST(CriticalPath, goes_over_what_cannot_be_hidden) {
  auto plan = small_plan(1, 1, 2, 2);
  plan.bucket = base::Bytes(1e6);
  const auto fast = iteration(plan), slow = iteration(plan, {}, 100.0);
  EXPECT_LT(term(fast, "dp all-reduce"), 0.5 * fast.iteration_s);
  EXPECT_GT(term(slow, "dp all-reduce"), 0.5 * slow.iteration_s);
}

// A pipeline's path goes through its stages: nobody waits on it, though each stage does.
TEST(CriticalPath, of_a_pipeline_has_no_bubble) {
  const auto result = iteration(small_plan(1, 4, 1, 4));
  EXPECT_GT(result.breakdown.bubble_s, 0.2 * result.iteration_s);
  EXPECT_LT(term(result, "waiting"), 0.01 * result.iteration_s);
  EXPECT_GT(term(result, "pp message"), 0.0);
}

// Ranks that are played for many others lead to the same path.
TEST(CriticalPath, of_classes_is_that_of_ranks) {
  TrainOptions whole;
  whole.fold = engine::Fold::OFF;
  const auto plan = small_plan(2, 2, 2, 4);
  const auto folded = iteration(plan), single = iteration(plan, whole);
  ASSERT_EQ(folded.critical_path.size(), single.critical_path.size());
  for (const auto& one : folded.critical_path)
    EXPECT_NEAR(one.seconds, term(single, one.what), 1e-9 * single.iteration_s) << one.what;
}

} // namespace
} // namespace tandem::study
