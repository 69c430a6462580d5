// Sums and copies in switches against closed forms; docs/models.md, "Collectives".
#include "collective/bounds.h"
#include "engine/child.h"
#include "engine/node_machines.h"
#include "engine/proven.h"
#include "platform/platform.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

namespace tandem::test {
namespace {

using model::CollectiveKind;

constexpr double LAUNCH_S = 3e-6;
constexpr double BYTES = 5.0 * 7 * 9 * 16 * 4096; // even for every N and number of chunks below

model::Recording run(const std::string& strategy, CollectiveKind kind, const model::Cluster& cluster,
                     double bytes = BYTES) {
  collective::Request request;
  request.op = {kind, static_cast<int>(cluster.gpus.size()), model::Bytes(bytes), 0, nullptr};
  request.op.root = request.op.ranks / 2;
  auto recording = played(cluster, proven(strategy, request, cluster));
  EXPECT_GE(recording.end_s, collective::lower_bound(request, cluster).value()) << strategy;
  return recording;
}

void expect_time(const std::string& strategy, CollectiveKind kind, const model::Cluster& cluster, double expected) {
  EXPECT_NEAR(run(strategy, kind, cluster).end_s, expected, 1e-9 * expected)
      << strategy << " " << model::to_string(kind) << " on " << cluster.gpus.size() << " GPUs";
}

/// A reduce-scatter sends N-1 contributions of B/N into the switch from each GPU and takes one sum from it, an
/// all-gather the other way round. With a root each GPU's B cross its wire once. Chunks change nothing: the wires are
/// busy all the time. All SMs together just feed a wire (a copy loads and stores, so twice its bandwidth): only one
/// message of a GPU at a time takes any, which has them all.
TEST(Nvls, TakesTheTimeOfEachGpusWire) {
  const Wires wires{.bandwidth = 1e11, .latency_s = 7e-7};
  auto device = fast_device(LAUNCH_S);
  device.sm_copy_bandwidth = model::BytesPerSecond(2.0 * wires.bandwidth / device.sms);
  for (const int ranks : {2, 3, 5, 8}) {
    auto cluster = switched(ranks, wires, device);
    cluster.node_reduces_in_switch = true;
    for (const int chunks : {1, 3}) {
      const auto strategy = fmt::format("nvls:chunks={}", chunks);
      const double wire = BYTES / wires.bandwidth, parts = LAUNCH_S + (ranks - 1) * wire / ranks + wires.latency_s;
      expect_time(strategy, CollectiveKind::REDUCE_SCATTER, cluster, parts);
      expect_time(strategy, CollectiveKind::ALL_GATHER, cluster, parts);
      expect_time(strategy, CollectiveKind::BROADCAST, cluster, LAUNCH_S + wire + wires.latency_s);
      expect_time(strategy, CollectiveKind::REDUCE, cluster, LAUNCH_S + wire + wires.latency_s);
    }
  }
}

/// The whole way takes each link's bytes once: what a GPU has sent is what crossed its wire into the switch.
TEST(Nvls, EachByteCrossesAWireOnce) {
  constexpr int RANKS = 5;
  auto cluster = switched(RANKS, {}, fast_device(LAUNCH_S));
  cluster.node_reduces_in_switch = true;
  const auto broadcast = run("nvls", CollectiveKind::BROADCAST, cluster).link_bytes;
  const auto reduce = run("nvls", CollectiveKind::REDUCE, cluster).link_bytes;
  for (std::size_t gpu = 0; gpu < RANKS; ++gpu) {
    const bool root = gpu == RANKS / 2;
    EXPECT_EQ(broadcast[2 * gpu], root ? BYTES : 0.0);
    EXPECT_EQ(broadcast[2 * gpu + 1], root ? 0.0 : BYTES);
    EXPECT_EQ(reduce[2 * gpu], root ? 0.0 : BYTES);
    EXPECT_EQ(reduce[2 * gpu + 1], root ? BYTES : 0.0);
  }
}

model::Cluster sharp_nodes(int gpus, int nodes, const Ways& ways) {
  auto cluster = nodes_of(gpus, nodes, ways, fast_device(LAUNCH_S));
  cluster.node_reduces_in_switch = cluster.fabric_reduces_in_switch = true;
  return cluster;
}

/// G GPUs, each with a card, in each of K nodes. Within a node as hierarchical does it: (G-1)/G B. Then each GPU's sum
/// of B/G goes into the fabric once, while what all have sent comes back: B/(G b') + l'. A reduce-scatter brings a GPU
/// K-1 parts of B/(G K) to send, an all-gather as many to take in.
TEST(Sharp, TakesOneWayThroughTheFabric) {
  const Ways ways;
  for (const int gpus : {1, 2, 4})
    for (const int nodes : {2, 3, 5}) {
      const auto cluster = sharp_nodes(gpus, nodes, ways);
      const double share = BYTES / gpus, network = ways.network.latency_s;
      for (const auto* within : {"direct", "ring", "nvls"}) {
        const double hops = gpus == 1 ? 0.0 : std::string(within) == "ring" ? gpus - 1.0 : 1.0;
        const double intra = (gpus - 1) * share / ways.node.bandwidth + hops * ways.node.latency_s;
        const double parts = (nodes - 1) * share / nodes / ways.network.bandwidth + network;
        const auto strategy = fmt::format("sharp:chunks=1:intra={}", within);
        expect_time(strategy, CollectiveKind::ALL_REDUCE, cluster,
                    LAUNCH_S + 2 * intra + share / ways.network.bandwidth + network);
        expect_time(strategy, CollectiveKind::REDUCE_SCATTER, cluster, LAUNCH_S + intra + parts);
        expect_time(strategy, CollectiveKind::ALL_GATHER, cluster, LAUNCH_S + intra + parts);
        expect_time(strategy, CollectiveKind::BARRIER, cluster, LAUNCH_S + network + hops * ways.node.latency_s);
      }
    }
}

/// Without latencies and where the network is the narrowest, it is busy but for the first chunk's way to it and the
/// last one's way from it.
TEST(Sharp, ChunksHideWhatTheNodesDo) {
  const Ways ways{.node = {.bandwidth = 1e11}, .network = {.bandwidth = 1e10}};
  const auto cluster = sharp_nodes(4, 3, ways);
  const double within = 2.0 * 3 * BYTES / 4 / ways.node.bandwidth;
  for (const int chunks : {1, 2, 7})
    for (const auto* intra : {"direct", "nvls"})
      expect_time(fmt::format("sharp:chunks={}:intra={}", chunks, intra), CollectiveKind::ALL_REDUCE, cluster,
                  LAUNCH_S + within / chunks + BYTES / 4 / ways.network.bandwidth);
}

/// What an all-reduce brings onto the links of a fat tree, by their lower end and direction: "leaf_UP".
std::map<std::string, double> crossed(const model::Cluster& cluster, const std::string& strategy) {
  const auto bytes = run(strategy, CollectiveKind::ALL_REDUCE, cluster).link_bytes;
  std::map<std::string, double> sums;
  for (std::size_t link = 0; link < bytes.size(); ++link)
    if (const model::Link described = cluster.links[link]; described.medium == model::Medium::NETWORK)
      sums[described.name.substr(0, described.name.find_first_of("0123456789")) +
           described.name.substr(described.name.rfind('_'))] += bytes[link];
  return sums;
}

/// An aggregation tree: the sum of all below a switch goes up once, the result comes down once. Eight nodes of 8 cards
/// are two to a leaf of 16 ports down: a node's cards carry B together each way, and so do the links of each of the
/// four leaves to the spines, however many nodes are below. A ring of nodes, which sums and then spreads, carries 2
/// (K-1)/K B on both.
TEST(Sharp, ASumLeavesASubtreeOnce) {
  const std::string folder = TANDEM_SOURCE_DIR "/platforms/";
  const auto cluster = platform::read_cluster(folder + "dgx-h100.xml", {folder + "devices"},
                                              {{"nodes", "8"}, {"fabric", "fat-tree"}, {"fabric_radix", "32"}});
  for (const auto* strategy : {"sharp:intra=nvls:chunks=1", "sharp:chunks=3"}) {
    const auto sums = crossed(cluster, strategy);
    EXPECT_EQ(sums.size(), 4U);
    for (const auto* way : {"_UP", "_DOWN"}) {
      EXPECT_NEAR(sums.at(std::string("node") + way), 8 * BYTES, 1.0) << strategy;
      EXPECT_NEAR(sums.at(std::string("leaf") + way), 4 * BYTES, 1.0) << strategy;
    }
  }
  const auto ring = crossed(cluster, "hierarchical:intra=direct");
  EXPECT_NEAR(ring.at("node_UP"), 8 * BYTES * 2 * 7 / 8, 1.0);
  EXPECT_NEAR(ring.at("leaf_UP"), 4 * BYTES * 2 * 7 / 8, 1.0);
  // through the spines, one tier's half ways would carry each sum as often as there are nodes below
  const model::CollectiveOp op{.kind = CollectiveKind::REDUCE_SCATTER, .ranks = 64, .bytes = model::Bytes(BYTES)};
  EXPECT_EQ(collective::select_strategy("sharp").strategy->why_not({op, std::nullopt}, cluster),
            "through more than one tier of switches it does an all-reduce or a barrier only");
}

} // namespace
} // namespace tandem::test
