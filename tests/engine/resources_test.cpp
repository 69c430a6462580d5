// Bounded resources: the tracker that spills, slots that make operations wait.
#include "engine/child.h"
#include "engine/machines.h"
#include "engine/programs.h"

#include <gtest/gtest.h>

#include <map>

namespace tandem::test {
namespace {

using model::OpId;
using model::ProgramBuilder;
using model::WhenFull;

model::Op trigger() {
  return {.kind = model::OpKind::TRIGGER, .stream = model::Stream::COMMUNICATION};
}

/// Begin and end of each operation of rank 0.
std::map<std::uint32_t, std::pair<double, double>> times_of(const model::Recording& recording) {
  std::map<std::uint32_t, std::pair<double, double>> times;
  for (const auto& op : recording.ops)
    times[op.op] = {op.begin_s, op.end_s};
  return times;
}

/// Four blocks that are counted from their first event to their second: 0.5 to 4 s, 1 to 2, 1.5 to 3, and 3.5 to 5.
model::Recording play_tracker(int capacity) {
  ProgramBuilder program;
  for (const auto& [first, second] : {std::pair{0.5, 4.0}, {1.0, 2.0}, {1.5, 3.0}, {3.5, 5.0}}) {
    const OpId opens = program.add(sm_work(1, first)), closes = program.add(sm_work(1, second));
    program.add(trigger(), {opens, closes});
  }
  auto made = schedule(std::move(program));
  made.resources.push_back({"tracker", capacity, WhenFull::SPILL, model::Bytes(64.0)});
  made.tracker = 0;
  return played(ring(1), made, {.record_ops = true});
}

// Open at once: from 0.5 s one, from 1 s two, from 1.5 s three, after 2 s two, after 3 s one, from 3.5 s two. All
// operations have an SM of their own, so the times are those written. An entry that finds `capacity` open spills, once:
// of the four, with room for 3: none; 2: the third; 1: the second, third and fourth.
TEST(Tracker, spills_what_it_has_no_entry_for) {
  for (const auto& [capacity, spills] : {std::pair{4, 0}, {3, 0}, {2, 1}, {1, 3}}) {
    SCOPED_TRACE(capacity);
    const auto recording = play_tracker(capacity);
    ASSERT_EQ(recording.resources.size(), 1u);
    EXPECT_EQ(recording.resources[0].name, "tracker");
    EXPECT_EQ(recording.resources[0].capacity, capacity);
    EXPECT_EQ(recording.resources[0].peak, 3); // blocks counted at once, spilled ones among them
    EXPECT_EQ(recording.resources[0].spills, static_cast<std::uint64_t>(spills));
    // A spill reads and writes 64 B on the account OTHER.
    EXPECT_EQ(recording.dram[0].at(model::Phase::OTHER, model::Access::READ), 64.0 * spills);
    EXPECT_EQ(recording.dram[0].at(model::Phase::OTHER, model::Access::WRITE), 64.0 * spills);
    EXPECT_EQ(recording.dram[0].total(), 128.0 * spills);
    // Triggers fire at their second event.
    const auto times = times_of(recording);
    for (const auto& [op, end] : {std::pair{2u, 4.0}, {5u, 2.0}, {8u, 3.0}, {11u, 5.0}})
      EXPECT_NEAR(times.at(op).second, end, 1e-9 * end);
  }
}

// A spill of 1000 B is a read and a write: 2000 B on a memory of 1000 B/s, from 1 s on. A read of 1000 B from the same
// moment on shares it: 500 B/s until 3 s instead of 1000 B/s until 2 s.
TEST(Tracker, a_spill_takes_memory_from_others) {
  for (const auto& [capacity, expected] : {std::pair{2, 2.0}, {1, 3.0}}) {
    ProgramBuilder program;
    const OpId opens = program.add(sm_work(1, 0.5)), meets = program.add(sm_work(1, 1.0));
    const OpId last = program.add(sm_work(1, 4.0));
    program.add(trigger(), {opens, last});
    program.add(trigger(), {meets, last});
    const OpId read = program.add(memory_work(1000.0), {meets});
    auto made = schedule(std::move(program));
    made.resources.push_back({"tracker", capacity, WhenFull::SPILL, model::Bytes(1000.0)});
    made.tracker = 0;
    const auto times = times_of(played(ring(1), made, {.record_ops = true}));
    EXPECT_NEAR(times.at(read.index).second, expected, 1e-9 * expected);
  }
}

model::Op held_work(double seconds) {
  auto op = sm_work(1, seconds);
  op.acquires = op.releases = 0;
  return op;
}

model::Recording play_slots(ProgramBuilder program, int capacity) {
  auto made = schedule(std::move(program));
  made.resources.push_back({"slots", capacity, WhenFull::BLOCK, {}});
  return played(ring(1), made, {.record_ops = true});
}

// Four operations of 1, 2, 3 and 1 s, all ready at 0. One slot: one after the other, ends 1, 3, 6, 7. Two: the first
// two start at 0, the third at 1 (end 4), the fourth at 2 (end 3). Four: nobody waits.
TEST(Slots, make_operations_wait) {
  struct Row {
    int capacity;
    std::vector<double> begins, ends;
  };
  for (const auto& [capacity, begins, ends] :
       {Row{1, {0.0, 1.0, 3.0, 6.0}, {1.0, 3.0, 6.0, 7.0}}, Row{2, {0.0, 0.0, 1.0, 2.0}, {1.0, 2.0, 4.0, 3.0}},
        Row{4, {0.0, 0.0, 0.0, 0.0}, {1.0, 2.0, 3.0, 1.0}}}) {
    SCOPED_TRACE(capacity);
    ProgramBuilder program;
    for (const double seconds : {1.0, 2.0, 3.0, 1.0})
      program.add(held_work(seconds));
    const auto recording = play_slots(std::move(program), capacity);
    const auto times = times_of(recording);
    for (std::uint32_t op = 0; op < 4; ++op) {
      EXPECT_NEAR(times.at(op).first, begins[op], 1e-9 * (1.0 + begins[op])) << op;
      EXPECT_NEAR(times.at(op).second, ends[op], 1e-9 * ends[op]) << op;
    }
    EXPECT_EQ(recording.resources.at(0).peak, capacity);
    EXPECT_EQ(recording.resources.at(0).spills, 0u);
  }
}

// Slots are granted in program order: the first to hold the only one is ready at 2 s, so the second, ready at 0, has it
// from 3 s to 4 s.
TEST(Slots, are_granted_in_program_order) {
  ProgramBuilder program;
  const OpId work = program.add(sm_work(1, 2.0));
  program.add(held_work(1.0), {work});
  program.add(held_work(1.0));
  const auto times = times_of(play_slots(std::move(program), 1));
  EXPECT_NEAR(times.at(1).first, 2.0, 2e-9);
  EXPECT_NEAR(times.at(2).first, 3.0, 3e-9);
  EXPECT_NEAR(times.at(2).second, 4.0, 4e-9);
}

// A slot that one operation takes and another gives back: held from the start of the first (0 s) to the end of the
// second (3 s).
TEST(Slots, may_be_given_back_by_a_later_operation) {
  ProgramBuilder program;
  auto takes = sm_work(1, 1.0), gives = sm_work(1, 2.0);
  takes.acquires = 0;
  gives.releases = 0;
  const OpId first = program.add(takes);
  program.add(gives, {first});
  program.add(held_work(1.0));
  const auto times = times_of(play_slots(std::move(program), 1));
  EXPECT_NEAR(times.at(2).first, 3.0, 3e-9);
  EXPECT_NEAR(times.at(2).second, 4.0, 4e-9);
}

// Each rank has slots of its own: both hold one at the same time.
TEST(Slots, belong_to_a_rank) {
  std::vector<ProgramBuilder> programs(2);
  for (auto& program : programs)
    program.add(held_work(1.0));
  auto made = schedule(std::move(programs));
  made.resources.push_back({"slots", 1, WhenFull::BLOCK, {}});
  const auto recording = played(ring(2), made);
  EXPECT_NEAR(recording.end_s, 1.0, 1e-9);
  EXPECT_EQ(recording.resources.at(0).peak, 1);
}

} // namespace
} // namespace tandem::test
