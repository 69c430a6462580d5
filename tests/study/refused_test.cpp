// What verify() refuses because it cannot end really stops the engine, with a report and never a number.
#include "collective/built_clusters.h"

#include "base/error.h"
#include "collective/strategy.h"
#include "collective/verify.h"
#include "engine/play.h"
#include "study/fork_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::study {
namespace {

using collective::Request;
using model::CollectiveKind;

/// Ring reduce-scatter of 4 x 1 KiB with one more dependency.
model::Schedule ring_with(model::Dag::Edge edge) {
  const Request request{{CollectiveKind::REDUCE_SCATTER, 4, model::Bytes(4096)}, std::nullopt};
  auto schedule = collective::select_strategy("sequential").strategy->plan(request, collective::ring_of(4));
  auto& program = schedule.programs.front();
  std::vector<model::Dag::Edge> edges{edge};
  for (std::uint32_t op = 0; op < program.dag.size(); ++op)
    for (const auto successor : program.dag.successors(op))
      edges.emplace_back(op, successor);
  program.dag = model::Dag(program.dag.size(), edges);
  return schedule;
}

std::string played(const model::Schedule& schedule) {
  return run_forked({[&schedule]() -> std::string {
           try {
             (void)engine::play(collective::ring_of(4), {&schedule});
           } catch (const engine::Deadlock& stuck) {
             return stuck.what();
           }
           return "ended";
         }})
      .front();
}

TEST(Refused, EveryRankSendsBeforeItIsReadyToReceive) {
  // operation 1 is the first step's transfer, 2 its receive; the receive waits for the own transfer
  const auto schedule = ring_with({1, 2});
  EXPECT_THAT(collective::verify(schedule), testing::HasSubstr("a cycle of 4 operations wait for each other"));
  const auto report = played(schedule);
  for (const auto* line :
       {"rank 0: RS step 1 waits to send 1024 B to rank 1", "rank 3: RS step 1 waits to send 1024 B"})
    EXPECT_THAT(report, testing::HasSubstr(line));
}

/// Negative control: the same with a dependency that is there anyhow plays to its end.
TEST(Refused, NotTheUnbrokenOne) {
  const auto schedule = ring_with({0, 1});
  EXPECT_EQ(collective::verify(schedule), "");
  EXPECT_EQ(played(schedule), "ended");
}

} // namespace
} // namespace tandem::study
