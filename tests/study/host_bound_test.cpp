// Iterations whose kernels wait for the host that issues them.
#include "collective/built_clusters.h"
#include "small_training.h"
#include "study/train.h"
#include "workload/layer_kernels.h"
#include "workload/optimizer_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tandem::study {
namespace {

double iteration(double kernel_issue_s, double collective_issue_s = 0.0, int tp = 1) {
  auto plan = small_plan(tp, 1, 1, 2);
  plan.host = {"test", "", model::Seconds(kernel_issue_s), model::Seconds(collective_issue_s)};
  return run_training(small_gpt(), plan, collective::switch_of(tp), {}).cases.front().iteration_s;
}

int launches(const model::Steps& steps) {
  int sum = 0;
  for (const auto& step : steps)
    if (const auto* kernel = std::get_if<model::Kernel>(&step))
      sum += kernel->launches;
  return sum;
}

int collectives(const model::Steps& steps) {
  return static_cast<int>(std::count_if(steps.begin(), steps.end(), [](const model::Step& step) {
    return std::holds_alternative<model::Communication>(step);
  }));
}

/// Of two micro-batches of four layers, and one update.
int count(int (*counted)(const model::Steps&), int tp) {
  const auto model = small_gpt();
  const auto layer = small_plan(tp, 1, 1, 2).layer;
  const auto& kind = model.kinds.front();
  const int micro_batch =
      counted(workload::embedding_forward(model, layer)) + counted(workload::embedding_backward(model, layer)) +
      counted(workload::head_forward(model, layer)) + counted(workload::head_backward(model, layer)) +
      4 * (counted(workload::layer_forward(model, kind, layer)) +
           counted(workload::layer_backward(model, kind, layer)));
  return 2 * micro_batch + counted(workload::optimizer_step(1, workload::state_bytes("fp16", "adam", true), "adam"));
}

// A host that takes 10 ms for a kernel is always behind: 10 ms more for each cost 10 ms for each that is launched, and
// what the GPU does behind the last one is the same.
TEST(HostBound, each_launch_costs_what_the_host_takes) {
  const double first = iteration(10e-3), second = iteration(20e-3);
  EXPECT_NEAR((second - first) / 10e-3, count(launches, 1), 1e-6);
}

TEST(HostBound, each_collective_costs_what_its_call_takes) {
  const double first = iteration(10e-3, 0.0, 2), second = iteration(10e-3, 10e-3, 2);
  EXPECT_NEAR((second - first) / 10e-3, count(collectives, 2), 1e-6);
}

// Kernels of this model take microseconds: a host of a nanosecond is ahead of all but the first.
TEST(HostBound, a_host_that_is_ahead_costs_its_first_kernel) {
  EXPECT_NEAR(iteration(1e-9), iteration(0.0), 5e-9);
}

} // namespace
} // namespace tandem::study
