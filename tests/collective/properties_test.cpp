// Every registered strategy at every size: proven, deterministic, and never fewer bytes than the operation needs.
#include "built_clusters.h"
#include "every_strategy.h"
#include "schedule_edit.h"

#include "collective/bounds.h"
#include "collective/verify.h"
#include "platform/platform.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

namespace tandem::collective {
namespace {

using model::CollectiveKind;
using model::Gemm;
using model::OpKind;
using model::Phase;
using model::Schedule;

constexpr std::array KINDS{CollectiveKind::ALL_REDUCE, CollectiveKind::REDUCE_SCATTER, CollectiveKind::ALL_GATHER,
                           CollectiveKind::ALL_TO_ALL, CollectiveKind::BROADCAST,      CollectiveKind::REDUCE,
                           CollectiveKind::SCATTER,    CollectiveKind::GATHER,         CollectiveKind::SEND_RECV,
                           CollectiveKind::BARRIER};
constexpr std::array RANKS{1, 2, 3, 4, 5, 7, 8, 13, 16, 64};

std::string name_of(const Gemm& gemm) {
  return fmt::format("{}x{}x{}x{}", gemm.m, gemm.n, gemm.k, gemm.batch);
}

/// What rank r sends and receives, of one phase or of all.
struct Volume {
  double sent = 0.0, received = 0.0;
};

Volume volume(const Schedule& schedule, const model::SpanBytes& bytes, int rank,
              std::optional<Phase> phase = std::nullopt) {
  Volume sum;
  for (const auto& op : schedule.program(rank).ops) {
    if (phase && op.phase != *phase)
      continue;
    if (op.kind == OpKind::TRANSFER)
      sum.sent += bytes(rank, op.effect.span);
    if (op.kind == OpKind::RECV)
      sum.received += bytes(rank, op.effect.span);
  }
  return sum;
}

/// What must leave and reach a rank whatever the algorithm: contributions to the chunks of others, the chunks of others
/// where it ends with everything, its part where it is not the root. The ranks of an all-reduce are one by one free,
/// but N-1 messages per element make the sum and N-1 spread it.
Volume needed(const Schedule& schedule, double payload, double own, int rank) {
  const double others = payload - own;
  const bool root = rank == schedule.root;
  switch (*schedule.goal) {
  case CollectiveKind::ALL_REDUCE:
    return {};
  case CollectiveKind::REDUCE_SCATTER:
    return {others, schedule.ranks > 1 ? own : 0.0};
  case CollectiveKind::ALL_GATHER:
    return {0.0, others};
  case CollectiveKind::ALL_TO_ALL:
    return {others, own * (schedule.ranks - 1)};
  case CollectiveKind::BROADCAST:
    return {0.0, root ? 0.0 : payload};
  case CollectiveKind::REDUCE:
    return {root ? 0.0 : payload, 0.0};
  case CollectiveKind::SCATTER:
    return {root ? others : 0.0, root ? 0.0 : own};
  case CollectiveKind::GATHER:
    return {root ? 0.0 : own, root ? others : 0.0};
  case CollectiveKind::SEND_RECV:
    return schedule.ranks > 1 ? Volume{payload, payload} : Volume{};
  case CollectiveKind::ALL_TO_ALL_V: // has a test of its own
  case CollectiveKind::BARRIER:
    return {};
  }
  return {};
}

void expect_enough_bytes(const Schedule& schedule, double payload) {
  const model::SpanBytes bytes(schedule);
  double all = 0.0;
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    const auto least = needed(schedule, payload, bytes(rank, {0, schedule.pieces_per_chunk}), rank);
    const auto moved = volume(schedule, bytes, rank);
    EXPECT_GE(moved.sent, least.sent) << "rank " << rank;
    EXPECT_GE(moved.received, least.received) << "rank " << rank;
    all += moved.sent;
  }
  if (schedule.goal == CollectiveKind::ALL_REDUCE) {
    EXPECT_GE(all, 2.0 * (schedule.ranks - 1) * payload);
  }
}

/// Requests outside what a strategy is for are refused with one of these.
bool is_a_refusal(const std::string& why_not) {
  return why_not == "it works on the output of a GEMM, and there is none" ||
         why_not == "it works on the output of a GEMM, and this one works on what is gathered" ||
         why_not == "it is for a collective on its own, and there is a GEMM" || why_not.starts_with("it does no ") ||
         why_not.find("nothing can be compressed") != std::string::npos ||
         why_not.starts_with("it chooses by the costs of a communication library") ||
         why_not.starts_with("no switch of a node of platform ") ||
         why_not.starts_with("no switch between the nodes of platform ") ||
         why_not == "the ranks are not several whole nodes" || why_not == "the ranks are not in one node" ||
         why_not == "with inter=tree it does an all-reduce only" || why_not.starts_with("a grid of ");
}

void expect_sound(const std::string& strategy, const Request& request, const model::Cluster& cluster) {
  const auto selection = select_strategy(strategy);
  if (const auto why_not = selection.strategy->why_not(request, cluster); !why_not.empty()) {
    ASSERT_TRUE(is_a_refusal(why_not)) << why_not;
    return;
  }
  const auto schedule = selection.strategy->plan(request, cluster);
  EXPECT_EQ(verify(schedule), "");
  EXPECT_EQ(schedule.ranks, request.op.ranks);
  EXPECT_EQ(schedule.goal, request.op.kind);
  const double payload = request.op.kind == CollectiveKind::BARRIER ? 0.0 : request.op.bytes.value();
  EXPECT_EQ(std::accumulate(schedule.piece_bytes.begin(), schedule.piece_bytes.end(), 0.0), payload);
  EXPECT_EQ(std::set<std::string>(schedule.labels.begin(), schedule.labels.end()).size(), schedule.labels.size());
  EXPECT_FALSE(std::count(schedule.labels.begin(), schedule.labels.end(), ""));
  expect_enough_bytes(schedule, payload);
  EXPECT_EQ(difference(schedule, select_strategy(strategy).strategy->plan(request, cluster)), "");
}

class Properties : public testing::TestWithParam<std::string> {};

TEST_P(Properties, HoldForEverySizeOfTheFusedAllReduce) {
  // below a tile, one tile and a bit each way, exactly a tile, nothing that divides, a batch, wide as the large models
  const std::vector<Gemm> gemms{{.m = 1, .n = 1, .k = 1},
                                {.m = 127, .n = 129, .k = 64},
                                {.m = 128, .n = 128, .k = 8},
                                {.m = 1000, .n = 999, .k = 17},
                                {.m = 300, .n = 200, .k = 9, .batch = 3},
                                {.m = 2048, .n = 12288, .k = 384}};
  auto device = small_device();
  for (const auto& gemm : gemms)
    for (const int ranks : RANKS) {
      SCOPED_TRACE(fmt::format("{} ranks, GEMM {}", ranks, name_of(gemm)));
      device.sms = gemm.m * gemm.n > 10'000'000 ? 80 : 20;
      expect_sound(GetParam(), fused(ranks, gemm), ranks % 2 == 0 ? ring_of(ranks, device) : switch_of(ranks, device));
    }
}

TEST_P(Properties, HoldForTheFusedReduceScatter) {
  for (const Gemm& gemm : {Gemm{.m = 1, .n = 1, .k = 1}, Gemm{.m = 1000, .n = 999, .k = 17}})
    for (const int ranks : RANKS) {
      SCOPED_TRACE(fmt::format("{} ranks, GEMM {}", ranks, name_of(gemm)));
      auto request = fused(ranks, gemm);
      request.op.kind = CollectiveKind::REDUCE_SCATTER;
      expect_sound(GetParam(), request, ranks % 2 == 0 ? ring_of(ranks) : switch_of(ranks));
    }
}

TEST_P(Properties, HoldForTheFusedAllToAll) {
  // fewer tiles than ranks, tiles of every size, batches, chunks of several stages
  for (const Gemm& gemm : {Gemm{.m = 1, .n = 1, .k = 1}, Gemm{.m = 1000, .n = 999, .k = 17},
                           Gemm{.m = 300, .n = 200, .k = 9, .batch = 3}, Gemm{.m = 4096, .n = 4096, .k = 64}})
    for (const int ranks : RANKS) {
      SCOPED_TRACE(fmt::format("{} ranks, GEMM {}", ranks, name_of(gemm)));
      auto request = fused(ranks, gemm);
      request.op.kind = CollectiveKind::ALL_TO_ALL;
      expect_sound(GetParam(), request, ranks % 2 == 0 ? ring_of(ranks) : switch_of(ranks));
    }
}

TEST_P(Properties, HoldForTheGemmOfAGatheredInput) {
  for (const Gemm& gemm : {Gemm{.m = 1, .n = 1, .k = 1}, Gemm{.m = 1000, .n = 999, .k = 17},
                           Gemm{.m = 300, .n = 200, .k = 9, .batch = 3}, Gemm{.m = 4096, .n = 512, .k = 1024}})
    for (const int ranks : RANKS) {
      SCOPED_TRACE(fmt::format("{} ranks, GEMM {}", ranks, name_of(gemm)));
      expect_sound(GetParam(), gathered(ranks, gemm), ranks % 2 == 0 ? ring_of(ranks) : switch_of(ranks));
    }
}

TEST_P(Properties, HoldOnTheShippedPlatforms) {
  const std::string folder = TANDEM_SOURCE_DIR "/platforms/";
  const std::vector<std::pair<std::string, int>> platforms{
      {"t3-ring-2.xml", 2},   {"t3-ring-4.xml", 4},        {"t3-ring-8.xml", 8},
      {"t3-ring-16.xml", 16}, {"t3-ring-16-2x-cu.xml", 5}, {"dgx-h100.xml", 8},
  };
  for (const auto& [file, ranks] : platforms) {
    SCOPED_TRACE(file);
    const auto cluster = platform::read_cluster(folder + file, {folder + "devices"});
    const auto request = fused(ranks, {.m = 1024, .n = 3000, .k = 96});
    const auto why_not = select_strategy(GetParam()).strategy->why_not(request, cluster);
    if (is_a_refusal(why_not))
      continue;
    EXPECT_TRUE(why_not.empty() || !cluster.gpus.front().device->near_memory.available);
    if (why_not.empty())
      expect_sound(GetParam(), request, cluster);
    else
      EXPECT_EQ(why_not, "device h100-sxm has no near-memory reduction (near_memory.available: false)");
  }
}

TEST_P(Properties, HoldForPlainCollectivesWhereTheStrategyDoesThem) {
  constexpr double MIB = 1048576.0, PRIME = 1000003.0, HUGE_PAYLOAD = 8589934592.0; // 2^33
  for (const int ranks : RANKS)
    for (const double bytes : {0.0, 1.0, ranks - 1.0, ranks + 0.0, MIB, PRIME, HUGE_PAYLOAD})
      for (const auto kind : KINDS) {
        SCOPED_TRACE(fmt::format("{} of {} B on {} ranks", model::to_string(kind), bytes, ranks));
        const auto cluster = ranks % 2 == 0 ? switch_of(ranks) : ring_of(ranks);
        auto request = plain(kind, ranks, bytes);
        request.op.root = ranks / 2;
        expect_sound(GetParam(), request, cluster);
      }
}

/// What several nodes are asked for, also with a payload that nothing divides.
void expect_sound_over_nodes(const std::string& strategy, const model::Cluster& cluster, int ranks) {
  constexpr double PRIME = 1000003.0;
  for (const double bytes : {0.0, 1.0, ranks - 1.0, PRIME})
    for (const auto kind : {CollectiveKind::ALL_REDUCE, CollectiveKind::REDUCE_SCATTER, CollectiveKind::ALL_GATHER}) {
      SCOPED_TRACE(fmt::format("{} of {} B on {} ranks", model::to_string(kind), bytes, ranks));
      expect_sound(strategy, plain(kind, ranks, bytes), cluster);
    }
}

TEST_P(Properties, HoldOverSeveralNodes) {
  const std::string folder = TANDEM_SOURCE_DIR "/platforms/";
  for (const auto* nodes : {"2", "3", "4"}) {
    const auto cluster = platform::read_cluster(folder + "dgx-a100.xml", {folder + "devices"}, {{"nodes", nodes}});
    expect_sound_over_nodes(GetParam(), cluster, static_cast<int>(cluster.gpus.size()));
  }
}

TEST_P(Properties, HoldOverNodesOfEverySize) {
  for (const int gpus : {1, 2, 3, 5})
    for (const int nodes : {2, 3, 4, 5, 7}) {
      auto cluster = switch_of(gpus * nodes);
      cluster.gpus_per_node = gpus;
      expect_sound_over_nodes(GetParam(), cluster, gpus * nodes);
    }
}

/// Every operation where the switches add, of one node and of several.
TEST_P(Properties, HoldWhereSwitchesReduce) {
  constexpr double PRIME = 1000003.0;
  for (const int gpus : {1, 2, 3, 8})
    for (const int nodes : {1, 2, 4, 5}) {
      auto cluster = switch_of(gpus * nodes);
      cluster.gpus_per_node = gpus;
      cluster.node_reduces_in_switch = cluster.fabric_reduces_in_switch = true;
      for (const double bytes : {0.0, gpus * nodes - 1.0, PRIME})
        for (const auto kind : KINDS) {
          SCOPED_TRACE(fmt::format("{} of {} B, {} x {} ranks", model::to_string(kind), bytes, nodes, gpus));
          auto request = plain(kind, gpus * nodes, bytes);
          request.op.root = gpus * nodes / 2;
          expect_sound(GetParam(), request, cluster);
        }
    }
}

TEST_P(Properties, HoldForFusedReductionsOverNodes) {
  for (const Gemm& gemm : {Gemm{.m = 1, .n = 1, .k = 1}, Gemm{.m = 1000, .n = 999, .k = 17}})
    for (const int gpus : {1, 2, 3, 5})
      for (const int nodes : {2, 3, 4}) {
        SCOPED_TRACE(fmt::format("{} x {} ranks, GEMM {}", nodes, gpus, name_of(gemm)));
        auto cluster = gpus % 2 == 0 ? ring_of(gpus * nodes) : switch_of(gpus * nodes);
        cluster.gpus_per_node = gpus;
        for (const auto kind : {CollectiveKind::ALL_REDUCE, CollectiveKind::REDUCE_SCATTER}) {
          auto request = fused(gpus * nodes, gemm);
          request.op.kind = kind;
          expect_sound(GetParam(), request, cluster);
        }
      }
}

TEST_P(Properties, HoldForAllToAllVWhereTheStrategyDoesIt) {
  for (const int ranks : RANKS) {
    SCOPED_TRACE(fmt::format("{} ranks", ranks));
    auto request = plain(CollectiveKind::ALL_TO_ALL_V, ranks, 0.0);
    std::vector<double> pairs;
    for (int from = 0; from < ranks; ++from)
      for (int to = 0; to < ranks; ++to)
        pairs.push_back(from * to % 3 == 0 ? 0.0 : 1000.0 * from + to);
    request.op.pairs = std::make_shared<const std::vector<double>>(pairs);
    const auto selection = select_strategy(GetParam());
    if (const auto why_not = selection.strategy->why_not(request, switch_of(ranks)); !why_not.empty()) {
      ASSERT_TRUE(is_a_refusal(why_not)) << why_not;
      continue;
    }
    const auto schedule = selection.strategy->plan(request, switch_of(ranks));
    EXPECT_EQ(verify(schedule), "");
    const model::SpanBytes bytes(schedule);
    for (int rank = 0; rank < ranks; ++rank) {
      double out = 0.0, in = 0.0;
      for (int other = 0; other < ranks; ++other)
        if (other != rank) {
          out += pairs[static_cast<std::size_t>(rank * ranks + other)];
          in += pairs[static_cast<std::size_t>(other * ranks + rank)];
        }
      EXPECT_EQ(volume(schedule, bytes, rank).sent, out);
      EXPECT_EQ(volume(schedule, bytes, rank).received, in);
    }
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name;
  for (const char c : info.param)
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Registry, Properties, testing::ValuesIn(every_strategy()), test_name);

/// Negative control of expect_enough_bytes(): half a payload's worth of transfers is noticed.
TEST(PropertiesControl, MissingBytesAreNoticed) {
  auto schedule = select_strategy("sequential").strategy->plan(plain(CollectiveKind::ALL_REDUCE, 4, 4096), ring_of(4));
  for (auto& op : schedule.programs.front().ops)
    op.effect.span.count = op.phase == Phase::RS ? 0 : op.effect.span.count;
  const model::SpanBytes bytes(schedule);
  EXPECT_EQ(volume(schedule, bytes, 0, Phase::RS).sent, 0.0);
  EXPECT_EQ(volume(schedule, bytes, 0, Phase::AG).received, 3072.0); // 3 of 4 chunks
}

} // namespace
} // namespace tandem::collective
