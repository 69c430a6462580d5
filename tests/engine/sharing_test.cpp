// Who shares SMs, memory and links gets what a hand calculation says.
#include "engine/child.h"
#include "engine/machines.h"
#include "engine/programs.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tandem::test {
namespace {

using model::Access;
using model::Phase;
using model::ProgramBuilder;
using model::Stream;

/// Ends of the operations of one rank, in program order.
std::vector<double> ends_of(const model::Recording& recording, std::size_t rank = 0) {
  std::vector<double> ends;
  for (const auto& op : recording.ops)
    if (op.rank == rank) {
      ends.resize(std::max<std::size_t>(ends.size(), op.op + 1));
      ends[op.op] = op.end_s;
    }
  return ends;
}

/// Plays independent operations of one rank on a GPU of 80 SMs and 1000 B/s; returns their ends.
std::vector<double> ends_of_independent(const std::vector<model::Op>& ops) {
  ProgramBuilder program;
  for (const auto& op : ops)
    program.add(op);
  return ends_of(played(ring(1), schedule(std::move(program)), {.record_ops = true}));
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 1e-9 * expected[i]) << "operation " << i;
}

// 500 B/s each: the first has its 1000 B at 2 s, the other 2000 of its 3000 B left, at 1000 B/s: 4 s.
TEST(MemorySharing, two_accesses) {
  expect_near(ends_of_independent({memory_work(1000.0), memory_work(3000.0)}), {2.0, 4.0});
}

// A third each: 300 B at 0.9 s. Left are 300 and 1200 B at 500 B/s: 0.9 + 0.6 = 1.5 s. Left are 900 B at 1000 B/s: 2.4
// s.
TEST(MemorySharing, three_accesses) {
  expect_near(ends_of_independent({memory_work(1500.0), memory_work(300.0), memory_work(600.0)}), {2.4, 0.9, 1.5});
}

// Reads and writes of one operation are one access: 400 + 600 B at 1000 B/s.
TEST(MemorySharing, of_one_operation_is_one_access) {
  model::Op op{.traffic = {{Phase::GEMM, Access::READ, 0.0, model::Bytes(400.0)},
                           {Phase::GEMM, Access::WRITE, 0.0, model::Bytes(600.0)}}};
  expect_near(ends_of_independent({op, memory_work(1000.0)}), {2.0, 2.0});
}

// An update holds the memory for two writes: 1000 B alone take 2 s; beside a write of 1000 B the two share until that
// is done at 2 s, then 1000 of 2000 B are left: 3 s. The data counts once.
TEST(MemorySharing, an_update_costs_two_writes) {
  const auto update = memory_work(1000.0, Stream::COMPUTE, Access::UPDATE);
  expect_near(ends_of_independent({update}), {2.0});
  expect_near(ends_of_independent({update, memory_work(1000.0)}), {3.0, 2.0});
}

/// Rank 0 sends 1000 B over 100 B/s with a kernel that loads them; beside it rank 0 works on memory.
std::vector<double> paced_read_beside(double bytes, double memory_bandwidth, double loads_per_byte) {
  auto device = round_device();
  device.hbm_bandwidth = model::BytesPerSecond(memory_bandwidth);
  std::vector<ProgramBuilder> programs(2);
  auto send = send_to(1);
  send.sms = 1;
  send.traffic = {{Phase::RS, Access::READ, loads_per_byte, {}}};
  programs[0].add(send);
  programs[0].add(memory_work(bytes));
  programs[1].add(receive_from(-1));
  return ends_of(played(ring(2, {.bandwidth = 100.0}, device), schedule(std::move(programs)), {.record_ops = true}));
}

// The kernel's loads are paced over the 10 s of the wire: 100 B/s. The other access has 900 B/s:
//   9000 B end at 10 s as well; of 18000 B half is left then, at 1000 B/s: 19 s.
// Paced at 400 B/s (4 B loaded per byte sent) beside 500 B/s of memory, the fair half of 250 B/s is less: the other
// access of 2500 B ends at 10 s, when 1500 of 4000 B are left, at the pace of 400 B/s: 13.75 s.
TEST(MemorySharing, a_paced_access_leaves_the_rest_to_others) {
  expect_near(paced_read_beside(9000.0, 1000.0, 1.0), {10.0, 10.0});
  expect_near(paced_read_beside(18000.0, 1000.0, 1.0), {10.0, 19.0});
  expect_near(paced_read_beside(2500.0, 500.0, 4.0), {13.75, 10.0});
}

// 72 + 8 SMs of 80 fit: 72 and 8 SM-seconds end after 1 s. With a third that wants 20, 100 SMs are wanted and all get
// 80 % of theirs: 1 / 0.8 = 1.25 s.
TEST(SmSharing, kernels_slow_down_only_when_they_want_more_than_there_is) {
  expect_near(ends_of_independent({sm_work(72, 72.0), sm_work(8, 8.0)}), {1.0, 1.0});
  expect_near(ends_of_independent({sm_work(72, 72.0), sm_work(8, 8.0), sm_work(20, 20.0)}), {1.25, 1.25, 1.25});
}

// 80 and 40 wanted of 80: shares 160/3 and 80/3. The second's 40 SM-seconds end at 1.5 s; the first has done 80 of its
// 160, the rest takes 80 / 80: 2.5 s.
TEST(SmSharing, is_in_proportion_to_the_SMs_wanted) {
  expect_near(ends_of_independent({sm_work(80, 160.0), sm_work(40, 40.0)}), {2.5, 1.5});
}

// 20 SM-seconds on at most 8 SMs take 2.5 s, also when 72 are free.
TEST(SmSharing, a_kernel_gets_no_more_than_it_asks_for) {
  expect_near(ends_of_independent({sm_work(8, 20.0)}), {2.5});
}

// Bytes that SMs move: 2 per byte of a piece of 1000 B, at 100 B/s per SM, on 10 SMs: 2 s.
TEST(SmSharing, moving_bytes_is_work) {
  ProgramBuilder program;
  program.add({.sms = 10, .sm_bytes_per_span = 2.0, .effect = {.span = {0, 1}}});
  EXPECT_NEAR(played(ring(1), schedule(std::move(program))).end_s, 2.0, 2e-9);
}

// 80 SM-seconds on 80 SMs take 1 s, 500 B 0.5 s, 3000 B 3 s: the longer counts. A launch of 0.25 s comes before.
TEST(Kernel, is_a_roofline_after_its_launch) {
  const auto kernel = [](double bytes, double launch_s) {
    auto op = memory_work(bytes);
    op.sms = 80;
    op.sm_seconds = 80.0;
    op.delay = model::Seconds(launch_s);
    return op;
  };
  expect_near(ends_of_independent({kernel(500.0, 0.0)}), {1.0});
  expect_near(ends_of_independent({kernel(3000.0, 0.0)}), {3.0});
  expect_near(ends_of_independent({kernel(500.0, 0.25)}), {1.25});
  expect_near(ends_of_independent({kernel(3000.0, 0.25)}), {3.25});
}

// Alone for 0.5 s the first has 500 of its 1000 B; then they share, 1 s for the other 500; then 500 of the second's
// 1000 B are left, 0.5 s more.
TEST(Kernel, shares_from_the_moment_it_runs) {
  auto late = memory_work(1000.0);
  late.delay = model::Seconds(0.5);
  expect_near(ends_of_independent({memory_work(1000.0), late}), {1.5, 2.0});
}

// An operation that costs nothing takes no time, and lets what waits for it start.
TEST(Kernel, of_nothing_takes_no_time) {
  ProgramBuilder program;
  const auto first = program.add({});
  const auto second = program.add(memory_work(1000.0), {first});
  program.add({}, {second});
  expect_near(ends_of(played(ring(1), schedule(std::move(program)), {.record_ops = true})), {0.0, 1.0, 1.0});
}

/// Two transfers of rank 0 to rank 1 on channels of their own, `pieces` of 1000 B each.
std::vector<double> two_transfers(const model::Cluster& cluster, std::uint32_t first, std::uint32_t second) {
  std::vector<ProgramBuilder> programs(2);
  int channel = 0;
  for (const auto pieces : {first, second}) {
    auto send = send_to(1, channel);
    auto receive = receive_from(-1, channel++);
    send.effect.span.count = receive.effect.span.count = pieces;
    programs[0].add(send);
    programs[1].add(receive);
  }
  return ends_of(played(cluster, schedule(std::move(programs)), {.record_ops = true}), 1);
}

// 1000 and 2000 B over one link of 1000 B/s: 500 B/s each until 2 s, then 1000 B at 1000 B/s: 3 s. A FATPIPE gives
// each all of its bandwidth: 1 and 2 s.
TEST(LinkSharing, two_transfers_halve_a_link_but_not_a_fat_pipe) {
  expect_near(two_transfers(ring(2), 1, 2), {2.0, 3.0});
  expect_near(two_transfers(ring(2, {.sharing = model::Sharing::FATPIPE}), 1, 2), {1.0, 2.0});
}

/// Ranks 0 .. 7 send 1000 B each to rank 8 through a switch; ends of the receives.
std::vector<double> incast(double latency_s) {
  std::vector<ProgramBuilder> programs(9);
  for (int sender = 0; sender < 8; ++sender) {
    programs[static_cast<std::size_t>(sender)].add(send_to(8 - sender));
    programs[8].add(receive_from(sender - 8));
  }
  const auto cluster = switched(9, {.latency_s = latency_s});
  return ends_of(played(cluster, schedule(std::move(programs)), {.record_ops = true}), 8);
}

// One transfer takes 1000 B / 1000 B/s = 1 s; eight into one link take 8 s together, and a latency is paid once, after.
TEST(LinkSharing, an_incast_of_eight_takes_eight_times_as_long) {
  expect_near(incast(0.0), std::vector<double>(8, 8.0));
  expect_near(incast(0.5), std::vector<double>(8, 8.5));
}

/// Rank 0 -> 2 and 1 -> 2 share the link into rank 2; only the second's route has a latency.
class UnequalRouter : public SwitchRouter {
public:
  UnequalRouter() : SwitchRouter(0.0) {}
  [[nodiscard]] std::optional<model::Route> route(model::HostId from, model::HostId to) const override {
    auto found = SwitchRouter::route(from, to);
    found->latency = model::Seconds(from.index == 1 ? 10.0 : 0.0);
    return found;
  }
};

// SimGrid's own models give less to flows of a longer latency, as TCP does; GPU fabrics do not. Both have 500 B/s and
// leave the wire at 2 s; the second arrives 10 s later.
TEST(LinkSharing, does_not_depend_on_latency) {
  std::vector<ProgramBuilder> programs(3);
  programs[0].add(send_to(2));
  programs[1].add(send_to(1));
  programs[2].add(receive_from(-2));
  programs[2].add(receive_from(-1));
  auto cluster = switched(3);
  cluster.router = std::make_shared<UnequalRouter>();
  const auto recording = played(cluster, schedule(std::move(programs)), {.record_ops = true});
  expect_near(ends_of(recording, 0), {2.0});
  expect_near(ends_of(recording, 1), {2.0});
  expect_near(ends_of(recording, 2), {2.0, 12.0});
}

// Opposite directions are links of their own: 1000 B each way in 1 s.
TEST(LinkSharing, directions_do_not_share) {
  std::vector<ProgramBuilder> programs(2);
  for (auto& program : programs) {
    program.add(send_to(1));
    program.add(receive_from(1));
  }
  EXPECT_NEAR(played(ring(2), schedule(std::move(programs))).end_s, 1.0, 1e-9);
}

// Transfers of a channel go one at a time: 1 s, then 1 s; on channels of their own both take 2 s.
TEST(Channel, keeps_the_order_of_the_program) {
  for (const int second_channel : {0, 1}) {
    std::vector<ProgramBuilder> programs(2);
    for (const int channel : {0, second_channel}) {
      programs[0].add(send_to(1, channel));
      programs[1].add(receive_from(1, channel));
    }
    const double first = second_channel == 0 ? 1.0 : 2.0;
    expect_near(ends_of(played(ring(2), schedule(std::move(programs)), {.record_ops = true}), 1), {first, 2.0});
  }
}

// The first transfer of the channel is ready at 2 s only; the second waits for its turn although it is ready at 0.
TEST(Channel, lets_nobody_overtake) {
  std::vector<ProgramBuilder> programs(2);
  const auto work = programs[0].add(memory_work(2000.0));
  programs[0].add(send_to(1), {work});
  programs[0].add(send_to(1));
  programs[1].add(receive_from(1));
  programs[1].add(receive_from(1));
  expect_near(ends_of(played(ring(2), schedule(std::move(programs)), {.record_ops = true}), 1), {3.0, 4.0});
}

// The wire waits for the receive, which rank 1 posts when its own 3 s of work are done.
TEST(Channel, waits_until_the_receive_is_posted) {
  std::vector<ProgramBuilder> programs(2);
  programs[0].add(send_to(1));
  const auto work = programs[1].add(memory_work(3000.0));
  programs[1].add(receive_from(1), {work});
  const auto recording = played(ring(2), schedule(std::move(programs)), {.record_ops = true});
  expect_near(ends_of(recording, 0), {4.0});
  expect_near(ends_of(recording, 1), {3.0, 4.0});
}

// A transfer has left when wire and loads are done, and has arrived when the peer's memory has taken it too: 1000 B at
// 1000 B/s of wire beside 4000 B of writes at the peer, which take 4 s.
TEST(Channel, a_sender_does_not_wait_for_the_peers_memory) {
  std::vector<ProgramBuilder> programs(2);
  auto send = send_to(1);
  send.peer_traffic = {{Phase::RS, Access::WRITE, 4.0, {}}};
  programs[0].add(send);
  programs[1].add(receive_from(1));
  const auto recording = played(ring(2, {.latency_s = 0.5}), schedule(std::move(programs)), {.record_ops = true});
  expect_near(ends_of(recording, 0), {1.0});
  expect_near(ends_of(recording, 1), {4.5});
}

} // namespace
} // namespace tandem::test
