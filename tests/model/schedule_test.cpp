// Spans that wrap around, relative peers, programs in the making, and totals of recordings.
#include "base/error.h"
#include "model/recording.h"
#include "model/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::model {
namespace {

/// 3 ranks with 2 pieces each: 1, 2 | 4, 8 | 16, 32 bytes.
Schedule six_pieces() {
  Schedule schedule;
  schedule.ranks = 3;
  schedule.pieces_per_chunk = 2;
  schedule.piece_bytes = {1, 2, 4, 8, 16, 32};
  return schedule;
}

TEST(SpanBytes, CountFromTheRanksOwnChunk) {
  const auto schedule = six_pieces();
  const SpanBytes bytes(schedule);
  EXPECT_EQ(bytes(0, {0, 2}), 3);
  EXPECT_EQ(bytes(1, {0, 2}), 12);
  EXPECT_EQ(bytes(2, {0, 2}), 48);
  EXPECT_EQ(bytes(1, {3, 1}), 32);
  EXPECT_EQ(bytes(0, {0, 6}), 63);
}

TEST(SpanBytes, WrapAround) {
  const auto schedule = six_pieces();
  const SpanBytes bytes(schedule);
  EXPECT_EQ(bytes(2, {0, 3}), 16 + 32 + 1); // past the last piece, on with the first
  EXPECT_EQ(bytes(2, {2, 2}), 1 + 2);       // begins after the wrap
  EXPECT_EQ(bytes(0, {5, 2}), 32 + 1);
  EXPECT_EQ(bytes(1, {5, 1}), 2);
  for (int rank = 0; rank < 3; ++rank)
    for (std::uint32_t first = 0; first < 6; ++first) {
      EXPECT_EQ(bytes(rank, {first, 6}), 63);
      EXPECT_EQ(bytes(rank, {first, 0}), 0);
      double sum = 0.0; // piece by piece
      for (std::uint32_t count = 1; count <= 6; ++count) {
        sum += schedule.piece_bytes[schedule.first_piece(rank, {first + count - 1, 1})];
        EXPECT_EQ(bytes(rank, {first, count}), sum);
      }
    }
}

// Pieces 1, 2, 4, 5 of 0 .. 5, whatever lies between; from piece 4 on 4, 5, 1 and 2.
TEST(SpanBytes, AddUpRuns) {
  Schedule schedule;
  schedule.ranks = 2;
  schedule.pieces_per_chunk = 3;
  schedule.piece_bytes = {1, 2, 4, 8, 16, 32};
  const SpanBytes bytes(schedule);
  EXPECT_EQ(bytes(0, {1, 4, 2, 3}), 2.0 + 4.0 + 16.0 + 32.0);
  EXPECT_EQ(bytes(1, {1, 4, 2, 3}), 2.0 + 4.0 + 16.0 + 32.0);
  EXPECT_EQ(bytes(1, {0, 2, 1, 2}), 8.0 + 32.0);
}

// Runs of two, five apart: 3 4, 8 9, 13 14.
TEST(Span, HasPartsOfWholeRunsOrOfOne) {
  const Span span{3, 6, 2, 5};
  EXPECT_EQ(span.offset(3), 6U);
  EXPECT_EQ(span.extent(), 12U);
  const auto is = [&](std::uint32_t i, std::uint32_t most, const Span& expected) {
    const auto part = span.part(i, most);
    EXPECT_EQ(part.first, expected.first) << i << '+' << most;
    EXPECT_TRUE(part.same_shape(expected)) << i << '+' << most;
  };
  is(0, 6, span);
  is(2, 4, {8, 4, 2, 5});
  is(2, 3, {8, 2});
  is(1, 5, {4, 1});
  is(0, 1, {3, 1});
}

TEST(SpanBytes, OfNoPiecesAreNone) {
  Schedule schedule;
  EXPECT_EQ(SpanBytes(schedule)(0, {0, 0}), 0.0);
}

TEST(Schedule, PeersAreOffsets) {
  const auto schedule = six_pieces();
  EXPECT_EQ(schedule.peer(0, 1), 1);
  EXPECT_EQ(schedule.peer(2, 1), 0);
  EXPECT_EQ(schedule.peer(0, -1), 2);
  EXPECT_EQ(schedule.peer(1, -7), 0);
  EXPECT_EQ(schedule.peer(1, 300000001), 2);
}

TEST(Schedule, ChoosesProgramsByRank) {
  auto schedule = six_pieces();
  schedule.programs.resize(2);
  EXPECT_EQ(&schedule.program(2), &schedule.programs[0]);
  schedule.program_of = {0, 1, 1};
  EXPECT_EQ(&schedule.program(0), &schedule.programs[0]);
  EXPECT_EQ(&schedule.program(2), &schedule.programs[1]);
}

TEST(ProgramBuilder, KeepsOperationsAndDependencies) {
  ProgramBuilder builder;
  const OpId a = builder.add({.label = 1});
  const OpId b = builder.add({.label = 2}, {a});
  const OpId c = builder.add({.label = 3}, std::vector<OpId>{a, b});
  builder.op(c).label = 4;
  builder.depend(b, c); // whatever it makes, verify() judges
  const auto program = builder.build();
  ASSERT_EQ(program.ops.size(), 3u);
  EXPECT_EQ(program.ops[2].label, 4);
  EXPECT_THAT(program.dag.successors(0), testing::ElementsAre(1, 2));
  EXPECT_THAT(program.dag.successors(1), testing::ElementsAre(2));
  EXPECT_THAT(program.dag.successors(2), testing::ElementsAre(1));
}

TEST(ProgramBuilder, RefusesADependencyOnNothing) {
  ProgramBuilder builder;
  const OpId a = builder.add({});
  builder.depend(a, OpId(5));
  EXPECT_THROW((void)builder.build(), base::Bug);
}

TEST(DramBytes, AddUp) {
  DramBytes bytes;
  bytes.at(Phase::RS, Access::READ) = 1;
  bytes.at(Phase::RS, Access::WRITE) = 2;
  bytes.at(Phase::RS, Access::UPDATE) = 4;
  bytes.at(Phase::AG, Access::READ) = 8;
  EXPECT_EQ(bytes.reads(Phase::RS), 1);
  EXPECT_EQ(bytes.writes(Phase::RS), 6);
  EXPECT_EQ(bytes.total(), 15);
  EXPECT_EQ(DramBytes{}.total(), 0);
}

TEST(CollectiveKind, HasNames) {
  EXPECT_EQ(to_string(CollectiveKind::REDUCE_SCATTER), "reduce-scatter");
  EXPECT_EQ(to_string(CollectiveKind::ALL_GATHER), "all-gather");
  EXPECT_EQ(to_string(CollectiveKind::ALL_REDUCE), "all-reduce");
}

} // namespace
} // namespace tandem::model
