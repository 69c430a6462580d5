// T3 over a hierarchical reduce-scatter against closed forms; docs/models.md, "T3". Only SMs, wires, latencies and
// launches take time, and each GPU has wires of its own to its node and to the network.
#include "collective/bounds.h"
#include "engine/child.h"
#include "engine/node_machines.h"
#include "engine/proven.h"
#include "engine/waves.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tandem::test {
namespace {

using model::CollectiveKind;

constexpr std::int64_t K = 512;
constexpr double CHUNK = 80.0 * 128 * 128 * 2; // bytes that a wave makes, for one rank

struct Setting {
  int gpus, nodes;
  double node_bandwidth, network_bandwidth;
  [[nodiscard]] int ranks() const { return gpus * nodes; }
  [[nodiscard]] Ways ways() const {
    return {.node = {.bandwidth = node_bandwidth, .latency_s = 7e-7},
            .network = {.bandwidth = network_bandwidth, .latency_s = 2e-6}};
  }
  [[nodiscard]] std::string text() const {
    return fmt::format("{} x {} GPUs, {} B/s in a node, {} B/s between", nodes, gpus, node_bandwidth,
                       network_bandwidth);
  }
};

collective::Request request_of(int ranks, CollectiveKind kind) {
  const auto gemm = gemm_of(ranks, K);
  return {.op = {.kind = kind, .ranks = ranks, .bytes = gemm.output()}, .producer = gemm};
}

double time_of(const std::string& strategy, CollectiveKind kind, const Setting& setting) {
  const auto cluster = nodes_of(setting.gpus, setting.nodes, setting.ways(), wave_device());
  const auto request = request_of(setting.ranks(), kind);
  const double time = played(cluster, proven(strategy, request, cluster)).end_s;
  EXPECT_GE(time, collective::lower_bound(request, cluster).value()) << strategy << ", " << setting.text();
  return time;
}

/// What the network does for one chunk, and what the sequential phases take.
struct Phases {
  explicit Phases(const Setting& setting)
      : gemm(setting.ranks() * wave_s(K)), hop(CHUNK / setting.network_bandwidth + 2e-6),
        inter((setting.nodes - 1) * hop),
        intra((setting.gpus - 1) * (setting.nodes * CHUNK / setting.node_bandwidth + 7e-7)) {}
  double gemm, hop, inter, intra;
};

/// t: a wave, which makes a chunk of c bytes; G GPUs in each of K nodes; b, l in a node and b', l' between nodes. Where
/// c/b + l <= t, what a node adds is there when its GPUs have made it: sum j of K is complete at launch + (j+1) G t. On
/// a ring of nodes it goes on when, besides, the sum of the nodes before has come: hops of w = c/b' + l' follow each
/// other, and the time is the largest of (j+1) G t + (K-1-j) w, at j = 0 or j = K-2, and of the GEMM. Direct, the wires
/// carry K-1 sums, from the first on or each when it is made.
/// sequential: launch + N t, launch + (G-1) (K c/b + l) + (K-1) w.
TEST(NodeFusion, TakesTheTimeOfTheGemmOrOfTheNetwork) {
  for (const auto& setting : {Setting{2, 2, 1e12, 2e10}, Setting{4, 3, 1e12, 5e10}, Setting{3, 5, 1e12, 1e12},
                              Setting{1, 4, 1e12, 5e10}, Setting{4, 2, 1e12, 1e11}, Setting{2, 4, 1e12, 1e10}}) {
    const Phases phases(setting);
    const double first = setting.gpus * wave_s(K), wire = CHUNK / setting.network_bandwidth, k = setting.nodes;
    ASSERT_LE(CHUNK / setting.node_bandwidth + 7e-7, wave_s(K));
    const double ring = LAUNCH_S + std::max({phases.gemm, first + phases.inter, (k - 1) * first + phases.hop});
    const double direct =
        LAUNCH_S + std::max({phases.gemm, first + (k - 1) * wire + 2e-6, (k - 1) * first + wire + 2e-6});
    for (const auto* within : {"ring", "direct"}) {
      const auto name = fmt::format("t3:algorithm=hierarchical:intra={}", within);
      expect_near(time_of(name, CollectiveKind::REDUCE_SCATTER, setting), ring, setting.text() + ", " + name);
      expect_near(time_of(name + ":inter=direct", CollectiveKind::REDUCE_SCATTER, setting), direct,
                  setting.text() + ", " + name + ":inter=direct");
    }
    const double sequential = 2 * LAUNCH_S + phases.gemm + phases.intra + phases.inter;
    expect_near(time_of("sequential:algorithm=hierarchical", CollectiveKind::REDUCE_SCATTER, setting), sequential,
                setting.text() + ", sequential");
    // the all-gather comes after all of it, back the same way
    expect_near(time_of("t3-mca:algorithm=hierarchical", CollectiveKind::ALL_REDUCE, setting),
                ring + LAUNCH_S + phases.intra + phases.inter, setting.text() + ", all-reduce");
  }
}

/// Whatever is the narrowest, the GEMM and each phase are there in full: what overlaps is hidden, not gone.
TEST(NodeFusion, HidesAtMostTheShorterOfGemmAndPhases) {
  for (const auto& setting :
       {Setting{2, 2, 1e12, 1e10}, Setting{4, 3, 2e10, 1e10}, Setting{3, 4, 1e10, 1e12}, Setting{4, 4, 1e11, 1e11}}) {
    const Phases phases(setting);
    const double sequential = time_of("sequential:algorithm=hierarchical", CollectiveKind::REDUCE_SCATTER, setting);
    for (const auto* strategy : {"t3:algorithm=hierarchical", "t3:algorithm=hierarchical:block=7",
                                 "t3:algorithm=hierarchical:intra=direct:inter=direct"}) {
      const double time = time_of(strategy, CollectiveKind::REDUCE_SCATTER, setting);
      const double within = (setting.gpus - 1) * setting.nodes * CHUNK / setting.node_bandwidth;
      const double between = (setting.nodes - 1) * CHUNK / setting.network_bandwidth;
      EXPECT_GE(time, LAUNCH_S + std::max({phases.gemm, within, between})) << setting.text() << ", " << strategy;
      EXPECT_LE(time, sequential) << setting.text() << ", " << strategy;
    }
  }
}

} // namespace
} // namespace tandem::test
