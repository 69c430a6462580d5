// A ring's steps as one flow take the time of the steps where nothing else is on the links.
#include "collective/built_clusters.h"
#include "collective/flow.h"
#include "collective/strategy.h"
#include "collective/verify.h"
#include "engine/child.h"

#include <gtest/gtest.h>

namespace tandem::test {
namespace {

using model::CollectiveKind;

model::Schedule planned(const std::string& strategy, CollectiveKind kind, const model::Cluster& cluster, double bytes) {
  collective::Request request;
  request.op.kind = kind;
  request.op.ranks = static_cast<int>(cluster.gpus.size());
  request.op.bytes = model::Bytes(bytes);
  const auto selection = collective::select_strategy(strategy);
  EXPECT_EQ(selection.strategy->why_not(request, cluster), "");
  auto schedule = selection.strategy->plan(request, cluster);
  EXPECT_EQ(collective::verify(schedule), "");
  return schedule;
}

std::size_t operations(const model::Schedule& schedule) {
  std::size_t most = 0;
  for (const auto& program : schedule.programs)
    most = std::max(most, program.ops.size());
  return most;
}

// Every step is limited by the links of 1e10 B/s or faster than the memory of 1e12 B/s; the latencies add up.
TEST(Flow, takes_the_time_of_the_steps_on_a_free_ring) {
  for (const int ranks : {2, 3, 4, 8, 13})
    for (const auto kind : {CollectiveKind::REDUCE_SCATTER, CollectiveKind::ALL_GATHER, CollectiveKind::ALL_REDUCE})
      for (const auto* strategy : {"ring", "ring:channels=2", "sequential"}) {
        const auto cluster = collective::ring_of(ranks);
        const auto steps = planned(strategy, kind, cluster, 1e6 * ranks);
        const auto flows = collective::as_flows(steps, cluster);
        ASSERT_TRUE(flows) << strategy;
        if (ranks > 2) {
          EXPECT_LT(operations(*flows), operations(steps));
        }
        const double expected = played(cluster, steps).end_s;
        EXPECT_NEAR(played(cluster, *flows).end_s, expected, 1e-9 * expected)
            << strategy << ' ' << model::to_string(kind) << " of " << ranks;
      }
}

// All bytes are still on the links and in the memory.
TEST(Flow, moves_the_same_bytes) {
  const auto cluster = collective::ring_of(5);
  const auto steps = planned("ring", CollectiveKind::ALL_REDUCE, cluster, 5e6);
  const auto whole = played(cluster, steps), flow = played(cluster, *collective::as_flows(steps, cluster));
  EXPECT_DOUBLE_EQ(flow.wire_bytes, whole.wire_bytes);
  EXPECT_DOUBLE_EQ(flow.message_bytes, whole.message_bytes);
  for (std::size_t rank = 0; rank < 5; ++rank)
    EXPECT_NEAR(flow.dram[rank].total(), whole.dram[rank].total(), 1e-6 * whole.dram[rank].total());
}

// A chunk of a tree goes on when it has come in: as flows all hops would run at once.
TEST(Flow, leaves_alone_what_would_begin_too_early) {
  const auto cluster = collective::switch_of(7);
  EXPECT_FALSE(collective::as_flows(planned("tree", CollectiveKind::ALL_REDUCE, cluster, 7e6), cluster));
  EXPECT_FALSE(collective::as_flows(planned("ring", CollectiveKind::BROADCAST, cluster, 7e6), cluster));
}

// 64 B, 8 ranks: 7 steps of 8 B with the latency of a step each; the flow pays 7 latencies at once.
TEST(Flow, sums_latencies) {
  const auto cluster = collective::ring_of(8);
  const auto steps = planned("ring", CollectiveKind::ALL_GATHER, cluster, 64.0);
  const double expected = played(cluster, steps).end_s;
  EXPECT_NEAR(played(cluster, *collective::as_flows(steps, cluster)).end_s, expected, 1e-9 * expected);
}

} // namespace
} // namespace tandem::test
