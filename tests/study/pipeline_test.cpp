// Pipeline schedules against their closed forms, where messages take no time and stages are equal.
#include "engine/child.h"
#include "engine/machines.h"
#include "workload/pipeline_order.h"
#include "workload/rank_grid.h"

#include <gtest/gtest.h>

#include <map>

namespace tandem::study {
namespace {

using workload::PipelineSchedule;
using workload::PipelineStep;
using Kind = PipelineStep::Kind;

std::shared_ptr<const model::Schedule> kernel(double seconds) {
  model::ProgramBuilder program;
  program.add({.delay = model::Seconds(seconds)});
  model::Schedule schedule;
  schedule.piece_bytes = {0.0};
  schedule.labels = {"kernel"};
  schedule.programs.push_back(program.build());
  return std::make_shared<const model::Schedule>(std::move(schedule));
}

/// The first of two ranks sends nothing to the second, who waits for it.
std::shared_ptr<const model::Schedule> empty_message() {
  model::Schedule schedule;
  schedule.ranks = 2;
  schedule.piece_bytes = {0.0, 0.0};
  schedule.labels = {"message"};
  for (const auto kind : {model::OpKind::TRANSFER, model::OpKind::RECV}) {
    model::ProgramBuilder program;
    program.add(
        {.kind = kind, .stream = model::Stream::COMMUNICATION, .peer = kind == model::OpKind::TRANSFER ? 1 : -1});
    schedule.programs.push_back(program.build());
  }
  schedule.program_of = {0, 1};
  return std::make_shared<const model::Schedule>(std::move(schedule));
}

/// A pipeline whose stages take `forward` and `backward` seconds for a micro-batch in each of `chunks`.
double simulated(PipelineSchedule schedule, int stages, int micro_batches, int chunks, double forward,
                 double backward) {
  const workload::RankGrid grid({.pp = stages}, "tp-cp-ep-dp-pp");
  model::Job job;
  job.ranks = stages;
  job.names = {""};
  job.streams = {"compute", "forward in", "forward out", "backward in", "backward out"};
  job.schedules = {empty_message(), kernel(forward), kernel(backward), kernel(backward / 2)};
  job.groupings = {grid.alone()};
  std::map<std::pair<int, int>, std::uint32_t> pairs;
  const auto pair = [&](int from, int to) {
    const auto [entry, is_new] = pairs.try_emplace({from, to}, static_cast<std::uint32_t>(job.groupings.size()));
    if (is_new)
      job.groupings.push_back(grid.stages(from, to));
    return entry->second;
  };
  for (int stage = 0; stage < stages; ++stage) {
    model::TaskProgramBuilder program;
    const int before = (stage + stages - 1) % stages, after = (stage + 1) % stages;
    for (const auto& step : workload::pipeline_order(schedule, stages, stage, micro_batches, chunks)) {
      const bool forwards = step.kind == Kind::FORWARD, messages = stages > 1 && step.kind != Kind::WEIGHT_GRADIENT;
      const int place = step.chunk * stages + stage, last = stages * chunks - 1;
      const int from = forwards ? before : after, to = forwards ? after : before;
      const std::uint16_t in = forwards ? 1 : 3, out = forwards ? 2 : 4, lane = forwards ? 0 : 1;
      std::vector<std::uint32_t> awaited;
      if (messages && (forwards ? place > 0 : place < last))
        awaited.push_back(program.add({.grouping = pair(from, stage), .stream = in, .lane = lane}));
      const std::uint32_t work = forwards ? 1U : step.kind == Kind::BACKWARD ? 2U : 3U;
      const auto done = program.add({.schedule = work}, awaited);
      if (messages && (forwards ? place < last : place > 0))
        program.add({.grouping = pair(stage, to), .stream = out, .lane = lane}, {done});
    }
    job.programs.push_back(program.build());
    job.program_of.push_back(static_cast<std::uint32_t>(stage));
  }
  return test::played(test::switched(std::max(2, stages)), job, {}).end_s;
}

// GPipe and 1F1B: the last stage begins after p - 1 forwards of the others, and the first one ends p - 1 backwards
// after it: (m + p - 1)(f + b), a bubble of (p - 1) / m of the work.
TEST(Pipeline, gpipe_and_1f1b_take_m_plus_p_minus_1_micro_batches) {
  for (const auto schedule : {PipelineSchedule::GPIPE, PipelineSchedule::ONE_F_ONE_B})
    for (const int stages : {1, 2, 3, 4, 8})
      for (const int batches : {8, 16, 17}) {
        const double expected = (batches + stages - 1) * 3.0;
        EXPECT_NEAR(simulated(schedule, stages, batches, 1, 1.0, 2.0), expected, 1e-6 * expected)
            << workload::to_string(schedule) << ' ' << stages << " stages, " << batches;
      }
}

// Interleaved with v chunks, each of 1/v of the time: the bubble is (p - 1) / (v m) of the work.
TEST(Pipeline, interleaving_divides_the_bubble_by_the_chunks) {
  for (const int stages : {2, 4, 8})
    for (const int chunks : {2, 3, 4})
      for (const int times : {2, 3}) {
        const int batches = stages * times;
        const double expected = (batches + (stages - 1.0) / chunks) * 3.0;
        EXPECT_NEAR(simulated(PipelineSchedule::INTERLEAVED, stages, batches, chunks, 1.0 / chunks, 2.0 / chunks),
                    expected, 1e-6 * expected)
            << stages << " stages, " << chunks << " chunks, " << batches;
      }
}

// ZB-H1 (arXiv 2401.10241): with forward, input and weight gradients of 1 s each the bubble is (p - 1)(1 + 1 - 1) s.
TEST(Pipeline, weight_gradients_fill_two_thirds_of_the_bubble) {
  for (const int stages : {2, 4, 8})
    for (const int batches : {2 * stages, 3 * stages}) {
      const double expected = batches * 3.0 + (stages - 1);
      EXPECT_NEAR(simulated(PipelineSchedule::ZERO_BUBBLE, stages, batches, 1, 1.0, 2.0), expected, 1e-6 * expected)
          << stages << " stages, " << batches;
    }
}

} // namespace
} // namespace tandem::study
