// A host that issues the tasks: the GPU runs behind it, or waits for it.
#include "engine/child.h"
#include "engine/machines.h"
#include "engine/programs.h"

#include <array>
#include <gtest/gtest.h>

namespace tandem::test {
namespace {

using model::Purpose;
using model::TaskProgramBuilder;

/// One rank with kernels of 1 s on all SMs of the round device, on two streams; the host takes `issue_s` for each.
model::Job issued(double issue_s) {
  model::ProgramBuilder kernel;
  kernel.add(sm_work(80, 80.0));
  auto made = schedule(std::move(kernel));
  made.issue = made.issue_lead = model::Seconds(issue_s);
  model::Job job;
  job.ranks = 1;
  job.schedules = {std::make_shared<const model::Schedule>(std::move(made))};
  job.streams = {"compute", "more"};
  job.names = {""};
  job.groupings.emplace_back("alone", 1, std::vector<std::vector<std::uint32_t>>{{0}});
  job.issued_by_host = true;
  return job;
}

model::Recording run(model::Job job, TaskProgramBuilder& program) {
  job.programs.push_back(program.build());
  return played(ring(1), job, {.record_times = true, .record_tasks = true});
}

// Three kernels of 1 s. A host that takes 2 s for each has issued the last one at 6 s: 7 s, of which 4 wait for it. One
// that takes 0.25 s is ahead from the first one on: 0.25 + 3 s.
TEST(Host, the_slower_of_host_and_gpu_decides) {
  for (const auto& [issue, end, waits] : {std::array{2.0, 7.0, 4.0}, std::array{0.25, 3.25, 0.25}}) {
    TaskProgramBuilder program;
    for (int kernel = 0; kernel < 3; ++kernel)
      program.add({.purpose = Purpose::FORWARD});
    const auto recording = run(issued(issue), program);
    EXPECT_NEAR(recording.end_s, end, 1e-9);
    EXPECT_NEAR(recording.times[0].compute_s[static_cast<std::size_t>(Purpose::FORWARD)], 3.0, 1e-9);
    EXPECT_NEAR(recording.times[0].compute_s[static_cast<std::size_t>(Purpose::OTHER)], waits, 1e-9);
    EXPECT_NEAR(recording.times[0].idle_s, 0.0, 1e-12);
  }
}

// The negative control: the same costs of a job that no host issues.
TEST(Host, costs_nothing_where_it_does_not_issue) {
  auto job = issued(2.0);
  job.issued_by_host = false;
  TaskProgramBuilder program;
  for (int kernel = 0; kernel < 3; ++kernel)
    program.add({});
  EXPECT_NEAR(run(std::move(job), program).end_s, 3.0, 1e-9);
}

// The first kernel is issued at 0.5 s and, alone, done at 1.5 s. The second, on another stream, begins at 1 s; or,
// where the host waits for the first, 0.5 s behind its end.
TEST(Host, issues_nothing_while_it_waits_for_a_task) {
  for (const bool waits : {false, true}) {
    TaskProgramBuilder program;
    program.add({.host_waits = waits});
    program.add({.stream = 1});
    const auto tasks = run(issued(0.5), program).tasks;
    ASSERT_EQ(tasks.size(), 2U);
    EXPECT_NEAR(tasks[0].begin_s, 0.5, 1e-9);
    EXPECT_NEAR(tasks[1].begin_s, waits ? 2.0 : 1.0, 1e-9);
  }
}

} // namespace
} // namespace tandem::test
