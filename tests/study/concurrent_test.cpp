// Several collectives at once, against max-min shares solved by hand: a group's own time, and what others cost it.
#include "study/concurrent.h"

#include "collective/strategy.h"
#include "engine/child.h"
#include "engine/machines.h"
#include "engine/proven.h"

#include <gtest/gtest.h>
#include <numeric>

namespace tandem::study {
namespace {

using model::CollectiveKind;
using test::switched;

constexpr double NEAR = 1e-9;

/// 1000 B/s each way between a GPU and the switch; SMs, memory and launches take no time.
model::Cluster machine(int gpus) {
  return switched(gpus, {}, test::fast_device(0.0));
}

/// `strategy` on the members of `cluster`.
Party party(const model::Cluster& cluster, const std::vector<std::uint32_t>& members, CollectiveKind kind, double bytes,
            const std::string& strategy, double start_s = 0.0, int count = 1) {
  const collective::Request request{{kind, static_cast<int>(members.size()), model::Bytes(bytes)}, std::nullopt};
  return {std::make_shared<const model::Schedule>(test::proven(strategy, request, cluster.part(members))), members,
          base::Seconds(start_s), count};
}

std::vector<double> times(const model::Cluster& cluster, const std::vector<Party>& parties,
                          engine::Fold fold = engine::Fold::OFF) {
  const auto job = concurrent_job(parties);
  return times_of(parties, job,
                  test::played(cluster.part(ranks_of(parties)), job, {.fold = fold, .record_tasks = true}));
}

void expect_times(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], NEAR * expected[i]) << "party " << i;
}

// Two all-gathers of 2000 B: each rank sends its 1000 B to the other. Groups {0, 1} and {0, 2} share the links of GPU
// 0, in and out: 500 B/s each, 2 s instead of 1 s.
TEST(Concurrent, TwoGroupsWithACommonRankHalveItsLink) {
  const auto cluster = machine(3);
  const auto one = party(cluster, {0, 1}, CollectiveKind::ALL_GATHER, 2000.0, "direct");
  const auto other = party(cluster, {0, 2}, CollectiveKind::ALL_GATHER, 2000.0, "direct");
  expect_times(times(cluster, {one}), {1.0});
  expect_times(times(cluster, {one, other}), {2.0, 2.0});
}

// {0, 1} has 1000 B to send, {0, 2} has 3000 B. Both get 500 B/s until the first is done at 2 s; the other has 2000 B
// left, alone: 4 s. Alone it takes 3 s.
TEST(Concurrent, TheLongerOneHasTheLinkForItselfInTheEnd) {
  const auto cluster = machine(3);
  const auto small = party(cluster, {0, 1}, CollectiveKind::ALL_GATHER, 2000.0, "direct");
  const auto large = party(cluster, {0, 2}, CollectiveKind::ALL_GATHER, 6000.0, "direct");
  expect_times(times(cluster, {large}), {3.0});
  expect_times(times(cluster, {small, large}), {2.0, 4.0});
}

// Unequal groups: an all-gather of 4000 B among {0, 1, 2, 3}, where each sends 1000 B to each of three, and one of 2000
// B between 3 and 4. In and out of GPU 3 there are four flows of 250 B/s. What goes between 0, 1 and 2 shares a link of
// theirs with one such flow and another of its own kind: (1000 - 250) / 2 = 375 B/s, done at 1000 / 375 = 8/3 s; the
// four at GPU 3 keep their 250 B/s and are all done at 4 s.
TEST(Concurrent, UnequalGroupsShareByMaxMin) {
  const auto cluster = machine(5);
  const auto four = party(cluster, {0, 1, 2, 3}, CollectiveKind::ALL_GATHER, 4000.0, "direct");
  const auto two = party(cluster, {3, 4}, CollectiveKind::ALL_GATHER, 2000.0, "direct");
  expect_times(times(cluster, {four}), {3.0});
  expect_times(times(cluster, {two}), {1.0});
  expect_times(times(cluster, {four, two}), {4.0, 4.0});
}

// {0, 1} has 3000 B from 0 s on; {0, 2} comes at 1 s with 1000 B. The first has moved 1000 B by then; at 500 B/s each
// the second is done at 3 s, 2 s after its start; the first has 1000 B left and ends at 4 s.
TEST(Concurrent, WhoComesLaterSharesWhatIsLeft) {
  const auto cluster = machine(3);
  const auto first = party(cluster, {0, 1}, CollectiveKind::ALL_GATHER, 6000.0, "direct");
  const auto later = party(cluster, {0, 2}, CollectiveKind::ALL_GATHER, 2000.0, "direct", 1.0);
  expect_times(times(cluster, {later}), {1.0});
  expect_times(times(cluster, {first, later}), {4.0, 2.0});
}

// It comes when the other is done: neither sees the other.
TEST(Concurrent, WhoComesAfterTheEndDisturbsNobody) {
  const auto cluster = machine(3);
  const auto first = party(cluster, {0, 1}, CollectiveKind::ALL_GATHER, 6000.0, "direct");
  const auto later = party(cluster, {0, 2}, CollectiveKind::ALL_GATHER, 2000.0, "direct", 3.0);
  expect_times(times(cluster, {first, later}), {3.0, 1.0});
}

// Three all-gathers of 1 s each in a row take 3 s. Beside one of 1000 B they share until that is done: at 2 s, when the
// first of three is too; the others are alone: 4 s.
TEST(Concurrent, SeveralInARowFollowEachOther) {
  const auto cluster = machine(3);
  const auto row = party(cluster, {0, 1}, CollectiveKind::ALL_GATHER, 2000.0, "direct", 0.0, 3);
  const auto one = party(cluster, {0, 2}, CollectiveKind::ALL_GATHER, 2000.0, "direct");
  expect_times(times(cluster, {row}), {3.0});
  expect_times(times(cluster, {row, one}), {4.0, 2.0});
}

// The same group twice: two communicators of the same ranks do not mix up their messages, and halve all links.
TEST(Concurrent, TwoCommunicatorsOfTheSameRanks) {
  const auto cluster = machine(4);
  const std::vector<std::uint32_t> all{0, 1, 2, 3};
  const auto ring = party(cluster, all, CollectiveKind::ALL_REDUCE, 4000.0, "ring");
  // 6 steps of 1000 B.
  expect_times(times(cluster, {ring}), {6.0});
  expect_times(times(cluster, {ring, ring}), {12.0, 12.0});
}

// No link in common: neither is slower, folded or not.
TEST(Concurrent, GroupsOnLinksOfTheirOwnDoNotSeeEachOther) {
  const auto cluster = machine(7);
  const auto four = party(cluster, {0, 2, 4, 6}, CollectiveKind::ALL_REDUCE, 4000.0, "ring");
  const auto three = party(cluster, {1, 3, 5}, CollectiveKind::ALL_REDUCE, 6000.0, "ring");
  for (const auto fold : {engine::Fold::OFF, engine::Fold::ON})
    expect_times(times(cluster, {four, three}, fold), {6.0, 8.0});
}

// Any strategy on any group of a machine takes as long as on a machine that has these GPUs only: on one switch all GPUs
// are alike, so the ranks of the group do not matter, nor their order. Primes, and groups of 1.
TEST(Concurrent, AGroupAloneIsAMachineOfItsOwn) {
  const auto cluster = switched(16, {.latency_s = 1e-3}, test::fast_device(1e-4));
  const std::vector<std::vector<std::uint32_t>> groups{
      {5}, {15, 0}, {2, 3, 5}, {11, 1, 7, 13, 4}, {0, 2, 4, 6, 8, 10, 12}};
  for (const auto& members : groups)
    for (const auto* strategy : {"ring", "direct", "tree", "halving-doubling"}) {
      const auto small = switched(static_cast<int>(members.size()), {.latency_s = 1e-3}, test::fast_device(1e-4));
      std::vector<std::uint32_t> all(members.size());
      std::iota(all.begin(), all.end(), 0U);
      const collective::Request request{
          {CollectiveKind::ALL_REDUCE, static_cast<int>(members.size()), model::Bytes(13000.0)}, std::nullopt};
      if (!collective::select_strategy(strategy).strategy->why_not(request, small).empty())
        continue;
      const auto expected = test::played(small, test::proven(strategy, request, small)).end_s;
      const auto found = times(cluster, {party(cluster, members, CollectiveKind::ALL_REDUCE, 13000.0, strategy)});
      EXPECT_NEAR(found.at(0), expected, NEAR * expected) << strategy << " on " << members.size();
    }
}

} // namespace
} // namespace tandem::study
