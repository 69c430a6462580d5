// Files that describe a cluster: the shipped ones at several sizes, a large one, overrides, and what is refused.
#include "base/error.h"
#include "node_file.h"
#include "platform/platform.h"
#include "temporary_files.h"

#include <ctime>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tandem::platform {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using Values = std::map<std::string, std::string>;

TEST(ClusterFiles, A131072GpuClusterIsReadyInASecond) {
  const std::clock_t begin = std::clock();
  const model::Cluster cluster = read_cluster(PLATFORMS + "/dgx-h100.xml", {CATALOGUE}, {{"nodes", "16384"}});
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 1.0);
  ASSERT_EQ(cluster.gpus.size(), 131072U);
  EXPECT_EQ(cluster.node_of(model::Rank(131071)), 16383);
  EXPECT_EQ(cluster.hosts[cluster.gpus[131071].host.index].name, "node16383.gpu7");
  EXPECT_GT(cluster.links.size(), 1'000'000U);
  EXPECT_EQ(cluster.bandwidth(model::Rank(0), model::Rank(131071)).value(), 50e9);
}

TEST(ClusterFiles, ShippedNodesAreClustersOfAnySize) {
  const std::map<std::string, std::pair<int, double>> nics = {
      // cards, and GB/s of one
      {"dgx-a100", {8, 25}},   {"dgx-h100", {8, 50}}, {"dgx-h200", {8, 50}}, {"aws-p4d", {4, 12.5}},
      {"aws-p4de", {4, 12.5}}, {"aws-p5", {8, 50}},   {"mi300x", {8, 50}},   {"v100-cube", {4, 12.5}},
      {"pcie-box", {2, 25}},   {"lassen", {2, 12.5}}, {"dgx-2", {8, 12.5}},  {"aws-p3dn", {1, 12.5}}};
  for (const auto& [name, card] : nics) {
    SCOPED_TRACE(name);
    for (const int nodes : {1, 2, 3, 17, 64}) {
      const model::Cluster cluster =
          read_cluster(PLATFORMS + "/" + name + ".xml", {CATALOGUE}, {{"nodes", std::to_string(nodes)}});
      const int gpus = static_cast<int>(cluster.gpus.size());
      EXPECT_EQ(gpus, nodes * (name == "lassen" ? 4 : name == "dgx-2" ? 16 : 8));
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

TEST(ClusterFiles, LinksKnowTheirMedium) {
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

std::string message_of_text(const std::string& text, const Values& overrides) {
  const tests::TextFile file("cluster.xml", text);
  try {
    (void)read_cluster(file.path(), {CATALOGUE}, overrides);
  } catch (const base::UserError& error) {
    const std::string message = error.what();
    return message.starts_with(file.path()) ? message.substr(file.path().size()) : message;
  }
  return "";
}

std::string message_of(const std::string& properties, const Values& overrides = {}) {
  return message_of_text(node_text(properties, 2), overrides);
}

TEST(ClusterFiles, HostilePropertiesAreRefusedAtTheirPlace) {
  const std::string rest = "<prop id='fabric_bandwidth' value='25GBps'/>\n";
  const std::vector<std::pair<std::string, testing::Matcher<std::string>>> cases = {
      {rest + "<prop id='fabric' value='fattree'/>",
       AllOf(StartsWith(":3:26:"), HasSubstr("did you mean 'fat-tree'?"))},
      {"<prop id='fabric' value='switch'/>",
       AllOf(StartsWith(":2:26:"), HasSubstr("needs the property fabric_bandwidth"))},
      {rest + "<prop id='fabric' value='fat-tree'/>", AllOf(StartsWith(":3:26:"), HasSubstr("fabric_radix"))},
      {rest + "<prop id='fabric' value='fat-tree'/><prop id='fabric_radix' value='7'/>", HasSubstr("an even number")},
      {rest + "<prop id='fabric' value='fat-tree'/><prop id='fabric_radix' value='2'/><prop id='nodes' value='9'/>",
       HasSubstr("an even number")},
      {rest + "<prop id='fabric' value='torus'/><prop id='fabric_dims' value='65536x65536x65536x65536'/>",
       HasSubstr("has 18446744073709551616 nodes, not 1")},
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

TEST(ClusterFiles, AnInnerZoneIsNoCluster) {
  const tests::TextFile file("inner.xml",
                             "<platform version='4.1'><zone id='z' routing='None'>\n<zone id='y' routing='None'>\n"
                             "<prop id='fabric' value='switch'/></zone></zone></platform>");
  try {
    (void)read_cluster(file.path(), {CATALOGUE});
    ADD_FAILURE();
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr(":3:11:"), HasSubstr("property 'fabric' belongs to the root zone")));
  }
}

TEST(ClusterFiles, OverridesReplaceTheFilesAndAreCheckedTheSame) {
  const std::string tree = "<prop id='fabric' value='fat-tree'/><prop id='fabric_bandwidth' value='25GBps'/>"
                           "<prop id='fabric_radix' value='4'/>";
  EXPECT_EQ(message_of(tree, {{"nodes", "1000000"}}), "");
  const std::string many = node_text(tree, 5);
  EXPECT_THAT(message_of_text(many, {{"nodes", "1000000"}}), HasSubstr("5000000 GPUs"));
  EXPECT_EQ(message_of(tree, {{"nodes", "9"}, {"routing", "ecmp"}, {"routing_seed", "5"}}), "");
  EXPECT_THAT(message_of(tree, {{"routing", "emcp"}}),
              AllOf(StartsWith("platform.routing: "), HasSubstr("did you mean 'ecmp'?")));
  EXPECT_THAT(message_of("", {{"nodes", "2"}}),
              AllOf(StartsWith("--nodes: "), HasSubstr("states no fabric, so it describes one machine")));
  EXPECT_THAT(message_of("", {{"fabric", "switch"}}), HasSubstr("not added"));
}

TEST(ClusterFiles, NodesNeedWaysOut) {
  const auto with = [](const std::string& host) {
    const tests::TextFile file("fabric.xml",
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
