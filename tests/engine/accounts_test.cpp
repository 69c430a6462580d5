// What a run books: a rank's time by kind, DRAM bytes by account, bytes on links.
#include "collective/strategy.h"
#include "engine/child.h"
#include "engine/machines.h"
#include "engine/programs.h"

#include <gtest/gtest.h>

namespace tandem::test {
namespace {

using model::Access;
using model::CollectiveKind;
using model::Phase;
using model::ProgramBuilder;
using model::Stream;

void expect_times(const model::RankItem& item, double compute, double exposed, double idle) {
  EXPECT_NEAR(item.compute_s, compute, 1e-9);
  EXPECT_NEAR(item.exposed_s, exposed, 1e-9);
  EXPECT_NEAR(item.idle_s, idle, 1e-9);
  EXPECT_NEAR(item.compute_s + item.exposed_s + item.idle_s, item.end_s - item.begin_s,
              1e-9 * (item.end_s - item.begin_s));
}

// Rank 0: 1 s of SM work, then 1000 B over 1000 B/s. Rank 1: its receive waits from 0 s on beside 0.25 s of work, and
// arrives at 2 s. So rank 0 computes for 1 s and has 1 s exposed; rank 1 computes for 0.25 and has 1.75 s exposed.
TEST(Meter, splits_a_ranks_time) {
  std::vector<ProgramBuilder> programs(2);
  const auto work = programs[0].add(sm_work(80, 80.0));
  programs[0].add(send_to(1), {work});
  programs[1].add(sm_work(80, 20.0));
  programs[1].add(receive_from(1));
  const auto recording = played(ring(2), schedule(std::move(programs)));
  expect_times(recording.items.at(0).at(0), 1.0, 1.0, 0.0);
  expect_times(recording.items.at(0).at(1), 0.25, 1.75, 0.0);
}

// Compute on two SMs at the same time counts once: [0, 2] and [0, 3] s. Communication from 2 to 5 s is exposed for 2 s.
TEST(Meter, counts_overlap_once) {
  ProgramBuilder program;
  const auto first = program.add(sm_work(1, 2.0));
  program.add(sm_work(1, 3.0));
  auto reduce = sm_work(1, 3.0);
  reduce.stream = Stream::COMMUNICATION;
  program.add(reduce, {first});
  expect_times(played(ring(1), schedule(std::move(program))).items.at(0).at(0), 3.0, 2.0, 0.0);
}

// A transfer's launch of 1 s counts as communication, before 1 s of wire.
TEST(Meter, counts_a_launch) {
  std::vector<ProgramBuilder> programs(2);
  auto send = send_to(1);
  send.delay = model::Seconds(1.0);
  programs[0].add(send);
  programs[1].add(receive_from(1));
  const auto recording = played(ring(2), schedule(std::move(programs)));
  expect_times(recording.items.at(0).at(0), 0.0, 2.0, 0.0);
  expect_times(recording.items.at(0).at(1), 0.0, 2.0, 0.0);
}

// A phase extends from its first start to its last end; it is busy while one of its operations runs. GEMM from 0 to
// 1 s and from 3 to 4 s; RS from 1 to 3 s.
TEST(Meter, knows_the_extent_of_phases) {
  ProgramBuilder program;
  const auto op = [](Phase phase, double seconds) {
    auto work = sm_work(1, seconds);
    work.phase = phase;
    return work;
  };
  const auto first = program.add(op(Phase::GEMM, 1.0));
  const auto second = program.add(op(Phase::RS, 2.0), {first});
  program.add(op(Phase::GEMM, 1.0), {second});
  const auto recording = played(ring(1), schedule(std::move(program)));
  const auto& phases = recording.items.at(0).at(0).phases;
  const auto& gemm = phases[static_cast<std::size_t>(Phase::GEMM)];
  EXPECT_TRUE(gemm.used);
  EXPECT_NEAR(gemm.begin_s, 0.0, 1e-12);
  EXPECT_NEAR(gemm.end_s, 4.0, 4e-9);
  EXPECT_NEAR(gemm.busy_s, 2.0, 2e-9);
  const auto& rs = phases[static_cast<std::size_t>(Phase::RS)];
  EXPECT_NEAR(rs.begin_s, 1.0, 1e-9);
  EXPECT_NEAR(rs.end_s, 3.0, 3e-9);
  EXPECT_NEAR(rs.busy_s, 2.0, 2e-9);
  EXPECT_FALSE(phases[static_cast<std::size_t>(Phase::AG)].used);
}

// The second schedule begins on each rank when that rank has ended the first: rank 0 at 1 s, rank 1 at 2 s; both end at
// 3 s as rank 0's transfer waits for rank 1 to post its receive.
TEST(Meter, keeps_schedules_apart) {
  std::vector<ProgramBuilder> work(2), message(2);
  work[0].add(sm_work(1, 1.0));
  work[1].add(sm_work(1, 2.0));
  message[0].add(send_to(1));
  message[1].add(receive_from(1));
  const auto first = schedule(std::move(work)), second = schedule(std::move(message));
  const auto recording = played(ring(2), std::vector<const model::Schedule*>{&first, &second});
  ASSERT_EQ(recording.items.size(), 2u);
  expect_times(recording.items[0][0], 1.0, 0.0, 0.0);
  expect_times(recording.items[0][1], 2.0, 0.0, 0.0);
  expect_times(recording.items[1][0], 0.0, 2.0, 0.0);
  expect_times(recording.items[1][1], 0.0, 1.0, 0.0);
  EXPECT_NEAR(recording.items[1][0].begin_s, 1.0, 1e-9);
  EXPECT_NEAR(recording.items[1][1].begin_s, 2.0, 2e-9);
}

// A rank that starts late: its item begins then, and the wait is nobody's.
TEST(Meter, begins_with_the_rank) {
  ProgramBuilder program;
  program.add(sm_work(1, 1.0));
  const auto recording = played(ring(1), schedule(std::move(program)), {.start_times_s = {5.0}});
  EXPECT_NEAR(recording.items.at(0).at(0).begin_s, 5.0, 5e-9);
  EXPECT_NEAR(recording.end_s, 6.0, 6e-9);
  expect_times(recording.items.at(0).at(0), 1.0, 0.0, 0.0);
}

// Ring all-reduce without producer, N ranks, chunks of c bytes. RS: one read for the first send, two for each of the
// N - 2 others and two at the end: 2N - 1 chunks; N - 1 arrive and one is written at the end: N. AG: N - 1 read, N - 1
// written. Each of the N ring links carries 2 (N - 1) chunks; so does the wire in all, over one link each.
TEST(Bytes, of_a_ring_are_exact) {
  for (const int ranks : {2, 3, 8, 16}) {
    const double chunk = 12345.0;
    const auto cluster = ring(ranks);
    const auto selected = collective::select_strategy("sequential");
    const auto made = selected.strategy->plan(
        {{CollectiveKind::ALL_REDUCE, ranks, model::Bytes(chunk * ranks)}, std::nullopt}, cluster);
    const auto recording = played(cluster, made);
    ASSERT_EQ(recording.dram.size(), static_cast<std::size_t>(ranks));
    for (const auto& dram : recording.dram) {
      EXPECT_EQ(dram.reads(Phase::RS), (2.0 * ranks - 1.0) * chunk);
      EXPECT_EQ(dram.writes(Phase::RS), ranks * chunk);
      EXPECT_EQ(dram.reads(Phase::AG), (ranks - 1.0) * chunk);
      EXPECT_EQ(dram.writes(Phase::AG), (ranks - 1.0) * chunk);
      EXPECT_EQ(dram.total(), (5.0 * ranks - 3.0) * chunk);
    }
    for (const double bytes : recording.link_bytes)
      EXPECT_EQ(bytes, 2.0 * (ranks - 1) * chunk);
    EXPECT_EQ(recording.wire_bytes, 2.0 * (ranks - 1) * ranks * chunk);
    EXPECT_EQ(recording.wire_hop_bytes, recording.wire_bytes);
  }
}

// The same ring on a switch crosses two links per message.
TEST(Bytes, count_on_every_link_of_a_route) {
  const auto cluster = switched(4);
  const auto selected = collective::select_strategy("sequential");
  const auto made =
      selected.strategy->plan({{CollectiveKind::ALL_GATHER, 4, model::Bytes(4000.0)}, std::nullopt}, cluster);
  const auto recording = played(cluster, made);
  EXPECT_EQ(recording.wire_bytes, 12000.0); // 4 ranks x 3 steps x 1000 B
  EXPECT_EQ(recording.wire_hop_bytes, 24000.0);
  ASSERT_EQ(recording.link_bytes.size(), 8u);
  for (const double bytes : recording.link_bytes)
    EXPECT_EQ(bytes, 3000.0);
}

// Bytes go to the account and the rank that the operation names, an update once whatever it costs: rank 0 sends 1000 B,
// reads 2 per byte and 10 more for the RS, and the peer updates 1 per byte.
TEST(Bytes, go_to_the_account_that_the_operation_names) {
  std::vector<ProgramBuilder> programs(2);
  auto send = send_to(1);
  send.traffic = {{Phase::RS, Access::READ, 2.0, model::Bytes(10.0)},
                  {Phase::GEMM, Access::WRITE, 0.0, model::Bytes(7.0)}};
  send.peer_traffic = {{Phase::AG, Access::UPDATE, 1.0, {}}};
  programs[0].add(send);
  programs[1].add(receive_from(1));
  const auto recording = played(ring(2), schedule(std::move(programs)));
  EXPECT_EQ(recording.dram.at(0).at(Phase::RS, Access::READ), 2010.0);
  EXPECT_EQ(recording.dram.at(0).at(Phase::GEMM, Access::WRITE), 7.0);
  EXPECT_EQ(recording.dram.at(0).total(), 2017.0);
  EXPECT_EQ(recording.dram.at(1).at(Phase::AG, Access::UPDATE), 1000.0);
  EXPECT_EQ(recording.dram.at(1).total(), 1000.0);
}

} // namespace
} // namespace tandem::test
