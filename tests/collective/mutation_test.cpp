// verify() against an independent judge: random mutants of real schedules are refused, or play right in every order
// tried.
#include "built_clusters.h"
#include "every_strategy.h"
#include "mutations.h"
#include "number_player.h"
#include "schedule_edit.h"

#include "collective/verify.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tandem::collective {
namespace {

using model::CollectiveKind;
using model::Schedule;

constexpr std::uint64_t ORDERS = 24;

/// The first order that ends badly.
std::string counter_example(const Schedule& schedule) {
  for (std::uint64_t seed = 0; seed < ORDERS; ++seed)
    if (auto wrong = play_numbers(schedule, seed); !wrong.empty())
      return fmt::format("order {}: {}", seed, wrong);
  return {};
}

/// Small schedules of every kind: fused and plain, a chunk of one piece and of several, with and without slots.
std::vector<Schedule> seeds() {
  std::vector<Schedule> list;
  auto device = small_device();
  device.sms = 3;
  device.tile_m = device.tile_n = 8;
  for (const auto& text :
       {"sequential", "sequential:algorithm=direct", "concurrent:sms=1:parts=2", "decomposed:mover=sm:sms=1",
        "decomposed:mover=ce", "tile-fused", "tile-fused:algorithm=direct", "t3", "t3:block=1",
        "t3-mca:algorithm=direct", "ideal-rs-nmc"})
    for (const int ranks : {2, 3, 4}) {
      const auto request = fused(ranks, {.m = 25, .n = 16, .k = 8});
      list.push_back(select_strategy(text).strategy->plan(request, ring_of(ranks, device)));
    }
  for (const auto& text : {"sequential", "concurrent:sms=1:parts=2", "decomposed", "tile-fused", "t3:block=1"})
    for (const int ranks : {2, 3}) {
      auto request = fused(ranks, {.m = 25, .n = 16, .k = 8});
      request.op.kind = CollectiveKind::ALL_TO_ALL;
      list.push_back(select_strategy(text).strategy->plan(request, switch_of(ranks, device)));
    }
  for (const auto& text : {"sequential", "decomposed", "t3:block=1", "t3:algorithm=direct"})
    for (const int ranks : {2, 3})
      list.push_back(
          select_strategy(text).strategy->plan(gathered(ranks, {.m = 25, .n = 16, .k = 8}), ring_of(ranks, device)));
  for (const auto kind : {CollectiveKind::REDUCE_SCATTER, CollectiveKind::ALL_GATHER, CollectiveKind::ALL_REDUCE})
    for (const int ranks : {2, 3, 5})
      for (const auto& text : {"sequential", "sequential:algorithm=direct"})
        list.push_back(select_strategy(text).strategy->plan(plain(kind, ranks, 100), switch_of(ranks, device)));
  for (const int ranks : {2, 3, 5})
    list.push_back(select_strategy("direct:window=1")
                       .strategy->plan(plain(CollectiveKind::ALL_TO_ALL, ranks, 120), ring_of(ranks)));
  auto nodes = switch_of(4, device);
  nodes.gpus_per_node = 2;
  nodes.node_reduces_in_switch = nodes.fabric_reduces_in_switch = true;
  for (const auto& text : {"t3:algorithm=hierarchical", "t3:algorithm=hierarchical:inter=direct:block=1"})
    list.push_back(select_strategy(text).strategy->plan(fused(4, {.m = 25, .n = 16, .k = 8}), nodes));
  for (const auto& text : {"sharp:chunks=1", "sharp:chunks=1:intra=nvls", "hierarchical:intra=nvls"})
    list.push_back(select_strategy(text).strategy->plan(plain(CollectiveKind::ALL_REDUCE, 4, 100), nodes));
  for (auto& schedule : list) {
    schedule.scratch = 2;
    schedule.resources.push_back({"one slot", 1, model::WhenFull::BLOCK, {}});
    schedule.resources.push_back({"two slots", 2, model::WhenFull::BLOCK, {}});
  }
  return list;
}

TEST(Mutation, UnbrokenSchedulesPlayRightInEveryOrder) {
  for (const auto& schedule : seeds()) {
    SCOPED_TRACE(fmt::format("{} on {} ranks", schedule.strategy, schedule.ranks));
    EXPECT_EQ(verify(schedule), "");
    EXPECT_EQ(counter_example(schedule), "");
  }
}

TEST(Mutation, EveryMutantIsRefusedOrPlaysRight) {
  std::mt19937_64 random(20240427);
  const auto originals = seeds();
  int accepted = 0, refused = 0, wrong = 0;
  for (int round = 0; round < 120; ++round)
    for (std::size_t which = 0; which < originals.size(); ++which) {
      auto mutant = originals[which];
      if (round % 2 == 1) // one rank alone goes wrong
        split_programs(mutant);
      auto what = mutate(mutant, random);
      if (round % 3 == 2) // two breaks may hide each other
        what += "; " + mutate(mutant, random);
      if (what.empty())
        continue;
      // Rank 0 stands for all where it can: the proof rank by rank comes to the same.
      auto apart = mutant;
      split_programs(apart);
      ASSERT_EQ(verify(mutant).empty(), verify(apart).empty()) << what;
      if (!verify(mutant).empty()) {
        ++refused;
        continue;
      }
      ++accepted;
      const auto found = counter_example(mutant);
      if (!found.empty() && ++wrong < 40) {
        ADD_FAILURE() << mutant.strategy << " on " << mutant.ranks << " ranks, round " << round << ", schedule "
                      << which << ": " << what << ": accepted, but " << found;
      }
    }
  // Mutants that change nothing are accepted (a dependency that others imply, a channel that only one transfer uses),
  // most others refused: neither half of the test is empty.
  EXPECT_GT(accepted, 500);
  EXPECT_GT(refused, 2000);
  RecordProperty("accepted", accepted);
  RecordProperty("refused", refused);
}

} // namespace
} // namespace tandem::collective
