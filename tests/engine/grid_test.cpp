// Algorithms that go through nodes or through the dimensions of a torus, against closed forms on machines whose wires
// nobody shares: docs/models.md, "Collectives on their own".
#include "collective/bounds.h"
#include "collective/strategy.h"
#include "collective/verify.h"
#include "engine/child.h"
#include "engine/machines.h"
#include "engine/node_machines.h"
#include "engine/proven.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tandem::test {
namespace {

using model::CollectiveKind;

constexpr double LAUNCH_S = 3e-6;
constexpr double BYTES = 16.0 * 81 * 25 * 7 * 15 * 1024; // even for every N and number of chunks below

/// A wire from each GPU to the next one in each dimension of a torus, and no other.
class TorusRouter : public model::Router {
public:
  TorusRouter(std::vector<std::uint32_t> dims, double latency_s) : dims_(std::move(dims)), latency_s_(latency_s) {}
  [[nodiscard]] std::optional<model::Route> route(model::HostId from, model::HostId to) const override {
    if (from == to)
      return model::Route{};
    std::uint32_t stride = 1;
    for (std::uint32_t dim = 0; dim < dims_.size(); stride *= dims_[dim], ++dim) {
      const auto at = from.index / stride % dims_[dim];
      if (to.index == from.index - at * stride + (at + 1) % dims_[dim] * stride)
        return model::Route{{model::LinkId(from.index * static_cast<std::uint32_t>(dims_.size()) + dim)},
                            model::Seconds(latency_s_)};
    }
    return std::nullopt;
  }

private:
  std::vector<std::uint32_t> dims_;
  double latency_s_;
};

double time_of(const std::string& strategy, CollectiveKind kind, const model::Cluster& cluster) {
  collective::Request request;
  request.op = {kind, static_cast<int>(cluster.gpus.size()), model::Bytes(BYTES), 0, nullptr};
  return played(cluster, proven(strategy, request, cluster)).end_s;
}

void expect_time(const std::string& strategy, CollectiveKind kind, const model::Cluster& cluster, double expected) {
  EXPECT_NEAR(time_of(strategy, kind, cluster), expected, 1e-9 * expected)
      << strategy << " " << model::to_string(kind) << " on " << cluster.gpus.size() << " GPUs";
}

/// N = G K: G GPUs in each of K nodes. A phase works on shares of the payload B: B/G within a node, and between nodes
/// B/(G K), because a GPU brings there only what it has of its node. A ring takes G-1 (or K-1) steps of a share and a
/// latency; direct exchanges bring as much over the same wires, all under way at once.
TEST(Hierarchical, TakesTheTimeOfItsPhases) {
  const Ways ways;
  for (const int gpus : {1, 2, 3, 4})
    for (const int nodes : {2, 3, 4, 5}) {
      const auto cluster = nodes_of(gpus, nodes, ways, fast_device(LAUNCH_S));
      const double within = (gpus - 1) * BYTES / gpus / ways.node.bandwidth;
      const double between = (nodes - 1) * BYTES / (gpus * nodes) / ways.network.bandwidth;
      const double one_within = gpus > 1 ? 1.0 : 0.0;
      for (const bool ring_within : {true, false})
        for (const bool ring_between : {true, false}) {
          const double intra = within + (ring_within ? gpus - 1 : one_within) * ways.node.latency_s;
          const double inter = between + (ring_between ? nodes - 1 : 1) * ways.network.latency_s;
          const auto name = fmt::format("hierarchical:intra={}:inter={}", ring_within ? "ring" : "direct",
                                        ring_between ? "ring" : "direct");
          expect_time(name, CollectiveKind::REDUCE_SCATTER, cluster, LAUNCH_S + intra + inter);
          expect_time(name, CollectiveKind::ALL_GATHER, cluster, LAUNCH_S + intra + inter);
          expect_time(name, CollectiveKind::ALL_REDUCE, cluster, LAUNCH_S + 2 * (intra + inter));
        }
    }
}

/// Between K = 2^k nodes halving takes k steps of 1/2, 1/4, ... of what a GPU brings there, doubling as many. Two nodes
/// are each the root of one tree, for a half of B/G, up and down, and wires are full duplex.
TEST(Hierarchical, TakesTheTimeOfHalvingAndOfTreesBetweenNodes) {
  const Ways ways;
  for (const int gpus : {1, 3, 4})
    for (const int nodes : {2, 4, 8}) {
      const auto cluster = nodes_of(gpus, nodes, ways, fast_device(LAUNCH_S));
      const double intra = (gpus - 1) * (BYTES / gpus / ways.node.bandwidth + ways.node.latency_s);
      const double inter =
          (nodes - 1) * BYTES / (gpus * nodes) / ways.network.bandwidth + std::log2(nodes) * ways.network.latency_s;
      const auto* halving = "hierarchical:inter=halving-doubling";
      expect_time(halving, CollectiveKind::REDUCE_SCATTER, cluster, LAUNCH_S + intra + inter);
      expect_time(halving, CollectiveKind::ALL_GATHER, cluster, LAUNCH_S + intra + inter);
      expect_time(halving, CollectiveKind::ALL_REDUCE, cluster, LAUNCH_S + 2 * (intra + inter));
      if (nodes == 2)
        expect_time("hierarchical:inter=tree", CollectiveKind::ALL_REDUCE, cluster,
                    LAUNCH_S + 2 * intra + BYTES / gpus / ways.network.bandwidth + 2 * ways.network.latency_s);
    }
}

/// The network is the narrowest, and without latency always busy: only the first chunk's way to it and the last chunk's
/// way from it come on top, 1/m of the phases within nodes.
TEST(Hierarchical, ChunksHideWhatTheNodesDoBehindTheNetwork) {
  constexpr int GPUS = 4, NODES = 3;
  const Ways ways{.node = {.bandwidth = 1e11}, .network = {.bandwidth = 1e10}};
  const auto cluster = nodes_of(GPUS, NODES, ways, fast_device(LAUNCH_S));
  const double within = 2.0 * (GPUS - 1) * BYTES / GPUS / ways.node.bandwidth;
  const double between = 2.0 * (NODES - 1) * BYTES / (GPUS * NODES) / ways.network.bandwidth;
  for (const int chunks : {1, 2, 5, 9})
    for (const auto* algorithms : {"", ":intra=direct:inter=direct"})
      expect_time(fmt::format("hierarchical:chunks={}{}", chunks, algorithms), CollectiveKind::ALL_REDUCE, cluster,
                  LAUNCH_S + within / chunks + between);
}

TEST(Hierarchical, TakesNoLessThanTheBound) {
  const auto cluster = nodes_of(4, 4, {}, fast_device(LAUNCH_S));
  for (const auto kind : {CollectiveKind::ALL_REDUCE, CollectiveKind::REDUCE_SCATTER, CollectiveKind::ALL_GATHER})
    for (const auto* strategy : {"hierarchical", "hierarchical:intra=direct:inter=direct:chunks=5",
                                 "hierarchical:inter=halving-doubling", "torus:split=1"})
      EXPECT_GE(time_of(strategy, kind, cluster),
                collective::lower_bound({{kind, 16, model::Bytes(BYTES), 0, nullptr}, {}}, cluster).value())
          << strategy;
}

/// Dimension i, d_i wide, reduces what dimensions before left of B: d_i - 1 steps of B/(d_0 ... d_i) and a latency.
/// With `split`, parts of B/D begin in D dimensions, which are all d wide here, so that no two are ever in one
/// dimension: each wire has the same to do in 1/D of the time.
TEST(Torus, TakesTheTimeOfItsDimensions) {
  const Wires wires{.bandwidth = 1e11, .latency_s = 7e-7};
  for (const auto& dims :
       std::vector<std::vector<std::uint32_t>>{{5}, {4, 4}, {3, 5}, {4, 1, 3}, {2, 2, 2}, {3, 3, 3}}) {
    std::uint32_t ranks = 1;
    double bytes = 0.0, latencies = 0.0;
    bool even = true;
    for (const auto size : dims) {
      ranks *= size;
      bytes += (size - 1.0) * BYTES / ranks;
      latencies += size - 1.0;
      even = even && size == dims.front();
    }
    const auto cluster = machine("torus", static_cast<int>(ranks), wires, fast_device(LAUNCH_S),
                                 static_cast<int>(dims.size()), std::make_shared<TorusRouter>(dims, wires.latency_s));
    for (const bool split : {false, true}) {
      if (split && !even)
        continue;
      const auto name = fmt::format("torus:dims={}:split={}", fmt::join(dims, "x"), split ? 1 : 0);
      const double parts = split ? static_cast<double>(dims.size()) : 1.0;
      const double phases = bytes / parts / wires.bandwidth + latencies * wires.latency_s;
      expect_time(name, CollectiveKind::REDUCE_SCATTER, cluster, LAUNCH_S + phases);
      expect_time(name, CollectiveKind::ALL_GATHER, cluster, LAUNCH_S + phases);
      expect_time(name, CollectiveKind::ALL_REDUCE, cluster, LAUNCH_S + 2 * phases);
    }
  }
}

} // namespace
} // namespace tandem::test
