// verify() refuses schedules that are malformed before any data moves.
#include "broken_schedule.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace tandem::collective {
namespace {

using model::Buffer;

/// What is wrong before any data moves.
struct Malformed {
  const char* name;
  void (*change)(Schedule&);
  std::string message;
};

void PrintTo(const Malformed& broken, std::ostream* out) {
  *out << broken.name;
}

class BrokenForm : public testing::TestWithParam<Malformed> {};

TEST_P(BrokenForm, IsRefused) {
  auto schedule = ring();
  GetParam().change(schedule);
  EXPECT_EQ(verify(schedule), GetParam().message);
}

const std::string STEP_1 = "operation 1 (RS step 1): ";
const std::string BAD_COST = STEP_1 + "it has a cost that is negative or not a number";

const std::vector<Malformed> MALFORMED{
    {"NoRanks", [](Schedule& s) { s.ranks = 0; }, "it has no ranks or no program"},
    {"NoProgram", [](Schedule& s) { s.programs.clear(); }, "it has no ranks or no program"},
    {"NoPieces", [](Schedule& s) { s.pieces_per_chunk = 0; }, "a chunk has no pieces"},
    {"PieceSizesMissing", [](Schedule& s) { s.piece_bytes.pop_back(); }, "3 piece sizes for 4 pieces"},
    {"HalfAByte", [](Schedule& s) { s.piece_bytes[2] = 0.5; }, "piece 2 has 0.5 bytes"},
    {"NegativePiece", [](Schedule& s) { s.piece_bytes[1] = -8; }, "piece 1 has -8 bytes"},
    {"InfinitePiece", [](Schedule& s) { s.piece_bytes[3] = INFINITY; }, "piece 3 has inf bytes"},
    {"ProgramOfTooFewRanks",
     [](Schedule& s) {
       s.program_of = {0, 0, 0};
     },
     "3 program choices for 4 ranks"},
    {"ProgramThatDoesNotExist",
     [](Schedule& s) {
       s.program_of = {0, 0, 1, 0};
     },
     "program 1 does not exist"},
    {"TrackerThatDoesNotExist", [](Schedule& s) { s.tracker = 0; }, "the tracker's resource does not exist"},
    {"TrackerThatBlocks",
     [](Schedule& s) {
       s.resources.push_back({"tracker", 4, model::WhenFull::BLOCK, {}});
       s.tracker = 0;
     },
     "the tracker blocks when it is full; it can only spill: a store that it counts has happened"},
    {"TriggerThatCountsNothing",
     [](Schedule& s) {
       s.resources.push_back({"tracker", 4, model::WhenFull::SPILL, {}});
       s.tracker = 0;
       s.programs[0].ops[0].kind = OpKind::TRIGGER;
     },
     "operation 0 (RS launch): it counts nothing, and would give back an entry of the tracker that it never took"},
    {"ResourceWithoutSlots",
     [](Schedule& s) {
       s.resources.push_back({"DMA queue", 0, model::WhenFull::BLOCK, {}});
     },
     "resource DMA queue has no slots"},
    {"DependenciesOfAnotherProgram", [](Schedule& s) { s.programs[0].ops.pop_back(); },
     "a program's dependencies do not fit its operations"},
    {"Label", [](Schedule& s) { s.programs[0].ops[1].label = 99; }, "operation 1: its label does not exist"},
    {"SpanTooLong", [](Schedule& s) { s.programs[0].ops[1].effect.span.count = 5; },
     STEP_1 + "its span of 5 pieces from 3 does not fit 4 pieces"},
    {"SpanTooFar", [](Schedule& s) { s.programs[0].ops[1].effect.span.first = 4; },
     STEP_1 + "its span of 1 pieces from 4 does not fit 4 pieces"},
    {"RunsThatOverlap",
     [](Schedule& s) {
       s.programs[0].ops[1].effect.span = {0, 4, 2, 1};
     },
     STEP_1 + "its span of 4 pieces in runs of 2 that begin 1 apart is none of 4 pieces"},
    {"RunsThatComeRound",
     [](Schedule& s) {
       s.programs[0].ops[1].effect.span = {0, 2, 1, 4};
     },
     STEP_1 + "its span of 2 pieces in runs of 1 that begin 4 apart is none of 4 pieces"},
    {"RunsThatAreNotWhole",
     [](Schedule& s) {
       s.programs[0].ops[1].effect.span = {0, 3, 2, 2};
     },
     STEP_1 + "its span of 3 pieces in runs of 2 that begin 2 apart is none of 4 pieces"},
    {"OneRun",
     [](Schedule& s) {
       s.programs[0].ops[1].effect.span = {0, 2, 2, 2};
     },
     STEP_1 + "its span of 2 pieces in runs of 2 that begin 2 apart is none of 4 pieces"},
    {"StrideWithoutRuns",
     [](Schedule& s) {
       s.programs[0].ops[1].effect.span = {0, 2, 0, 2};
     },
     STEP_1 + "its span of 2 pieces in runs of 0 that begin 2 apart is none of 4 pieces"},
    {"Takes", [](Schedule& s) { s.programs[0].ops[1].acquires = 0; },
     STEP_1 + "it names a resource that does not exist"},
    {"GivesBack", [](Schedule& s) { s.programs[0].ops[1].releases = 3; },
     STEP_1 + "it names a resource that does not exist"},
    {"SelfSend", [](Schedule& s) { s.programs[0].ops[1].peer = 0; }, STEP_1 + "it talks to its own rank"},
    {"SelfSendAllTheWayRound", [](Schedule& s) { s.programs[0].ops[2].peer = -4; },
     "operation 2 (RS step 1): it talks to its own rank"},
    {"Source", [](Schedule& s) { s.programs[0].ops[1].effect.sources = 32; },
     STEP_1 + "it reads from a buffer that does not exist"},
    {"PlaceRead", [](Schedule& s) { s.programs[0].ops[1].effect.from = 4; },
     STEP_1 + "it reads at a place that does not exist"},
    {"PlaceWritten", [](Schedule& s) { s.programs[0].ops[1].effect.to = 4; },
     STEP_1 + "it writes at a place that does not exist"},
    {"ScratchWithoutAPlace",
     [](Schedule& s) {
       s.scratch = 2;
       s.programs[0].ops[1].effect.sources = model::FROM_SCRATCH;
     },
     STEP_1 + "it reads at a place that does not exist"},
    {"ScratchThatEndsTooSoon",
     [](Schedule& s) {
       s.scratch = 2;
       s.programs[0].ops[1].effect.target = Buffer::SCRATCH;
       s.programs[0].ops[1].effect.to = 2;
     },
     STEP_1 + "it writes at a place that does not exist"},
    {"ScratchAmongOtherSources",
     [](Schedule& s) {
       s.scratch = 2;
       s.programs[0].ops[1].effect.sources = model::FROM_SCRATCH | model::FROM_LOCAL;
       s.programs[0].ops[1].effect.from = 0;
     },
     STEP_1 + "it reads scratch and other buffers at once"},
    {"NegativeDelay", [](Schedule& s) { s.programs[0].ops[1].delay = model::Seconds(-1e-9); }, BAD_COST},
    {"NegativeWork", [](Schedule& s) { s.programs[0].ops[1].sm_seconds = -1; }, BAD_COST},
    {"WorkThatIsNotANumber", [](Schedule& s) { s.programs[0].ops[1].sm_seconds = NAN; }, BAD_COST},
    {"InfiniteCopies", [](Schedule& s) { s.programs[0].ops[1].sm_bytes_per_span = INFINITY; }, BAD_COST},
    {"NegativeTraffic", [](Schedule& s) { s.programs[0].ops[1].traffic[0].per_span = -1; }, BAD_COST},
    {"NegativePeerTraffic", [](Schedule& s) { s.programs[0].ops[1].peer_traffic[0].fixed = model::Bytes(-1); },
     BAD_COST},
    {"WorkWithoutSms", [](Schedule& s) { s.programs[0].ops[1].sms = 0; }, STEP_1 + "it has work for SMs and no SM"},
};

INSTANTIATE_TEST_SUITE_P(Verify, BrokenForm, testing::ValuesIn(MALFORMED),
                         [](const auto& given) { return std::string(given.param.name); });

} // namespace
} // namespace tandem::collective
