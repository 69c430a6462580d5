// verify() refuses a real strategy's schedule whose data would go wrong, and says what and where.
#include "broken_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::collective {
namespace {

using model::Dag;
using testing::MatchesRegex;

/// What the independent judge sees of a schedule that is refused.
enum class Play { GOES_WRONG, STUCK, NOTHING };

struct Break {
  const char* name;
  Schedule (*original)();
  void (*change)(Schedule&);
  const char* message; ///< a regular expression
  Play play;
};

void PrintTo(const Break& broken, std::ostream* out) {
  *out << broken.name;
}

class BrokenData : public testing::TestWithParam<Break> {};

TEST_P(BrokenData, IsRefused) {
  auto schedule = GetParam().original();
  ASSERT_EQ(verify(schedule), "");
  ASSERT_EQ(worst_order(schedule), "");
  GetParam().change(schedule);
  EXPECT_THAT(verify(schedule), MatchesRegex(GetParam().message));
  const auto seen = worst_order(schedule);
  switch (GetParam().play) {
  case Play::GOES_WRONG:
    EXPECT_THAT(seen, MatchesRegex("wrong.*"));
    break;
  case Play::STUCK:
    EXPECT_THAT(seen, MatchesRegex("stuck.*"));
    break;
  case Play::NOTHING:
    EXPECT_EQ(seen, "");
    break;
  }
}

const std::vector<Break> DATA_BREAKS{
    // The third AG step brings rank r the chunk of rank r + 1: rank 0 is left with its own contribution to piece 1.
    {"LostChunk", ring,
     [](Schedule& s) {
       erase(s, "AG step 3", SEND);
       erase(s, "AG step 3", RECV);
     },
     "at the end rank 0 holds 1 of 4 contributions to piece 1", Play::GOES_WRONG},
    {"MissingReduce", ring, [](Schedule& s) { erase(s, "RS final reduce", WORK); },
     "at the end rank 0 holds 1 of 4 contributions to piece 0", Play::GOES_WRONG},
    {"ContributionAddedTwice", ring, [](Schedule& s) { op(s, "RS step 2", SEND).effect.sources |= model::FRESH; },
     "rank ., operation 3 \\(RS step 2\\) adds a contribution to piece . twice", Play::GOES_WRONG},
    {"SumAddedToItself", ring, [](Schedule& s) { op(s, "RS final reduce", WORK).effect.update = true; },
     "rank ., operation 7 \\(RS final reduce\\) adds a contribution to piece . twice", Play::GOES_WRONG},
    {"ReadOfWhatTheKernelHasNotMade", [] { return of("tile-fused"); },
     [](Schedule& s) { op(s, "epilogue stores", SEND, 1).effect.sources |= model::FROM_LOCAL; },
     "rank ., operation .* \\(epilogue stores\\) reads piece . before it is written", Play::NOTHING},
    // Every span one chunk on: the sum of chunk r + 1 ends on rank r.
    {"WrongOwner",
     [] {
       return select_strategy("sequential").strategy->plan(plain(CollectiveKind::REDUCE_SCATTER, 4, 4096), ring_of(4));
     },
     [](Schedule& s) {
       for (auto& each : s.programs.front().ops)
         each.effect.span.first = (each.effect.span.first + 1) % 4;
     },
     "at the end rank 0 holds 1 of 4 contributions to piece 0", Play::GOES_WRONG},
    // What the wrong place holds is a piece all the same, of the right size.
    {"PutAtTheWrongPlace",
     [] { return select_strategy("direct").strategy->plan(plain(CollectiveKind::ALL_GATHER, 4, 4096), ring_of(4)); },
     [](Schedule& s) { op(s, "AG to +1", SEND).effect.to = 1; },
     "at the end rank 0 holds piece 3 where piece 0 belongs", Play::GOES_WRONG},
    {"PutWhereAnotherOneBelongs", ring, [](Schedule& s) { op(s, "AG step 2", SEND).effect.to = 0; },
     "rank ., operation .* and rank ., operation .* touch piece . in an order that depends on timing",
     Play::GOES_WRONG},
    {"TakenFromTheWrongPlace", ring, [](Schedule& s) { op(s, "RS step 1", SEND).effect.from = 0; },
     "rank ., operation 3 \\(RS step 2\\) adds piece . to piece .", Play::GOES_WRONG},
    {"AnswersToTheWrongRank",
     [] { return select_strategy("direct").strategy->plan(plain(CollectiveKind::ALL_TO_ALL, 4, 4096), ring_of(4)); },
     [](Schedule& s) { op(s, "A2A to +1", SEND).effect.to = 1; }, "at the end rank 0 .*", Play::GOES_WRONG},
    {"ReadBeforeWrite", ring, [](Schedule& s) { op(s, "RS step 1", SEND).effect.sources = model::FROM_STAGING; },
     "rank ., operation 1 \\(RS step 1\\) reads piece . before it is written", Play::GOES_WRONG},
    {"KernelWithoutOutput", [] { return of("sequential"); }, [](Schedule& s) { op(s, "GEMM", WORK, 2).effect = {}; },
     "rank ., operation .* \\(RS step 1\\) reads piece . before it is written", Play::GOES_WRONG},
    // Memory that nobody has written holds anything: a sum cannot begin there.
    {"AddBeforeWrite", ring, [](Schedule& s) { op(s, "RS step 1", SEND).effect.update = true; },
     "rank ., operation 2 \\(RS step 1\\) adds to piece . before it is written", Play::GOES_WRONG},
    {"AddBeforeWriteOfAResult", ring, [](Schedule& s) { op(s, "AG step 1", SEND).effect.update = true; },
     "rank ., operation 10 \\(AG step 1\\) adds to piece . before it is written", Play::GOES_WRONG},
    {"RaceOfReadAndStore", ring, [](Schedule& s) { unlink(s, 2, 3); },
     "rank ., operation . \\(RS step 2\\) reads piece . before it is written|"
     "rank ., operation . \\(RS step .\\) and rank ., operation . \\(RS step .\\) touch piece . in an order that "
     "depends "
     "on timing",
     Play::GOES_WRONG},
    // Near-memory RS: the second step sends what the first one's update must be in.
    {"RaceOfReadAndUpdate", [] { return of("ideal-rs-nmc"); },
     [](Schedule& s) { unlink(s, find_op(s, "RS step 1", RECV), find_op(s, "RS step 2", SEND)); },
     "rank ., operation .* \\(RS step .\\) and rank ., operation .* \\(RS step .\\) touch piece . in an order that "
     "depends on timing",
     Play::GOES_WRONG},
    // T3: a DMA that goes before the kernel's own update of its block. The tracker waits for both.
    {"TriggerThatForgetsTheKernel", [] { return of("t3"); },
     [](Schedule& s) {
       const auto tracker = find_op(s, "tracker", OpKind::TRIGGER, 0);
       edit(s, [&](LooseProgram& program) {
         std::erase_if(program.edges, [&](const auto& edge) {
           return edge.second == tracker && program.ops[edge.first].kind == WORK;
         });
       });
     },
     "rank ., operation .* and rank ., operation .* touch piece . in an order that depends on timing",
     Play::GOES_WRONG},
    // Two stores of the same value in any order do no harm here, but a proof does not look at values.
    {"RaceOfTwoStores", [] { return of("sequential"); },
     [](Schedule& s) {
       const auto kernel = find_op(s, "GEMM", WORK, 2);
       edit(s, [&](LooseProgram& program) {
         program.ops.push_back(program.ops[kernel]);
         const auto copy = static_cast<std::uint32_t>(program.ops.size() - 1);
         for (const auto& [from, to] : std::vector<Dag::Edge>(program.edges)) {
           if (from == kernel)
             program.edges.emplace_back(copy, to);
         }
       });
     },
     "rank ., operation .* \\(GEMM\\) and rank ., operation .* \\(GEMM\\) touch piece . in an order that depends on "
     "timing",
     Play::NOTHING},
    {"Cycle", ring, [](Schedule& s) { link(s, 7, 0); },
     "a cycle of .* operations wait for each other, among them rank ., operation .*", Play::STUCK},
    // Every rank sends before it is ready to receive: a transfer begins only when its receive is posted.
    {"ReceiveAfterSend", ring, [](Schedule& s) { link(s, 1, 2); },
     "a cycle of 4 operations wait for each other, among them rank ., operation 1 \\(RS step 1\\)", Play::STUCK},
    {"SlotsRunDry", ring,
     [](Schedule& s) {
       s.resources.push_back({"DMA queue", 2, model::WhenFull::BLOCK, {}});
       for (const auto* label : {"RS step 1", "RS step 2", "RS step 3"})
         op(s, label, SEND).acquires = 0;
     },
     "resource DMA queue can run dry: rank 0 takes 3 slots, gives back 0 and has 2", Play::STUCK},
    // The first slot comes back only after the second one was taken, and there is one.
    {"SlotsThatWaitForEachOther", ring,
     [](Schedule& s) {
       s.resources.push_back({"DMA queue", 1, model::WhenFull::BLOCK, {}});
       op(s, "RS step 1", SEND).acquires = 0;
       op(s, "RS step 2", SEND).acquires = 0;
       op(s, "RS final reduce", WORK).releases = 0;
       op(s, "AG done", WORK).releases = 0;
     },
     "a cycle of .* operations wait for each other, among them rank ., operation .*", Play::STUCK},
    {"SlotGivenBackBeforeItIsTaken", ring,
     [](Schedule& s) {
       s.resources.push_back({"DMA queue", 1, model::WhenFull::BLOCK, {}});
       op(s, "RS step 1", SEND).releases = 0;
       op(s, "RS step 2", SEND).acquires = 0;
     },
     "rank 0, operation 1 \\(RS step 1\\) gives back a slot of DMA queue before one is taken", Play::GOES_WRONG},
    {"SlotGivenBackThatNobodyTakes", ring,
     [](Schedule& s) {
       s.resources.push_back({"DMA queue", 1, model::WhenFull::SPILL, {}});
       op(s, "RS step 1", SEND).releases = 0;
     },
     "rank 0, operation 1 \\(RS step 1\\) gives back a slot of DMA queue before one is taken", Play::GOES_WRONG},
    {"SendWithoutReceive", ring, [](Schedule& s) { erase(s, "AG step 3", RECV); },
     "rank 0 sends 6 messages to rank 1 on channel 0, which receives 5", Play::STUCK},
    {"ReceiveWithoutSend", ring, [](Schedule& s) { erase(s, "AG step 3", SEND); },
     "rank 0 sends 5 messages to rank 1 on channel 0, which receives 6", Play::STUCK},
    {"ReceiveOnASilentChannel", ring,
     [](Schedule& s) {
       edit(s, [](LooseProgram& program) {
         program.ops.push_back(program.ops[10]);
         program.ops.back().channel = 7;
       });
     },
     "rank 1, operation 16 \\(AG step 1\\) waits for a message from rank 0 that is never sent", Play::STUCK},
    {"ReceiveFromTheWrongPeer", ring, [](Schedule& s) { op(s, "AG step 2", RECV).peer = 2; },
     "rank 0 sends 6 messages to rank 1 on channel 0, which receives 5", Play::STUCK},
    // Rank 0's first transfer sends the chunk of rank 3, the last it has to reduce; a receive of another one is a lie.
    {"PiecesThatDoNotMatch", ring, [](Schedule& s) { op(s, "RS step 1", RECV).effect.span.first = 0; },
     "rank 0, operation 1 \\(RS step 1\\) sends pieces 3\\+1, but rank 1, operation 2 \\(RS step 1\\) expects 1\\+1",
     Play::NOTHING},
    // Rank r + 1 gets the pieces r and r + 2 and hands on r - 1, which nobody has brought.
    {"RunsThatDoNotMatch", ring,
     [](Schedule& s) {
       op(s, "RS step 1", SEND).effect.span = {0, 2, 1, 2};
       op(s, "RS step 1", RECV).effect.span = {3, 2};
     },
     "rank 0, operation 1 \\(RS step 1\\) sends 2 pieces from 0 in other runs than rank 1, operation 2 \\(RS step 1\\) "
     "expects",
     Play::GOES_WRONG},
    {"SizesThatDoNotMatch", ring, [](Schedule& s) { op(s, "RS step 1", RECV).effect.span.count = 2; },
     "rank 0, operation 1 \\(RS step 1\\) sends pieces 3\\+1, but rank 1, operation 2 \\(RS step 1\\) expects 3\\+2",
     Play::NOTHING},
};

INSTANTIATE_TEST_SUITE_P(Verify, BrokenData, testing::ValuesIn(DATA_BREAKS),
                         [](const auto& given) { return std::string(given.param.name); });

/// With several programs the message says which one.
TEST(Verify, NamesTheProgram) {
  auto schedule = ring();
  split_programs(schedule);
  ASSERT_EQ(verify(schedule), "");
  schedule.programs[2].ops[1].peer = 0;
  EXPECT_EQ(verify(schedule), "program 2, operation 1 (RS step 1): it talks to its own rank");
}

/// Offsets that name the same peer are one channel: -1 and ranks - 1.
TEST(Verify, TakesAPeerFromBothSides) {
  auto schedule = ring();
  op(schedule, "RS step 2", RECV).peer = 3;
  op(schedule, "AG step 1", SEND).peer = -3;
  EXPECT_EQ(verify(schedule), "");
}

/// Slots that come back in time are proven: one slot, taken by each RS step and given back by its receive.
TEST(Verify, AcceptsSlotsThatComeBack) {
  auto schedule = ring();
  schedule.resources.push_back({"DMA queue", 1, model::WhenFull::BLOCK, {}});
  for (const auto* label : {"RS step 1", "RS step 2", "RS step 3"})
    op(schedule, label, SEND).acquires = op(schedule, label, SEND).releases = 0;
  EXPECT_EQ(verify(schedule), "");
  EXPECT_EQ(worst_order(schedule), "");
}

/// Without a goal only form, order and sources count.
TEST(Verify, AsksForNoResultWithoutAGoal) {
  auto schedule = ring();
  erase(schedule, "AG step 3", SEND);
  erase(schedule, "AG step 3", RECV);
  schedule.goal.reset();
  EXPECT_EQ(verify(schedule), "");
}

} // namespace
} // namespace tandem::collective
