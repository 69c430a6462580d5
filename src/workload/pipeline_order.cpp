// Warm-up, steady state and drain of each pipeline schedule.
#include "workload/pipeline_order.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::workload {

namespace {

using Kind = PipelineStep::Kind;
using Order = std::vector<PipelineStep>;

Order gpipe(int micro_batches) {
  Order order;
  for (int i = 0; i < micro_batches; ++i)
    order.push_back({Kind::FORWARD, i, 0});
  for (int i = 0; i < micro_batches; ++i)
    order.push_back({Kind::BACKWARD, i, 0});
  return order;
}

/// The k-th forward of a stage: groups of `stages` micro-batches go through chunk 0, then through chunk 1, ...
PipelineStep interleaved_forward(int k, int stages, int chunks) {
  const int in_group = k % (stages * chunks);
  return {Kind::FORWARD, k / (stages * chunks) * stages + in_group % stages, in_group / stages};
}

PipelineStep interleaved_backward(int k, int stages, int chunks) {
  auto step = interleaved_forward(k, stages, chunks);
  step.kind = Kind::BACKWARD;
  step.chunk = chunks - 1 - step.chunk;
  return step;
}

/// With one chunk this is plain 1F1B.
Order one_f_one_b(int stages, int stage, int micro_batches, int chunks) {
  const int steps = micro_batches * chunks;
  const int ahead = chunks == 1 ? stages - 1 - stage : (stages - 1 - stage) * 2 + (chunks - 1) * stages;
  // Megatron-LM: with as many micro-batches as stages the interleaved schedule runs all forward passes first.
  const int warm_up = chunks > 1 && micro_batches == stages ? steps : std::min(ahead, steps);
  Order order;
  order.reserve(static_cast<std::size_t>(steps) * 2);
  for (int k = 0; k < warm_up; ++k)
    order.push_back(interleaved_forward(k, stages, chunks));
  for (int k = 0; k < steps; ++k) {
    if (warm_up + k < steps)
      order.push_back(interleaved_forward(warm_up + k, stages, chunks));
    order.push_back(interleaved_backward(k, stages, chunks));
  }
  return order;
}

/// Stage s holds at most `stages` micro-batches, as the first stage of 1F1B does: s weight gradients may wait.
Order zero_bubble(int stages, int stage, int micro_batches) {
  const int warm_up = std::min(stages - 1 - stage, micro_batches);
  Order order;
  for (int i = 0; i < warm_up; ++i)
    order.push_back({Kind::FORWARD, i, 0});
  int weights = 0;
  for (int i = 0; i < micro_batches; ++i) {
    if (warm_up + i < micro_batches)
      order.push_back({Kind::FORWARD, warm_up + i, 0});
    order.push_back({Kind::INPUT_GRADIENT, i, 0});
    const bool drains = warm_up + i + 1 >= micro_batches; // one between two backward passes of the stages behind
    if (i + 1 - weights > stage || drains)
      order.push_back({Kind::WEIGHT_GRADIENT, weights++, 0});
  }
  while (weights < micro_batches)
    order.push_back({Kind::WEIGHT_GRADIENT, weights++, 0});
  return order;
}

} // namespace

std::string to_string(PipelineSchedule schedule) {
  switch (schedule) {
  case PipelineSchedule::GPIPE:
    return "gpipe";
  case PipelineSchedule::ONE_F_ONE_B:
    return "1f1b";
  case PipelineSchedule::INTERLEAVED:
    return "interleaved";
  case PipelineSchedule::ZERO_BUBBLE:
    return "zero-bubble";
  }
  return {};
}

std::string check_pipeline(PipelineSchedule schedule, int stages, int micro_batches, int chunks) {
  if (schedule != PipelineSchedule::INTERLEAVED && chunks > 1)
    return fmt::format("{} model chunks per stage (vpp) need the schedule interleaved, not {}", chunks,
                       to_string(schedule));
  if (schedule == PipelineSchedule::INTERLEAVED && chunks < 2)
    return "the schedule interleaved needs at least 2 model chunks per stage (vpp); found 1";
  if (schedule == PipelineSchedule::INTERLEAVED && micro_batches % stages != 0)
    return fmt::format("the schedule interleaved needs a multiple of the {} stages (pp) as micro-batches; found {}",
                       stages, micro_batches);
  return {};
}

Order pipeline_order(PipelineSchedule schedule, int stages, int stage, int micro_batches, int chunks) {
  switch (schedule) {
  case PipelineSchedule::GPIPE:
    return gpipe(micro_batches);
  case PipelineSchedule::ONE_F_ONE_B:
  case PipelineSchedule::INTERLEAVED:
    return one_f_one_b(stages, stage, micro_batches, chunks);
  case PipelineSchedule::ZERO_BUBBLE:
    return zero_bubble(stages, stage, micro_batches);
  }
  return {};
}

int most_in_flight(const Order& order) {
  int held = 0, most = 0;
  for (const auto& step : order) {
    if (step.kind == Kind::FORWARD)
      most = std::max(most, ++held);
    else if (step.kind != Kind::INPUT_GRADIENT)
      --held;
  }
  return most;
}

} // namespace tandem::workload
