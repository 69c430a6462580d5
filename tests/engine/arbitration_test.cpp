// Shares of the memory between the compute and the communication stream, solved by hand.
#include "engine/child.h"
#include "engine/machines.h"
#include "engine/programs.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tandem::test {
namespace {

using model::Arbitration;
using model::ProgramBuilder;
using model::Stream;

/// A memory of 1000 B/s behind a queue of 64 entries, of which compute holds 16 beside a burst of communication.
model::Device queued_device() {
  auto device = round_device();
  device.queue.depth = 64;
  device.queue.compute_entries = 16;
  device.queue.starvation_share = 0.125;
  device.queue.thresholds = {{0.75, 4}, {0.5, 16}, {0.25, 32}};
  return device;
}

model::Recording play_on(const model::Device& device, ProgramBuilder program, Arbitration arbitration) {
  auto made = schedule(std::move(program));
  made.arbitration = arbitration;
  return played(ring(1, {}, device), made, {.record_ops = true});
}

double end_of(const model::Recording& recording, std::uint32_t op) {
  const auto found =
      std::find_if(recording.ops.begin(), recording.ops.end(), [&](const auto& record) { return record.op == op; });
  return found == recording.ops.end() ? -1.0 : found->end_s;
}

/// `compute` and `communication` bytes from the same moment on; ends of the two.
std::pair<double, double> ends(double compute, double communication, Arbitration arbitration) {
  ProgramBuilder program;
  program.add(memory_work(compute));
  program.add(memory_work(communication, Stream::COMMUNICATION));
  const auto recording = play_on(queued_device(), std::move(program), arbitration);
  return {end_of(recording, 0), end_of(recording, 1)};
}

// Half each: 1000 B at 2 s; 500 of 1500 B are left, at 1000 B/s: 2.5 s.
TEST(Arbitration, fair_knows_no_streams) {
  const auto [compute, communication] = ends(1000.0, 1500.0, Arbitration::FAIR);
  EXPECT_NEAR(compute, 2.0, 2e-9);
  EXPECT_NEAR(communication, 2.5, 2e-9);
}

// Communication holds 48 of 64 entries: 750 B/s. Its 1500 B end at 2 s; compute has 500 of 1000 B then: 2.5 s.
TEST(Arbitration, a_shared_queue_serves_by_entries_held) {
  const auto [compute, communication] = ends(1000.0, 1500.0, Arbitration::SHARED_QUEUE);
  EXPECT_NEAR(compute, 2.5, 2e-9);
  EXPECT_NEAR(communication, 2.0, 2e-9);
}

// The share is the stream's, however many accesses it has: three of 500 B have 250 B/s each and end at 2 s.
TEST(Arbitration, a_stream_gains_nothing_from_more_accesses) {
  ProgramBuilder program;
  program.add(memory_work(1000.0));
  for (int access = 0; access < 3; ++access)
    program.add(memory_work(500.0, Stream::COMMUNICATION));
  const auto recording = play_on(queued_device(), std::move(program), Arbitration::SHARED_QUEUE);
  EXPECT_NEAR(end_of(recording, 0), 2.5, 2e-9);
  for (std::uint32_t access = 1; access <= 3; ++access)
    EXPECT_NEAR(end_of(recording, access), 2.0, 2e-9);
}

// The rest of a stream takes over the share of an access that has ended: of 750 and 1500 B the first ends after 2 s at
// 375 B/s each; the other's 750 B go on at 750 B/s until 3 s. Compute has had 250 B/s for 3 s and ends 1000 B at
// 3.25 s.
TEST(Arbitration, an_ended_access_leaves_its_share_to_its_stream) {
  ProgramBuilder program;
  program.add(memory_work(1000.0));
  program.add(memory_work(750.0, Stream::COMMUNICATION));
  program.add(memory_work(1500.0, Stream::COMMUNICATION));
  const auto recording = play_on(queued_device(), std::move(program), Arbitration::SHARED_QUEUE);
  EXPECT_NEAR(end_of(recording, 1), 2.0, 2e-9);
  EXPECT_NEAR(end_of(recording, 2), 3.0, 3e-9);
  EXPECT_NEAR(end_of(recording, 0), 3.25, 4e-9);
}

// Alone, either stream has the whole memory.
TEST(Arbitration, gives_all_to_a_stream_alone) {
  for (const auto arbitration : {Arbitration::SHARED_QUEUE, Arbitration::COMPUTE_FIRST}) {
    EXPECT_NEAR(ends(1000.0, 0.0, arbitration).first, 1.0, 1e-9);
    EXPECT_NEAR(ends(0.0, 1000.0, arbitration).second, 1.0, 1e-9);
  }
}

// Before a kernel's first stage has ended no threshold is chosen: communication has the starvation share, 125 B/s.
// 875 B of compute end at 1 s; 125 of 1000 B of communication are done then: 1.875 s.
TEST(Arbitration, compute_first_starts_at_the_starvation_share) {
  const auto [compute, communication] = ends(875.0, 1000.0, Arbitration::COMPUTE_FIRST);
  EXPECT_NEAR(compute, 1.0, 1e-9);
  EXPECT_NEAR(communication, 1.875, 2e-9);
}

struct Choice {
  double first_stage_bytes; ///< read in a first stage of 1 s: the intensity is this / 1000
  int threshold;
  double communication_rate; ///< B/s beside compute afterwards
};

// A first stage of 80 SM-seconds lasts 1 s, of which the memory works first_stage_bytes / 1000. The first row of
// {0.75: 4, 0.5: 16, 0.25: 32} whose intensity is reached sets the threshold T; communication has T/64 of the memory,
// at least the starvation share of 1/8 and at most the 48/64 of a shared queue; no row: no limit but the latter.
// Afterwards compute has 1000 B/s - rate: of 1000 B each, the faster ends at 1000 / its rate.
TEST(Arbitration, compute_first_chooses_its_threshold_by_the_first_stage) {
  for (const auto& [bytes, threshold, rate] : {Choice{1000.0, 4, 125.0}, //
                                               Choice{760.0, 4, 125.0},  //
                                               Choice{740.0, 16, 250.0}, //
                                               Choice{510.0, 16, 250.0}, //
                                               Choice{490.0, 32, 500.0}, //
                                               Choice{240.0, 0, 750.0}}) {
    SCOPED_TRACE(bytes);
    ProgramBuilder program;
    auto stage = memory_work(bytes);
    stage.sms = 80;
    stage.sm_seconds = 80.0;
    stage.first_stage_end = true;
    const auto first = program.add(stage);
    program.add(memory_work(1000.0), {first});
    program.add(memory_work(1000.0, Stream::COMMUNICATION), {first});
    const auto recording = play_on(queued_device(), std::move(program), Arbitration::COMPUTE_FIRST);
    EXPECT_NEAR(recording.memory_intensity, bytes / 1000.0, 1e-9);
    EXPECT_EQ(recording.queue_threshold, threshold);
    const double faster = 1.0 + 1000.0 / std::max(rate, 1000.0 - rate);
    EXPECT_NEAR(end_of(recording, rate > 500.0 ? 2 : 1), faster, 1e-9 * faster);
    EXPECT_NEAR(recording.end_s, 3.0, 3e-9); // 2000 B in all after 1 s
  }
}

// The threshold changes the shares of accesses in flight. Communication of 2000 B starts beside a first stage that
// reads 800 B in 1 s (SM-bound; the memory keeps up with its 875 B/s): it takes what compute leaves. The two streams
// together have 1000 B/s from 0 on: 800 B of stage end at 800/875 s, after which communication runs alone until 1 s.
// Communication: 125 x 800/875 + 1000 x (1 - 800/875) = 200 B. Intensity 0.8: threshold 4, 1/8. Compute's next 875 B
// end 1 s later; communication has 325 of 2000 B then: 2 + 1.675 s.
TEST(Arbitration, a_threshold_holds_for_accesses_in_flight) {
  ProgramBuilder program;
  auto stage = memory_work(800.0);
  stage.sms = 80;
  stage.sm_seconds = 80.0;
  stage.first_stage_end = true;
  const auto first = program.add(stage);
  program.add(memory_work(2000.0, Stream::COMMUNICATION));
  program.add(memory_work(875.0), {first});
  const auto recording = play_on(queued_device(), std::move(program), Arbitration::COMPUTE_FIRST);
  EXPECT_EQ(recording.queue_threshold, 4);
  EXPECT_NEAR(end_of(recording, 0), 1.0, 1e-9);
  EXPECT_NEAR(end_of(recording, 2), 2.0, 2e-9);
  EXPECT_NEAR(end_of(recording, 1), 3.675, 4e-9);
}

// Without compute-first no threshold is chosen, but the intensity is told.
TEST(Arbitration, only_compute_first_has_a_threshold) {
  ProgramBuilder program;
  auto stage = memory_work(500.0);
  stage.sms = 80;
  stage.sm_seconds = 80.0;
  stage.first_stage_end = true;
  program.add(stage);
  const auto recording = play_on(queued_device(), std::move(program), Arbitration::SHARED_QUEUE);
  EXPECT_NEAR(recording.memory_intensity, 0.5, 1e-9);
  EXPECT_EQ(recording.queue_threshold, -1);
}

} // namespace
} // namespace tandem::test
