// Flows between ranks, and what routes outside the graph could add to them.
#include "built_clusters.h"

#include "collective/cuts.h"
#include "collective/link_graph.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace tandem::collective {
namespace {

constexpr double GB = 1e9;

model::Route over(const std::vector<std::size_t>& links) {
  model::Route route;
  for (const auto link : links)
    route.links.emplace_back(link);
  return route;
}

TEST(LinkGraph, KnowsWhichFurtherRoutesAddNothing) {
  // Links 2 i and 2 i + 1 of 100 GB/s lead from GPU i into a switch and back; GPU 3 is outside.
  const auto cluster = switch_of(4);
  LinkGraph graph(cluster, 3);
  for (std::size_t from = 0; from < 3; ++from)
    for (std::size_t to = 0; to < 3; ++to)
      if (from != to)
        graph.add(static_cast<int>(from), static_cast<int>(to), over({2 * from, 2 * to + 1}));
  EXPECT_EQ(graph.waist(0, true), 100 * GB);
  EXPECT_EQ(graph.waist(0, false), 100 * GB);
  EXPECT_EQ(graph.widened_by(0, 3, over({0, 7})), 0); // the link out of GPU 0 is the narrow one
  EXPECT_EQ(graph.widened_by(3, 0, over({6, 1})), 0);
  EXPECT_EQ(graph.widened_by(3, 1, over({6, 3})), 0);
  EXPECT_EQ(graph.widened_by(1, 3, over({6})), 0);     // from another GPU
  EXPECT_EQ(graph.widened_by(0, 3, over({6})) & 1, 1); // beside the narrow one
  EXPECT_EQ(graph.widened_by(3, 0, over({6})) & 2, 2);
  EXPECT_EQ(graph.widened_by(0, 3, over({})) & 1, 1); // GPU 3 would be at the place of GPU 0
}

/// Routes at random: waists that no further route widens are as wide in the graph of all routes.
TEST(LinkGraph, WaistsThatNothingWidensAreThoseOfAllRoutes) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  int kept = 0, widened = 0;
  for (int turn = 0; turn < 2000; ++turn) {
    auto cluster = unwired(6, "random", small_device());
    for (auto& link : cluster.links.stored())
      link.bandwidth = model::BytesPerSecond(static_cast<double>(1 + below(4)) * GB);
    // A way up and one down, or now and then straight over any link.
    struct Given {
      int from, to;
      model::Route route;
    };
    std::vector<Given> near, far;
    for (int from = 0; from < 6; ++from)
      for (int to = 0; to < 6; ++to) {
        if (from == to || (from > 1 && to > 1)) // all routes of two ranks
          continue;
        const auto up = static_cast<std::size_t>(from), down = 6 + static_cast<std::size_t>(to);
        auto route = below(8) == 0 ? over({below(12)}) : over({up, down});
        (from < 4 && to < 4 ? near : far).push_back({from, to, std::move(route)});
      }
    LinkGraph graph(cluster, 4), whole(cluster, 6);
    for (const auto& [from, to, route] : near) {
      graph.add(from, to, route);
      whole.add(from, to, route);
    }
    std::vector<double> waists;
    for (const int rank : {0, 1})
      for (const bool outwards : {true, false})
        waists.push_back(graph.waist(rank, outwards));
    std::uint64_t all = 0;
    for (const auto& [from, to, route] : far) {
      all |= graph.widened_by(from, to, route);
      whole.add(from, to, route);
    }
    for (std::size_t waist = 0; waist < waists.size(); ++waist) {
      const double flow = whole.flow(static_cast<int>(waist / 2), static_cast<int>(waist / 2) + 1, waist % 2 == 0);
      EXPECT_GE(flow, waists[waist] * (1 - 1e-12)) << turn;
      if ((all >> waist & 1) != 0) {
        ++widened;
        continue;
      }
      ++kept;
      EXPECT_DOUBLE_EQ(flow, waists[waist]) << turn << " " << waist;
    }
  }
  EXPECT_GT(kept, 500);
  EXPECT_GT(widened, 500);
}

/// From 64 on over a link of its own, out of every GPU.
class FarRouter : public model::Router {
public:
  [[nodiscard]] std::optional<model::Route> route(model::HostId from, model::HostId to) const override {
    const auto links = from.index < 64 && to.index >= 64 ? over({2 * 70 + from.index, 2 * to.index + 1})
                                                         : over({2 * from.index, 2 * to.index + 1});
    return model::Route{links.links, model::Seconds(1e-6)};
  }
};

TEST(Cuts, SeeLinksThatOnlyFarRanksAreReachedBy) {
  // 70 GPUs: 100 GB/s lead to the first 64, another 100 GB/s to the last 6; 100 GB/s come in.
  auto cluster = unwired(70, "far", small_device());
  for (int gpu = 0; gpu < 64; ++gpu)
    cluster.links.push_back({"far" + std::to_string(gpu), model::BytesPerSecond(100 * GB), model::Seconds(1e-6)});
  cluster.router = std::make_shared<FarRouter>();
  const Cuts cuts(cluster, 70);
  EXPECT_EQ(cuts.all().front().inside(), 1);
  EXPECT_DOUBLE_EQ(cuts.all().front().out, 200 * GB);
  EXPECT_DOUBLE_EQ(cuts.all().front().in, 100 * GB);
}

} // namespace
} // namespace tandem::collective
