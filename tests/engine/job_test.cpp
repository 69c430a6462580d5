// Jobs: tasks on streams, in groups that overlap, several at once; where a rank's time goes; what its memory holds.
#include "base/error.h"
#include "engine/child.h"
#include "engine/machines.h"
#include "engine/programs.h"

#include <gtest/gtest.h>

namespace tandem::test {
namespace {

using model::Dimension;
using model::ProgramBuilder;
using model::Purpose;
using model::Task;
using model::TaskProgramBuilder;

constexpr int DP = static_cast<int>(Dimension::DP);

std::shared_ptr<const model::Schedule> shared(model::Schedule made) {
  return std::make_shared<const model::Schedule>(std::move(made));
}

/// A kernel of `seconds` on all SMs of the round device.
std::shared_ptr<const model::Schedule> kernel(double seconds) {
  ProgramBuilder program;
  program.add(sm_work(80, 80.0 * seconds));
  return shared(schedule(std::move(program)));
}

/// The first of two ranks sends a piece of `bytes` to the second.
std::shared_ptr<const model::Schedule> message(double bytes) {
  std::vector<ProgramBuilder> programs(2);
  programs[0].add(send_to(1));
  programs[1].add(receive_from(-1));
  return shared(schedule(std::move(programs), bytes));
}

/// Ranks that are alone with themselves, for kernels, and further groupings.
model::Job job(int ranks, std::vector<std::shared_ptr<const model::Schedule>> schedules) {
  model::Job made;
  made.ranks = ranks;
  made.schedules = std::move(schedules);
  made.streams = {"compute", "communication", "more"};
  made.names = {""};
  std::vector<std::vector<std::uint32_t>> alone;
  for (std::uint32_t rank = 0; rank < static_cast<std::uint32_t>(ranks); ++rank)
    alone.push_back({rank});
  made.groupings.emplace_back("alone", ranks, alone);
  return made;
}

// Two kernels of 1 s each on all SMs: on one stream 1 s after the other, on two streams side by side, each at half the
// rate; either way both are done at 2 s, but the first of two streams not at 1 s.
TEST(Job, streams_run_side_by_side_and_tasks_of_one_in_turn) {
  for (const bool one_stream : {true, false}) {
    auto made = job(1, {kernel(1.0)});
    TaskProgramBuilder program;
    program.add({.stream = 0});
    program.add({.stream = static_cast<std::uint16_t>(one_stream ? 0 : 1)});
    made.programs.push_back(program.build());
    const auto tasks = played(ring(1), made, {.record_tasks = true}).tasks;
    ASSERT_EQ(tasks.size(), 2U);
    EXPECT_NEAR(tasks[0].end_s, one_stream ? 1.0 : 2.0, 1e-9);
    EXPECT_NEAR(tasks[1].begin_s, one_stream ? 1.0 : 0.0, 1e-9);
    EXPECT_NEAR(tasks[1].end_s, 2.0, 1e-9);
  }
}

// Rank 0 sends 1000 B to rank 2 in the group {0, 2} and 3000 B to rank 1 in the group {0, 1}, at once, through
// its link into the switch of 1000 B/s: 500 B/s each, so the first is done at 2 s; the other has 2000 B left: 4 s.
TEST(Job, overlapping_groups_share_a_link) {
  auto made = job(3, {message(1000.0), message(3000.0)});
  made.groupings.emplace_back("far", 3, std::vector<std::vector<std::uint32_t>>{{0, 2}});
  made.groupings.emplace_back("near", 3, std::vector<std::vector<std::uint32_t>>{{0, 1}});
  const Task far{.schedule = 0, .grouping = 1, .stream = 1}, near{.schedule = 1, .grouping = 2, .stream = 2};
  TaskProgramBuilder program;
  program.add(far);
  program.add(near);
  made.programs.push_back(program.build());
  program.add(near);
  made.programs.push_back(program.build());
  program.add(far);
  made.programs.push_back(program.build());
  made.program_of = {0, 1, 2};
  const auto recording = played(switched(3), made, {.record_tasks = true});
  for (const auto& task : recording.tasks)
    EXPECT_NEAR(task.end_s, task.rank == 2 || (task.rank == 0 && task.task == 0) ? 2.0 : 4.0, 1e-9)
        << "rank " << task.rank << " task " << task.task;
}

// 2 s of computing beside a message of 3000 B over 1000 B/s: 1 s of it is exposed. Then 1 s of the optimizer: 4 s.
TEST(Job, communication_is_exposed_where_nothing_computes) {
  auto made = job(2, {kernel(2.0), message(3000.0), kernel(1.0)});
  made.groupings.emplace_back("dp", 2, std::vector<std::vector<std::uint32_t>>{{0, 1}});
  TaskProgramBuilder program;
  program.add({.schedule = 0, .stream = 0, .purpose = Purpose::BACKWARD});
  const auto sent = program.add({.schedule = 1, .grouping = 1, .stream = 1, .dimension = Dimension::DP});
  program.add({.schedule = 2, .stream = 0, .purpose = Purpose::OPTIMIZER, .ends_iteration = true}, {sent});
  made.programs.push_back(program.build());
  const auto recording = played(ring(2), made, {.record_times = true});
  ASSERT_EQ(recording.times.size(), 2U);
  for (const auto& time : recording.times) {
    EXPECT_NEAR(time.compute_s[static_cast<int>(Purpose::BACKWARD)], 2.0, 1e-9);
    EXPECT_NEAR(time.exposed_s[DP], 1.0, 1e-9);
    EXPECT_NEAR(time.compute_s[static_cast<int>(Purpose::OPTIMIZER)], 1.0, 1e-9);
    EXPECT_NEAR(time.idle_s, 0.0, 1e-9);
  }
  EXPECT_NEAR(recording.marks[1].at(0).at_s, 4.0, 1e-9);
}

// Rank 0 computes for 2 s and sends 1000 B for 1 s; rank 1 waits for that. As another pipeline stage it is idle for 2 s
// and communicates for 1 s; in any other dimension waiting is part of the communication.
TEST(Job, waiting_for_another_stage_is_idle_time) {
  for (const auto dimension : {Dimension::PP, Dimension::OTHER}) {
    auto made = job(2, {kernel(2.0), message(1000.0)});
    made.groupings.emplace_back("pp", 2, std::vector<std::vector<std::uint32_t>>{{0, 1}});
    const Task move{.schedule = 1, .grouping = 1, .stream = 1, .dimension = dimension};
    TaskProgramBuilder program;
    const auto computed = program.add({.schedule = 0, .purpose = Purpose::FORWARD});
    program.add(move, {computed});
    made.programs.push_back(program.build());
    program.add(move);
    made.programs.push_back(program.build());
    made.program_of = {0, 1};
    const auto recording = played(ring(2), made, {.record_times = true});
    const bool is_stage = dimension == Dimension::PP;
    EXPECT_NEAR(recording.times[1].idle_s, is_stage ? 2.0 : 0.0, 1e-9);
    EXPECT_NEAR(recording.times[1].exposed_s[static_cast<std::size_t>(dimension)], is_stage ? 1.0 : 3.0, 1e-9);
    EXPECT_NEAR(recording.times[0].exposed_s[static_cast<std::size_t>(dimension)], 1.0, 1e-9);
  }
}

// 10 B of parameters at all times, 5 B of activations from the first task to the end of the second, 3 B of a buffer
// while the second runs, from 1 s on.
TEST(Job, memory_has_its_peak_when_most_is_held) {
  auto made = job(1, {kernel(1.0)});
  made.memory_accounts = {"parameters", "activations", "buffers"};
  made.memory_changes.push_back({{{1, model::Bytes(5.0)}}, {}});
  made.memory_changes.push_back({{{2, model::Bytes(3.0)}}, {{1, model::Bytes(-5.0)}, {2, model::Bytes(-3.0)}}});
  TaskProgramBuilder program;
  program.add({.memory = 1});
  program.add({.memory = 2});
  made.programs.push_back(program.build());
  made.programs.front().memory_at_start = {model::Bytes(10.0), model::Bytes(0.0), model::Bytes(0.0)};
  const auto recording = played(ring(1), made, {});
  ASSERT_EQ(recording.memory.size(), 1U);
  EXPECT_EQ(recording.memory[0].peak_bytes, 18.0);
  EXPECT_NEAR(recording.memory[0].peak_at_s, 1.0, 1e-9);
  EXPECT_EQ(recording.memory[0].at_peak, (std::vector<double>{10.0, 5.0, 3.0}));
  EXPECT_EQ(recording.memory[0].at_end, (std::vector<double>{10.0, 0.0, 0.0}));
}

// Rank 1 waits for a message that rank 0 never sends: the report names the task.
TEST(Job, a_deadlock_names_the_task) {
  auto made = job(2, {message(1000.0), kernel(1.0)});
  made.groupings.emplace_back("pp", 2, std::vector<std::vector<std::uint32_t>>{{0, 1}});
  made.names = {"", "micro-batch 3"};
  TaskProgramBuilder program;
  program.add({.schedule = 1});
  made.programs.push_back(program.build());
  program.add({.schedule = 0, .grouping = 1, .name = 1});
  made.programs.push_back(program.build());
  made.program_of = {0, 1};
  try {
    played(ring(2), made, {});
    FAIL() << "it ended";
  } catch (const engine::Deadlock& error) {
    EXPECT_NE(std::string(error.what()).find("in micro-batch 3"), std::string::npos) << error.what();
  }
}

TEST(Job, a_group_of_another_size_is_our_bug) {
  auto made = job(2, {message(1000.0)});
  TaskProgramBuilder program;
  program.add({});
  made.programs.push_back(program.build());
  EXPECT_THROW(played(ring(2), made, {}), base::Bug);
  EXPECT_THROW(model::Grouping("twice", 2, {{0, 1}, {1}}), base::Bug);
  EXPECT_THROW(model::Grouping("beyond", 2, {{2}}), base::Bug);
}

} // namespace
} // namespace tandem::test
