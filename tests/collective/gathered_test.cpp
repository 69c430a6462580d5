// A GEMM of a gathered input: no part of it starts before the rows that it reads are there.
#include "built_clusters.h"
#include "every_strategy.h"
#include "schedule_edit.h"

#include "collective/verify.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

namespace tandem::collective {
namespace {

using model::OpKind;
using model::Phase;
using model::Schedule;

Schedule planned(const std::string& strategy, int ranks) {
  return select_strategy(strategy).strategy->plan(gathered(ranks, {.m = 1024, .n = 512, .k = 256}), ring_of(ranks));
}

/// Everything that operation `op` waits for, directly or not.
std::set<std::uint32_t> waits_for(const Schedule& schedule, std::uint32_t op) {
  const LooseProgram program(schedule.programs.front());
  std::set<std::uint32_t> before{op};
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [from, to] : program.edges)
      grown = (before.contains(to) && before.insert(from).second) || grown;
  }
  before.erase(op);
  return before;
}

/// Chunks, as offsets of their owners, that have come before `op`: the own one, and those of the receives before it.
std::set<std::uint32_t> chunks_before(const Schedule& schedule, std::uint32_t op) {
  std::set<std::uint32_t> chunks{0};
  for (const auto before : waits_for(schedule, op))
    if (const auto& arrival = schedule.programs.front().ops[before]; arrival.kind == OpKind::RECV)
      chunks.insert(arrival.effect.span.first);
  return chunks;
}

class GatheredGemm : public testing::TestWithParam<std::string> {};

/// Whatever costs SM work or memory accesses of the GEMM comes after the arrival of as many chunks as pieces have
/// begun.
TEST_P(GatheredGemm, StartsWhenItsInputHasCome) {
  for (const int ranks : {1, 2, 3, 5, 8}) {
    SCOPED_TRACE(fmt::format("{} ranks", ranks));
    const auto schedule = planned(GetParam(), ranks);
    const auto& ops = schedule.programs.front().ops;
    const bool whole = GetParam() == "sequential";
    std::uint32_t launches = 0;
    for (std::uint32_t op = 0; op < ops.size(); ++op) {
      if (ops[op].phase != Phase::GEMM || ops[op].effect.sources != 0)
        continue;
      if (ops[op].delay.value() > 0.0)
        ++launches;
      const auto come = chunks_before(schedule, op);
      if (whole) {
        EXPECT_EQ(come.size(), static_cast<std::size_t>(ranks)) << schedule.labels[ops[op].label];
      } else { // the ring brings the chunk of the rank `launches - 1` before this one
        EXPECT_TRUE(
            come.contains((static_cast<std::uint32_t>(ranks) - launches + 1) % static_cast<std::uint32_t>(ranks)))
            << schedule.labels[ops[op].label];
        EXPECT_EQ(come.size(), launches) << schedule.labels[ops[op].label];
      }
    }
    EXPECT_EQ(launches, whole ? 1U : static_cast<std::uint32_t>(ranks));
  }
}

TEST_P(GatheredGemm, TakesUpEveryRowOnce) {
  for (const int ranks : {1, 2, 3, 5, 8}) {
    std::multiset<std::uint32_t> read;
    for (const auto schedule = planned(GetParam(), ranks); const auto& op : schedule.programs.front().ops)
      for (std::uint32_t i = 0; op.phase == Phase::GEMM && op.effect.sources != 0 && i < op.effect.span.count; ++i)
        read.insert(op.effect.span.first + i);
    std::multiset<std::uint32_t> all;
    for (std::uint32_t chunk = 0; chunk < static_cast<std::uint32_t>(ranks); ++chunk)
      all.insert(chunk);
    EXPECT_EQ(read, all) << ranks << " ranks";
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, GatheredGemm,
                         testing::Values("sequential", "decomposed", "decomposed:mover=sm:sms=4"),
                         [](const auto& strategy) { return fmt::format("Nr{}", strategy.index); });

/// Negative control: verify() sees a piece that does not wait for its rows.
TEST(GatheredGemmControl, APieceThatDoesNotWaitIsRefused) {
  auto schedule = planned("decomposed", 4);
  LooseProgram program(schedule.programs.front());
  program.unlink(find_op(schedule, "AG step 2", OpKind::RECV), find_op(schedule, "GEMM piece 3 input", OpKind::WORK));
  schedule.programs.front() = program.tight();
  const auto wrong = verify(schedule);
  EXPECT_TRUE(wrong.find("before it is written") != std::string::npos ||
              wrong.find("in an order that depends on timing") != std::string::npos)
      << wrong;
  EXPECT_NE(wrong.find("GEMM piece 3 input"), std::string::npos) << wrong;
}

/// Of t3 it sees a stage that does not wait for the tracker.
TEST(GatheredGemmControl, AStageThatDoesNotWaitForTheTrackerIsRefused) {
  for (const auto* strategy : {"t3", "t3:algorithm=direct:block=1"}) {
    auto schedule = planned(strategy, 4);
    ASSERT_EQ(verify(schedule), "");
    LooseProgram program(schedule.programs.front());
    std::erase_if(program.edges, [&](const auto& edge) {
      return program.ops[edge.first].kind == OpKind::TRIGGER && program.ops[edge.second].phase == Phase::GEMM;
    });
    schedule.programs.front() = program.tight();
    EXPECT_NE(verify(schedule).find("GEMM input"), std::string::npos) << verify(schedule);
  }
}

} // namespace
} // namespace tandem::collective
