// Runs that cannot go on: they end, and say in the user's terms why.
#include "base/error.h"
#include "engine/child.h"
#include "engine/machines.h"
#include "engine/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tandem::test {
namespace {

using model::ProgramBuilder;
using testing::HasSubstr;
using testing::Not;

/// The message of the Deadlock that playing ends with; what happened instead otherwise.
std::string deadlock_of(const model::Cluster& cluster, const model::Schedule& made) {
  try {
    played(cluster, made);
  } catch (const engine::Deadlock& deadlock) {
    return deadlock.what();
  } catch (const std::exception& error) {
    return std::string("no deadlock, but ") + error.what();
  }
  return "no deadlock, but an end";
}

TEST(Deadlock, names_a_receive_that_nobody_answers) {
  std::vector<ProgramBuilder> programs(3);
  const auto work = programs[2].add(memory_work(1500.0));
  programs[2].add(receive_from(-1), {work}); // from rank 1, posted after 1.5 s
  auto made = schedule(std::move(programs), 4096.0);
  made.labels = {"RS step 7"};
  const auto text = deadlock_of(ring(3), made);
  EXPECT_THAT(text, HasSubstr("deadlock"));
  EXPECT_THAT(text, HasSubstr("rank 2: RS step 7 waits to receive 4096 B from rank 1 (since 1.5 s)"));
  EXPECT_THAT(text, Not(HasSubstr("rank 0:")));
}

TEST(Deadlock, names_a_transfer_that_nobody_takes) {
  std::vector<ProgramBuilder> programs(2);
  programs[0].add(send_to(1));
  EXPECT_THAT(deadlock_of(ring(2), schedule(std::move(programs))),
              HasSubstr("rank 0: step waits to send 1000 B to rank 1 (since 0 s)"));
}

TEST(Deadlock, names_both_ranks_of_a_circle) {
  std::vector<ProgramBuilder> programs(2);
  for (auto& program : programs) {
    const auto got = program.add(receive_from(1));
    program.add(send_to(1), {got});
  }
  const auto text = deadlock_of(ring(2), schedule(std::move(programs)));
  EXPECT_THAT(text, HasSubstr("rank 0: step waits to receive 1000 B from rank 1 (since 0 s)"));
  EXPECT_THAT(text, HasSubstr("rank 1: step waits to receive 1000 B from rank 0 (since 0 s)"));
}

TEST(Deadlock, names_an_operation_that_waits_for_a_slot) {
  ProgramBuilder program;
  auto takes = sm_work(1, 1.0);
  takes.acquires = 0; // and nobody gives it back
  program.add(takes);
  program.add(takes);
  auto made = schedule(std::move(program));
  made.resources.push_back({"landing buffers", 1, model::WhenFull::BLOCK, {}});
  EXPECT_THAT(deadlock_of(ring(1), made), HasSubstr("rank 0: step waits for a slot of 'landing buffers' (since 0 s)"));
}

TEST(Deadlock, comes_after_a_finite_number_of_lines) {
  std::vector<ProgramBuilder> programs(64);
  for (auto& program : programs)
    program.add(receive_from(-1));
  const auto text = deadlock_of(ring(64), schedule(std::move(programs)));
  EXPECT_THAT(text, HasSubstr("rank 0: "));
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 20);
}

TEST(Play, runs_once_per_process) {
  ProgramBuilder program;
  program.add(sm_work(1, 1.0));
  const auto made = schedule(std::move(program));
  const auto cluster = ring(1);
  const auto twice = [&] {
    engine::play(cluster, {&made});
    engine::play(cluster, {&made});
    return std::string("both ran");
  };
  EXPECT_THROW(in_child(twice), base::Bug);
}

TEST(Play, refuses_a_cluster_that_is_too_small) {
  std::vector<ProgramBuilder> programs(5);
  try {
    played(ring(4), schedule(std::move(programs)));
    FAIL() << "accepted";
  } catch (const base::UserError& error) {
    EXPECT_STREQ(error.what(), "ring.xml: the platform has 4 GPUs, 5 are needed");
  }
}

// Rank 2 has a link to rank 3 only.
TEST(Play, refuses_ranks_that_are_not_connected) {
  std::vector<ProgramBuilder> programs(4);
  programs[2].add(send_to(2));
  programs[0].add(receive_from(-2));
  try {
    played(ring(4), schedule(std::move(programs)));
    FAIL() << "accepted";
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no route from host 'gpu2' to host 'gpu0'"));
  }
}

TEST(Play, refuses_schedules_of_different_sizes) {
  const auto one = schedule(std::vector<ProgramBuilder>(1)), two = schedule(std::vector<ProgramBuilder>(2));
  EXPECT_THROW(played(ring(2), std::vector<const model::Schedule*>{&one, &two}), base::Bug);
}

TEST(Play, says_with_what_settings_it_runs) {
  const auto settings = engine::settings();
  EXPECT_EQ(settings.at("network/model"), "CM02");
  EXPECT_EQ(settings.at("surf/precision"), "1e-12");
  EXPECT_EQ(settings.count("simgrid"), 1u);
}

} // namespace
} // namespace tandem::test
