// Structured clusters: routes of every fabric at odd sizes, closed forms of what each carries, policies, and size.
#include "base/error.h"
#include "platform/platform.h"
#include "text_file.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace tandem::platform {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using Values = std::map<std::string, std::string>;

const std::string PLATFORMS = TANDEM_SOURCE_DIR "/platforms";
const std::string CATALOGUE = PLATFORMS + "/devices";

/// A node of `gpus` GPUs, each with a card of its own and a wire to it, around a hub; properties on lines 3 and on.
std::string node_text(const std::string& properties, int gpus) {
  std::string text = "<platform version='4.1'><zone id='z' routing='Floyd'>\n" + properties + "\n";
  for (int g = 0; g < gpus; ++g)
    text += fmt::format("<host id='g{0}' speed='114.688Tf'><prop id='device' value='t3-gpu'/>"
                        "<prop id='nic' value='n{0}'/></host><router id='n{0}'/>",
                        g);
  text += "<router id='hub'/>";
  for (int g = 0; g < gpus; ++g)
    text += fmt::format("<link id='w{0}' bandwidth='100GBps' latency='1us' sharing_policy='SPLITDUPLEX'/>"
                        "<link id='c{0}' bandwidth='50GBps' latency='2us' sharing_policy='SPLITDUPLEX'/>",
                        g);
  for (int g = 0; g < gpus; ++g)
    text += fmt::format("<route src='g{0}' dst='hub'><link_ctn id='w{0}' direction='UP'/></route>"
                        "<route src='g{0}' dst='n{0}'><link_ctn id='c{0}' direction='UP'/></route>",
                        g);
  return text + "</zone></platform>";
}

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
  const TextFile file("fabric.xml", node_text(properties_text(properties), gpus));
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

model::Route route_of(const model::Cluster& cluster, int from, int to) {
  return cluster.route(model::Rank(static_cast<std::uint32_t>(from)), model::Rank(static_cast<std::uint32_t>(to)));
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

TEST(Fabrics, A131072GpuClusterIsReadyInASecond) {
  const std::clock_t begin = std::clock();
  const model::Cluster cluster = read_cluster(PLATFORMS + "/dgx-h100.xml", {CATALOGUE}, {{"nodes", "16384"}});
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 1.0);
  ASSERT_EQ(cluster.gpus.size(), 131072U);
  EXPECT_EQ(cluster.node_of(model::Rank(131071)), 16383);
  EXPECT_EQ(cluster.hosts[cluster.gpus[131071].host.index].name, "node16383.gpu7");
  EXPECT_GT(cluster.links.size(), 1'000'000U);
  EXPECT_EQ(cluster.bandwidth(model::Rank(0), model::Rank(131071)).value(), 50e9);
}

TEST(Fabrics, ShippedNodesAreClustersOfAnySize) {
  const std::map<std::string, std::pair<int, double>> nics = {
      // cards, and GB/s of one
      {"dgx-a100", {8, 25}},   {"dgx-h100", {8, 50}}, {"dgx-h200", {8, 50}}, {"aws-p4d", {4, 12.5}},
      {"aws-p4de", {4, 12.5}}, {"aws-p5", {8, 50}},   {"mi300x", {8, 50}},   {"v100-cube", {4, 12.5}},
      {"pcie-box", {2, 25}},   {"lassen", {2, 12.5}}};
  for (const auto& [name, card] : nics) {
    SCOPED_TRACE(name);
    for (const int nodes : {1, 2, 3, 17, 64}) {
      const model::Cluster cluster =
          read_cluster(PLATFORMS + "/" + name + ".xml", {CATALOGUE}, {{"nodes", std::to_string(nodes)}});
      const int gpus = static_cast<int>(cluster.gpus.size());
      EXPECT_EQ(gpus, nodes * (name == "lassen" ? 4 : 8));
      EXPECT_EQ(cluster.nodes(), nodes);
      EXPECT_EQ(cluster.fabric->nics_per_node, card.first);
      const auto of = [](int rank) { return model::Rank(static_cast<std::uint32_t>(rank)); };
      for (int gpu = 0; gpu < gpus; ++gpu) {
        EXPECT_GT(cluster.bandwidth(of(gpu), of((gpu + 1) % gpus)).value(), 0.0);
        if (nodes > 1) {
          EXPECT_DOUBLE_EQ(cluster.bandwidth(of(gpu), of((gpu + cluster.gpus_per_node) % gpus)).value(),
                           card.second * 1e9);
        }
      }
      EXPECT_THAT(cluster.gpus.front().device->sources.at("peak.fp16"), testing::Not(HasSubstr("platform file")));
      EXPECT_THAT(cluster.gpus.front().device->sources.at("hbm_bandwidth"), testing::Not(HasSubstr("platform file")));
    }
  }
}

TEST(Fabrics, LinksKnowTheirMedium) {
  const model::Cluster cluster = read_cluster(PLATFORMS + "/dgx-a100.xml", {CATALOGUE}, {{"nodes", "2"}});
  std::vector<model::Medium> media;
  for (const model::LinkId link : route_of(cluster, 0, 8).links)
    media.push_back(cluster.links[link.index].medium);
  using enum model::Medium;
  EXPECT_THAT(media, testing::ElementsAre(PCIE, PCIE, NETWORK, NETWORK, PCIE, PCIE));
  EXPECT_EQ(cluster.links[route_of(cluster, 0, 1).links[0].index].medium, NVLINK);
  EXPECT_TRUE(cluster.fabric_reduces_in_switch);
  EXPECT_FALSE(cluster.node_reduces_in_switch);
}

std::string message_of(const std::string& properties, const Values& overrides = {}) {
  const TextFile file("fabric.xml", node_text(properties, 2));
  try {
    (void)read_cluster(file.path(), {CATALOGUE}, overrides);
  } catch (const base::UserError& error) {
    const std::string message = error.what();
    return message.starts_with(file.path()) ? message.substr(file.path().size()) : message;
  }
  return "";
}

TEST(Fabrics, HostilePropertiesAreRefusedAtTheirPlace) {
  const std::string rest = "<prop id='fabric_bandwidth' value='25GBps'/>\n";
  const std::vector<std::pair<std::string, testing::Matcher<std::string>>> cases = {
      {rest + "<prop id='fabric' value='fattree'/>",
       AllOf(StartsWith(":3:26:"), HasSubstr("did you mean 'fat-tree'?"))},
      {"<prop id='fabric' value='switch'/>",
       AllOf(StartsWith(":2:26:"), HasSubstr("needs the property fabric_bandwidth"))},
      {rest + "<prop id='fabric' value='fat-tree'/>", AllOf(StartsWith(":3:26:"), HasSubstr("fabric_radix"))},
      {rest + "<prop id='fabric' value='fat-tree'/><prop id='fabric_radix' value='7'/>", HasSubstr("an even number")},
      {rest + "<prop id='fabric' value='rail'/><prop id='fabric_radix' value='8'/>\n"
              "<prop id='fabric_oversubscription' value='2'/>",
       HasSubstr("does not split the 8 ports")},
      {rest + "<prop id='fabric' value='switch'/>\n<prop id='fabric_radix' value='8'/>",
       AllOf(StartsWith(":4:"), HasSubstr("a fabric of kind switch has no fabric_radix; it is of fat-tree, rail"))},
      {rest + "<prop id='fabric' value='switch'/>\n<prop id='color' value='red'/>",
       AllOf(StartsWith(":4:"), HasSubstr("unknown property of a cluster 'color'"))},
      {rest + "<prop id='fabric' value='switch'/>\n<prop id='node' value='4'/>",
       AllOf(StartsWith(":4:"), HasSubstr("did you mean 'nodes'?"))},
      {rest + "<prop id='fabric' value='switch'/>\n<prop id='nodes' value='0'/>",
       AllOf(StartsWith(":4:"), HasSubstr("from 1"))},
      {rest + "<prop id='fabric' value='switch'/>\n<prop id='nodes' value='2'/><prop id='nodes' value='2'/>",
       HasSubstr("given twice")},
      {rest + "<prop id='fabric' value='switch'/>\n<prop id='routing' value='random'/>",
       AllOf(StartsWith(":4:"), HasSubstr("allowed: deterministic, ecmp, spray"))},
      {"<prop id='fabric' value='switch'/>\n<prop id='fabric_bandwidth' value='25G'/>",
       AllOf(StartsWith(":3:"), HasSubstr("bits or bytes"))},
      {"<prop id='fabric' value='switch'/>\n<prop id='fabric_bandwidth' value='0GBps'/>", HasSubstr("above 0")},
      {rest + "<prop id='fabric' value='torus'/>", HasSubstr("either fabric_dims")},
      {rest + "<prop id='fabric' value='torus'/><prop id='fabric_dims' value='2x3'/><prop id='nodes' value='5'/>",
       HasSubstr("a torus of 2x3 has 6 nodes, not 5")},
      {rest + "<prop id='fabric' value='torus'/><prop id='fabric_dims' value='2x'/>",
       HasSubstr("'' is not a whole number")},
      {rest + "<prop id='fabric' value='torus'/><prop id='fabric_dimensions' value='2'/><prop id='routing' "
              "value='spray'/>",
       HasSubstr("spray is not supported on a torus")},
      {rest + "<prop id='fabric' value='dragonfly'/>", HasSubstr("group_routers, router_nics and router_globals")},
      {rest +
           "<prop id='fabric' value='dragonfly'/><prop id='group_routers' value='1'/><prop id='router_nics' value='1'/>"
           "<prop id='router_globals' value='1'/><prop id='nodes' value='9'/>",
       HasSubstr("need 18 groups")},
      {"<prop id='in_switch_reduction' value='yes'/>", AllOf(StartsWith(":2:"), HasSubstr("allowed: true, false"))},
      {"<prop id='nodes' value='4'/>", AllOf(StartsWith(":2:"), HasSubstr("states no fabric"))},
  };
  for (const auto& [properties, expected] : cases)
    EXPECT_THAT(message_of(properties), expected) << properties;
}

TEST(Fabrics, AnInnerZoneIsNoCluster) {
  const TextFile file("inner.xml",
                      "<platform version='4.1'><zone id='z' routing='None'>\n<zone id='y' routing='None'>\n"
                      "<prop id='fabric' value='switch'/></zone></zone></platform>");
  try {
    (void)read_cluster(file.path(), {CATALOGUE});
    ADD_FAILURE();
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr(":3:11:"), HasSubstr("property 'fabric' belongs to the root zone")));
  }
}

TEST(Fabrics, OverridesReplaceTheFilesAndAreCheckedTheSame) {
  const std::string tree = "<prop id='fabric' value='fat-tree'/><prop id='fabric_bandwidth' value='25GBps'/>"
                           "<prop id='fabric_radix' value='4'/>";
  EXPECT_EQ(message_of(tree, {{"nodes", "9"}, {"routing", "ecmp"}, {"routing_seed", "5"}}), "");
  EXPECT_THAT(message_of(tree, {{"routing", "emcp"}}),
              AllOf(StartsWith("platform.routing: "), HasSubstr("did you mean 'ecmp'?")));
  EXPECT_THAT(message_of("", {{"nodes", "2"}}),
              AllOf(StartsWith("--nodes: "), HasSubstr("states no fabric, so it describes one machine")));
  EXPECT_THAT(message_of("", {{"fabric", "switch"}}), HasSubstr("not added"));
}

TEST(Fabrics, NodesNeedWaysOut) {
  const auto with = [](const std::string& host) {
    const TextFile file("fabric.xml",
                        "<platform version='4.1'><zone id='z' routing='Full'>\n"
                        "<prop id='fabric' value='switch'/><prop id='fabric_bandwidth' value='1GBps'/>\n" +
                            host + "<router id='n'/></zone></platform>");
    try {
      (void)read_cluster(file.path(), {CATALOGUE}, {{"nodes", "2"}});
    } catch (const base::UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string gpu = "<host id='g' speed='114.688Tf'><prop id='device' value='t3-gpu'/>";
  EXPECT_THAT(with(""), HasSubstr("no GPU with a nic"));
  EXPECT_THAT(with(gpu + "</host>"), AllOf(HasSubstr(":3:11:"), HasSubstr("needs <prop id=\"nic\"")));
  EXPECT_THAT(with(gpu + "<prop id='nic' value='n'/></host>"), HasSubstr("no route between host 'g' and its nic 'n'"));
  EXPECT_THAT(with(gpu + "<prop id='nic' value='m'/></host>"),
              HasSubstr("nic of host 'g': unknown host, router or zone"));
  EXPECT_THAT(with(gpu + "<prop id='nik' value='n'/></host>"), HasSubstr("did you mean 'nic'?"));
}

} // namespace
} // namespace tandem::platform
