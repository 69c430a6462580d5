// Fabrics: sound routes of each at odd sizes, closed forms of what they carry, and routing policies.
#include "node_file.h"
#include "platform/platform.h"
#include "temporary_files.h"

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tandem::platform {
namespace {

using Values = std::map<std::string, std::string>;

std::string properties_text(const Values& properties) {
  std::string text;
  for (const auto& [id, value] : properties)
    text += fmt::format("<prop id='{}' value='{}'/>", id, value);
  return text;
}

model::Cluster cluster_of(Values properties, int nodes, int gpus) {
  properties.emplace("fabric_bandwidth", "25GBps");
  properties.emplace("fabric_latency", "10us");
  properties.emplace("nic_latency", "20us");
  const tests::TextFile file("fabric.xml", node_text(properties_text(properties), gpus));
  return read_cluster(file.path(), {CATALOGUE}, {{"nodes", std::to_string(nodes)}});
}

Values fat_tree(int radix, int oversubscription = 1) {
  return {{"fabric", "fat-tree"},
          {"fabric_radix", std::to_string(radix)},
          {"fabric_oversubscription", std::to_string(oversubscription)}};
}
const Values SWITCH = {{"fabric", "switch"}};
const Values RAIL = {{"fabric", "rail"}, {"fabric_radix", "8"}};
const Values TORUS = {{"fabric", "torus"}, {"fabric_dimensions", "3"}};
const Values DRAGONFLY = {
    {"fabric", "dragonfly"}, {"group_routers", "4"}, {"router_nics", "2"}, {"router_globals", "8"}};

std::vector<Values> every_fabric() {
  std::vector<Values> list;
  for (const Values& fabric : {SWITCH, fat_tree(4), fat_tree(6, 2), RAIL, TORUS, DRAGONFLY})
    for (const std::string routing : {"deterministic", "ecmp", "spray"}) {
      const auto kind = fabric.at("fabric");
      if (routing == "spray" && (kind == "torus" || kind == "dragonfly"))
        continue;
      list.push_back(fabric);
      list.back()["routing"] = routing;
    }
  return list;
}

std::vector<std::string> names_of(const model::Cluster& cluster, int from, int to) {
  std::vector<std::string> names;
  for (const model::LinkId link : route_of(cluster, from, to).links)
    names.push_back(cluster.links[link.index].name);
  return names;
}

TEST(Fabrics, RoutesAreSoundAtAnySize) {
  for (const Values& fabric : every_fabric()) {
    for (const int nodes : {1, 2, 3, 4, 5, 7, 8, 13, 16, 31}) {
      SCOPED_TRACE(fmt::format("{} {} of {}", fabric.at("fabric"), fabric.at("routing"), nodes));
      const model::Cluster cluster = cluster_of(fabric, nodes, 2);
      ASSERT_EQ(cluster.gpus.size(), 2U * static_cast<std::size_t>(nodes));
      ASSERT_EQ(cluster.nodes(), nodes);
      std::set<std::string> names;
      for (const model::Link& link : cluster.links)
        EXPECT_TRUE(names.insert(link.name).second) << link.name;
      for (int from = 0; from < 2 * nodes; ++from) {
        for (int to = 0; to < 2 * nodes; ++to) {
          const model::Route route = route_of(cluster, from, to);
          double latency = 0.0;
          std::set<std::uint32_t> crossed;
          for (const model::LinkId link : route.links) {
            ASSERT_LT(link.index, cluster.links.size());
            EXPECT_TRUE(crossed.insert(link.index).second) << "twice over " << cluster.links[link.index].name;
            latency += cluster.links[link.index].latency.value();
          }
          EXPECT_NEAR(route.latency.value(), latency, 1e-15);
          // The hash may choose a longer way there than back.
          const bool is_even = fabric.at("fabric") != "dragonfly" || fabric.at("routing") != "ecmp";
          EXPECT_TRUE(!is_even || route.links.size() == route_of(cluster, to, from).links.size());
          if (from == to)
            continue;
          const bool inside = from / 2 == to / 2;
          EXPECT_EQ(cluster.links[route.links.front().index].name,
                    fmt::format("{}{}{}_UP", nodes == 1 ? "" : fmt::format("node{}.", from / 2), inside ? 'w' : 'c',
                                from % 2));
          EXPECT_EQ(
              cluster.links[route.links.back().index].name,
              fmt::format("{}{}{}_DOWN", nodes == 1 ? "" : fmt::format("node{}.", to / 2), inside ? 'w' : 'c', to % 2));
        }
      }
    }
  }
}

/// Flows over each link of a stage when GPU i sends to GPU i + shift, the largest.
int worst_load(const model::Cluster& cluster, int shift, const std::string& stage) {
  std::map<std::uint32_t, int> load;
  const int gpus = static_cast<int>(cluster.gpus.size());
  for (int gpu = 0; gpu < gpus; ++gpu)
    for (const model::LinkId link : route_of(cluster, gpu, (gpu + shift) % gpus).links)
      if (cluster.links[link.index].name.starts_with(stage))
        ++load[link.index];
  int worst = 0;
  for (const auto& [link, flows] : load)
    worst = std::max(worst, flows);
  return worst;
}

TEST(Fabrics, AFullFatTreeCarriesEveryShiftWithoutAConflict) {
  // Routing by the target's digits is free of conflicts for shifts (Zahavi et al., CCPE 2010): 4 x 8 and 4 x 4 x 8
  // cards of 8-port switches.
  for (const int nodes : {32, 128}) {
    const model::Cluster cluster = cluster_of(fat_tree(8), nodes, 1);
    for (int shift = 1; shift < nodes; ++shift) {
      EXPECT_LE(worst_load(cluster, shift, "leaf"), 1) << shift;
      EXPECT_LE(worst_load(cluster, shift, "spine"), 1) << shift;
    }
  }
}

TEST(Fabrics, OversubscriptionIsTheLoadOfALeafsLinks) {
  // 9 ports down for 3 up of a 12-port switch: 12 leaves of 9 nodes. All traffic leaves its leaf: 3 flows on each link
  // up.
  const model::Cluster cluster = cluster_of(fat_tree(12, 3), 108, 1);
  EXPECT_EQ(worst_load(cluster, 54, "leaf"), 3);
  ASSERT_EQ(cluster.fabric->stages.size(), 2U);
  EXPECT_EQ(cluster.fabric->stages[0].links, 108U);
  EXPECT_EQ(cluster.fabric->stages[1].links, 108U / 3);
  EXPECT_EQ(cluster.fabric->stages[1].switches, 3U);
}

TEST(Fabrics, ATreeGrowsByLevels) {
  // of 4-port switches: one switch up to 4 cards, 2 x 4 on two levels, 2 x 2 x 4 on three, and so on
  for (const auto& [nodes, levels] : std::map<int, std::size_t>{{4, 1}, {5, 2}, {8, 2}, {9, 3}, {16, 3}, {17, 4}})
    EXPECT_EQ(cluster_of(fat_tree(4), nodes, 1).fabric->stages.size(), levels) << nodes;
  // farthest apart: up and down each level, and both wires to the cards
  const model::Cluster cluster = cluster_of(fat_tree(4), 17, 1);
  EXPECT_EQ(names_of(cluster, 0, 16).size(), 2U + 2U * 4U);
  EXPECT_DOUBLE_EQ(route_of(cluster, 0, 16).latency.value(), 2 * 2e-6 + 2 * 20e-6 + 6 * 10e-6);
  EXPECT_EQ(names_of(cluster, 0, 1).size(), 4U);
}

TEST(Fabrics, RailsKeepACardsTrafficOnItsLeaf) {
  // leaves of 4 ports down: nodes 0 to 3 are a unit with a leaf for each of the two cards
  const model::Cluster cluster = cluster_of(RAIL, 8, 2);
  EXPECT_THAT(names_of(cluster, 0, 6),
              testing::ElementsAre("node0.c0_UP", "node0.port0_UP", "node3.port0_DOWN", "node3.c0_DOWN"));
  EXPECT_EQ(names_of(cluster, 0, 7).size(), 6U); // the other card: over a spine
  EXPECT_EQ(names_of(cluster, 0, 8).size(), 6U); // the same card of another unit: over a spine
  EXPECT_EQ(cluster.fabric->nics_per_node, 2);
  EXPECT_EQ(cluster.fabric->stages[0].switches, 4U);
}

TEST(Fabrics, SprayingPoolsTheLinksOfAStage) {
  Values fabric = fat_tree(8);
  fabric["routing"] = "spray";
  const model::Cluster cluster = cluster_of(fabric, 128, 1); // 4 x 4 x 8
  const auto names = names_of(cluster, 0, 127);
  EXPECT_THAT(names,
              testing::ElementsAre("node0.c0_UP", "node0.port0_UP", "leaf0.ups_UP", "spine0.ups_UP", "spine7.ups_DOWN",
                                   "leaf31.ups_DOWN", "node127.port0_DOWN", "node127.c0_DOWN"));
  const auto links = route_of(cluster, 0, 127).links;
  EXPECT_EQ(cluster.links[links[2].index].bandwidth.value(), 4 * 25e9);  // a leaf's 4 links up
  EXPECT_EQ(cluster.links[links[3].index].bandwidth.value(), 16 * 25e9); // of 4 spines of a pod, 4 each
}

TEST(Fabrics, EcmpDependsOnTheSeedAndOnNothingElse) {
  Values fabric = fat_tree(8);
  fabric["routing"] = "ecmp";
  const auto all_routes = [&](const std::string& seed) {
    fabric["routing_seed"] = seed;
    const model::Cluster cluster = cluster_of(fabric, 32, 1);
    std::vector<model::LinkId> links;
    for (int gpu = 1; gpu < 32; ++gpu)
      for (const model::LinkId link : route_of(cluster, 0, gpu).links)
        links.push_back(link);
    return links;
  };
  EXPECT_EQ(all_routes("1"), all_routes("1"));
  EXPECT_NE(all_routes("1"), all_routes("2"));
  // 28 flows leave leaf 0 by 4 links: the hash uses them all
  fabric["routing_seed"] = "1";
  const model::Cluster cluster = cluster_of(fabric, 32, 1);
  std::set<std::string> ups;
  for (int gpu = 4; gpu < 32; ++gpu)
    ups.insert(names_of(cluster, 0, gpu)[2]);
  EXPECT_EQ(ups.size(), 4U);
}

TEST(Fabrics, TorusTakesTheShortWayInEachDimension) {
  const Values fabric = {{"fabric", "torus"}, {"fabric_dims", "5x4x2"}};
  const model::Cluster cluster = cluster_of(fabric, 40, 1);
  for (int from = 0; from < 40; ++from)
    for (int to = 0; to < 40; ++to) {
      if (from == to)
        continue;
      std::size_t hops = 0;
      int a = from, b = to;
      for (const int size : {2, 4, 5}) {
        const int apart = std::abs(a % size - b % size);
        hops += static_cast<std::size_t>(std::min(apart, size - apart));
        a /= size;
        b /= size;
      }
      EXPECT_EQ(names_of(cluster, from, to).size(), hops + 4); // and to and from the cards and the routers
    }
  // 40 routers with 2 + 2 + 1 links out
  EXPECT_EQ(cluster.links.size(), 40U * (4 + 2 + 5));
  EXPECT_EQ(cluster_of(TORUS, 64, 1).fabric->kind, "torus of 4x4x4");
  EXPECT_EQ(cluster_of(TORUS, 13, 1).fabric->kind, "torus of 13x1x1");
  EXPECT_EQ(cluster_of(TORUS, 1, 1).nodes(), 1);
}

TEST(Fabrics, DragonflyJoinsEachTwoGroupsWithAllItsLinks) {
  // 5 groups of 4 routers with 8 global links each: 32 / 4 = 8 links to each other group
  const model::Cluster cluster = cluster_of(DRAGONFLY, 40, 1);
  std::map<std::string, int> crossings;
  for (int from = 0; from < 40; ++from)
    for (int to = 0; to < 40; ++to) {
      if (from == to)
        continue;
      int globals = 0, locals = 0;
      for (const std::string& name : names_of(cluster, from, to)) {
        globals += name.find(".global") == std::string::npos ? 0 : 1;
        locals += name.find(".router") == std::string::npos ? 0 : 1;
        ++crossings[name];
      }
      EXPECT_EQ(globals, from / 8 == to / 8 ? 0 : 1);
      EXPECT_LE(locals, from / 8 == to / 8 ? 1 : 2);
    }
  int globals = 0;
  for (const auto& [name, count] : crossings)
    globals += name.find(".global") == std::string::npos ? 0 : 1;
  EXPECT_EQ(globals, 5 * 4 * 8);
}

} // namespace
} // namespace tandem::platform
