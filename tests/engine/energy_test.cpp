// Energy of what was played against sums done by hand.
#include "model/energy.h"

#include "base/error.h"
#include "engine/child.h"
#include "engine/machines.h"
#include "engine/programs.h"
#include "engine/proven.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sstream>

namespace tandem::test {
namespace {

using model::Access;
using model::CollectiveKind;
using model::ProgramBuilder;

constexpr double IDLE_W = 10.0, MEMORY_BYTE_J = 0.02, LINK_BYTE_J = 0.5, NETWORK_BYTE_J = 3.0;
constexpr double SM_SECOND_J = 1.25; // (130 W - 10 W - 1000 B/s x 0.02 J/B) / 80 SMs

model::Device device_with_power() {
  auto device = round_device();
  device.power = {.idle = model::Watts(IDLE_W),
                  .tdp = model::Watts(130.0),
                  .limit = {},
                  .hbm = model::JoulesPerByte(MEMORY_BYTE_J),
                  .link = model::JoulesPerByte(LINK_BYTE_J),
                  .network = model::JoulesPerByte(NETWORK_BYTE_J)};
  return device;
}

// Rank 0: 1 s of all 80 SMs, then 1000 B over a link of 1000 B/s. Rank 1: 20 SM-seconds, reads 300 B and updates 100 B,
// which cost two writes each, and waits for the message until 2 s.
//   idle     2 ranks x 2 s x 10 W = 40 J
//   SMs      (80 + 20) SM-s x 1.25 J = 125 J
//   memory   (300 + 2 x 100) B x 0.02 J/B = 10 J
//   link     1000 B x 0.5 J/B = 500 J
TEST(Energy, is_the_sum_of_what_was_done) {
  std::vector<ProgramBuilder> programs(2);
  const auto work = programs[0].add(sm_work(80, 80.0));
  programs[0].add(send_to(1), {work});
  programs[1].add(sm_work(80, 20.0));
  programs[1].add(memory_work(300.0));
  programs[1].add(memory_work(100.0, model::Stream::COMPUTE, Access::UPDATE));
  programs[1].add(receive_from(1));
  const auto cluster = ring(2, {}, device_with_power());
  const auto recording = played(cluster, schedule(std::move(programs)));
  const auto use = model::energy_use(recording, cluster, recording.end_s);
  EXPECT_NEAR(use.ranks.idle_j, 40.0, 1e-6);
  EXPECT_NEAR(use.ranks.compute_j, 125.0, 1e-6);
  EXPECT_NEAR(use.ranks.memory_j, 10.0, 1e-6);
  ASSERT_EQ(use.links.size(), 1U);
  EXPECT_NEAR(use.links[0].joules, 500.0, 1e-6);
  EXPECT_EQ(use.links[0].busiest, "link0");
  EXPECT_NEAR(use.total(), 675.0, 1e-6);
  // By rank: rank 1 has 2 s x 10 W, 20 SM-s x 1.25 J, 500 B x 0.02 J/B.
  const auto rank = model::rank_energy(recording, cluster, 1, recording.end_s);
  EXPECT_NEAR(rank.idle_j, 20.0, 1e-6);
  EXPECT_NEAR(rank.compute_j, 20.0 * SM_SECOND_J, 1e-6);
  EXPECT_NEAR(rank.memory_j, 10.0, 1e-6);
  // Two iterations of which each takes 1 s: half the work, and idle power for 1 s.
  const auto half = model::energy_use(recording, cluster, 1.0, 2.0);
  EXPECT_NEAR(half.total(), 20.0 + (125.0 + 10.0 + 500.0) / 2.0, 1e-6);
}

/// What one run in a process of its own takes.
struct Told {
  int classes = 0;
  double end_s = 0.0, idle_j = 0.0, compute_j = 0.0, memory_j = 0.0, links_j = 0.0;
  std::size_t links = 0; ///< that carried something
};

Told told(const model::Cluster& cluster, const model::Schedule& schedule, engine::Fold fold) {
  std::istringstream words(in_child([&] {
    const auto recording = engine::play(cluster, {&schedule}, {.fold = fold});
    const auto use = model::energy_use(recording, cluster, recording.end_s);
    return fmt::format("{} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {}", recording.classes(), recording.end_s,
                       use.ranks.idle_j, use.ranks.compute_j, use.ranks.memory_j, use.links_j(), use.links.at(0).links);
  }));
  Told read;
  words >> read.classes >> read.end_s >> read.idle_j >> read.compute_j >> read.memory_j >> read.links_j >> read.links;
  return read;
}

// A ring's all-reduce of S bytes on N ranks sends 2 (N - 1) S in all, each byte over the two links of a switch. Played
// once for all ranks, which do the same, it takes as much as with every rank played.
TEST(Energy, counts_every_rank_of_a_class) {
  constexpr int RANKS = 8;
  constexpr double SIZE = 8000.0;
  const auto cluster = switched(RANKS, {}, device_with_power());
  const collective::Request request{
      {.kind = CollectiveKind::ALL_REDUCE, .ranks = RANKS, .bytes = model::Bytes(SIZE)}, {}, {}};
  const auto reduced = proven("ring", request, cluster);
  const auto all = told(cluster, reduced, engine::Fold::OFF), folded = told(cluster, reduced, engine::Fold::ON);
  ASSERT_EQ(all.classes, RANKS);
  ASSERT_EQ(folded.classes, 1);
  EXPECT_NEAR(all.links_j, 2.0 * (RANKS - 1) * SIZE * 2.0 * LINK_BYTE_J, 1e-6);
  EXPECT_EQ(all.links, 2U * RANKS);
  EXPECT_EQ(folded.links, all.links);
  EXPECT_NEAR(folded.links_j, all.links_j, 1e-9 * all.links_j);
  EXPECT_NEAR(folded.idle_j, all.idle_j, 1e-9 * all.idle_j);
  EXPECT_NEAR(folded.compute_j, all.compute_j, 1e-9 * all.compute_j);
  EXPECT_NEAR(folded.memory_j, all.memory_j, 1e-9 * all.memory_j);
  EXPECT_NEAR(all.idle_j, RANKS * IDLE_W * all.end_s, 1e-6);
  EXPECT_GT(all.compute_j, 0.0);
  EXPECT_GT(all.memory_j, 0.0);
  // No rank draws more than its TDP.
  EXPECT_LE(all.idle_j + all.compute_j + all.memory_j, RANKS * all.end_s * 130.0);
}

// The link's medium decides what a byte costs: the same 1000 B, 3 J/B instead of 0.5.
TEST(Energy, of_the_network_is_its_own) {
  std::vector<ProgramBuilder> programs(2);
  programs[0].add(send_to(1));
  programs[1].add(receive_from(1));
  auto cluster = ring(2, {}, device_with_power());
  for (auto& link : cluster.links.stored())
    link.medium = model::Medium::NETWORK;
  const auto recording = played(cluster, schedule(std::move(programs)));
  const auto use = model::energy_use(recording, cluster, recording.end_s);
  ASSERT_EQ(use.links.size(), 1U);
  EXPECT_EQ(use.links[0].medium, "network");
  EXPECT_NEAR(use.links[0].joules, 1000.0 * NETWORK_BYTE_J, 1e-6);
}

std::string refusal(const model::Device& device) {
  try {
    (void)model::energy_costs(device);
  } catch (const base::UserError& error) {
    return error.what();
  }
  return {};
}

TEST(Energy, needs_what_the_device_draws) {
  auto device = device_with_power();
  EXPECT_NEAR(model::energy_costs(device).sm_second_j, SM_SECOND_J, 1e-12);
  device.power.hbm.reset();
  EXPECT_NE(refusal(device).find("does not state power.hbm;"), std::string::npos) << refusal(device);
  device = device_with_power();
  device.power.tdp = model::Watts(29.0); // idle 10 W and memory 20 W
  EXPECT_NE(refusal(device).find("exceed power.tdp 29 W"), std::string::npos) << refusal(device);
}

} // namespace
} // namespace tandem::test
