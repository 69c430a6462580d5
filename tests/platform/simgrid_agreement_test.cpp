// Hosts, links and the routes of all pairs of hosts, against SimGrid's own loading: every shipped platform and small
// synthetic ones.
#include "platform/platform.h"
#include "simgrid_view.h"
#include "temporary_files.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace tandem::platform {
namespace {

const std::string SOURCE = TANDEM_SOURCE_DIR;
const std::string CATALOGUE = SOURCE + "/platforms/devices";

std::string in_platform(const std::string& zones) {
  return "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">\n" +
         zones + "</platform>\n";
}

void expect_agreement(const std::string& path) {
  const SimgridView theirs = simgrid_view(path);
  ASSERT_FALSE(theirs.failed) << path;
  EXPECT_FALSE(theirs.text.empty());
  EXPECT_EQ(tandem_view(path, CATALOGUE), theirs.text) << path;
}

void expect_agreement_of(const std::string& zones) {
  const tests::TextFile file("agreement.xml", in_platform(zones));
  SCOPED_TRACE(zones);
  expect_agreement(file.path());
}

TEST(SimgridAgreement, EveryShippedPlatform) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SOURCE + "/platforms")) {
    if (entry.path().extension() == ".xml") {
      expect_agreement(entry.path());
      ++count;
    }
  }
  EXPECT_GE(count, 19);
}

TEST(SimgridAgreement, TheComparisonSeesADifference) {
  const std::string half = "<zone id='z' routing='Full'><host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>"
                           "<link id='l' bandwidth='1GBps' latency='1us'/>";
  const tests::TextFile one("one.xml", in_platform(half + "<route src='a' dst='b'><link_ctn id='l'/></route></zone>"));
  const tests::TextFile two(
      "two.xml", in_platform(half + "<route src='a' dst='b'><link_ctn id='l'/><link_ctn id='l'/></route></zone>"));
  EXPECT_NE(tandem_view(one.path(), CATALOGUE), simgrid_view(two.path()).text);
}

TEST(SimgridAgreement, FullWithOneWayMissingAndSplitDuplexRoutes) {
  expect_agreement_of(
      "<zone id='z' routing='Full'>\n"
      "<host id='a' speed='1Gf,2Gf' pstate='1' core='4'/><host id='b' speed='3megaflops'/><host id='c' speed='1'/>\n"
      "<router id='r'/>\n"
      "<link id='l' bandwidth='1GBps' latency='10s'/><link id='f' bandwidth='8Gbps' latency='0' "
      "sharing_policy='FATPIPE'/>\n"
      "<link id='s' bandwidth='1GiBps' latency='1m' sharing_policy='SPLITDUPLEX'/><link id='t' bandwidth='5' "
      "latency='1ps'/>\n"
      "<route src='a' dst='b'><link_ctn id='s' direction='UP'/><link_ctn id='l'/><link_ctn id='s_DOWN'/></route>\n"
      "<route src='b' dst='c' symmetrical='NO'><link_ctn id='f'/><link_ctn id='s' direction='DOWN'/></route>\n"
      "<route src='a' dst='a' symmetrical='NO'><link_ctn id='t'/></route>\n"
      "</zone>");
}

/// A graph of `count` hosts whose edges have one or two links and many equal ways, in an order that the seed decides.
std::string random_zone(const std::string& routing, unsigned seed, int count, bool is_symmetrical) {
  std::mt19937 random(seed);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<int> order;
  for (int i = 0; i < count; ++i)
    order.insert(order.begin() + pick(i + 1), i);
  std::string hosts;
  std::string links;
  std::string routes;
  std::vector<std::vector<bool>> joined(static_cast<std::size_t>(count),
                                        std::vector<bool>(static_cast<std::size_t>(count)));
  const auto join = [&](int a, int b) {
    const auto from = static_cast<std::size_t>(a);
    const auto to = static_cast<std::size_t>(b);
    if (a == b || joined[from][to] || (is_symmetrical && joined[to][from]))
      return;
    joined[from][to] = true;
    const std::string link = fmt::format("l{}_{}", a, b);
    links += fmt::format(
        "<link id='{0}' bandwidth='1GBps' latency='{1}ns'/><link id='{0}x' bandwidth='1GBps' latency='3ns'/>\n", link,
        1 + pick(100));
    routes += fmt::format("<route src='n{}' dst='n{}' symmetrical='{}'><link_ctn id='{}'/>{}</route>\n", a, b,
                          is_symmetrical ? "YES" : "NO", link,
                          pick(3) == 0 ? fmt::format("<link_ctn id='{}x'/>", link) : std::string());
  };
  for (int i = 0; i < count; ++i) { // a ring connects all, strongly
    hosts += fmt::format("<{} id='n{}'{}/>", i % 4 == 3 ? "router" : "host", order[static_cast<std::size_t>(i)],
                         i % 4 == 3 ? "" : " speed='1Gf'");
    join(i, (i + 1) % count);
  }
  for (int i = 0; i < 2 * count; ++i)
    join(pick(count), pick(count));
  return "<zone id='z' routing='" + routing + "'>\n" + hosts + "\n" + links + routes + "</zone>";
}

TEST(SimgridAgreement, TiesOfFloydAndDijkstra) {
  for (const std::string routing : {"Floyd", "Dijkstra", "DijkstraCache"}) {
    for (unsigned seed = 0; seed < 12; ++seed)
      expect_agreement_of(random_zone(routing, seed, 5 + static_cast<int>(seed) * 2, seed % 2 == 0));
  }
}

TEST(SimgridAgreement, GridsHaveManyEqualWays) {
  for (const std::string routing : {"Floyd", "Dijkstra"}) {
    std::string hosts;
    std::string routes;
    for (int i = 0; i < 25; ++i) {
      hosts += fmt::format("<host id='n{}' speed='1Gf'/>", i);
      for (const int step : {1, 5}) {
        if (i + step < 25 && (step == 5 || i % 5 != 4))
          routes += fmt::format("<route src='n{0}' dst='n{1}'><link_ctn id='l{0}_{1}'/></route>\n", i, i + step);
      }
    }
    std::string links;
    for (int i = 0; i < 25; ++i) {
      for (const int step : {1, 5})
        links += fmt::format("<link id='l{}_{}' bandwidth='1GBps' latency='1us'/>", i, i + step);
    }
    expect_agreement_of("<zone id='z' routing='" + routing + "'>" + hosts + links + routes + "</zone>");
  }
}

TEST(SimgridAgreement, DisconnectedFloyd) {
  expect_agreement_of("<zone id='z' routing='Floyd'><host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>"
                      "<host id='c' speed='1Gf'/><link id='l' bandwidth='1GBps' latency='0'/>"
                      "<route src='a' dst='b'><link_ctn id='l'/></route></zone>");
}

/// Three levels: racks of hosts behind gateways, in pods, in the root; pods 0 and 2 meet through pod 1.
std::string three_levels(const std::string& root, const std::string& pod, const std::string& rack) {
  std::string text = "<zone id='root' routing='" + root + "'>\n";
  for (int p = 0; p < 3; ++p) {
    text += fmt::format("<zone id='p{}' routing='{}'>\n", p, pod);
    for (int r = 0; r < 2; ++r) {
      const std::string name = fmt::format("p{}r{}", p, r);
      text += fmt::format("<zone id='{0}' routing='{1}'><host id='{0}a' speed='1Gf'/><host id='{0}b' speed='1Gf'/>"
                          "<router id='{0}g'/><link id='{0}la' bandwidth='1GBps' latency='1us'/>"
                          "<link id='{0}lb' bandwidth='2GBps' latency='2us' sharing_policy='SPLITDUPLEX'/>"
                          "<link id='{0}ab' bandwidth='3GBps' latency='3us'/>"
                          "<route src='{0}a' dst='{0}g'><link_ctn id='{0}la'/></route>"
                          "<route src='{0}b' dst='{0}g'><link_ctn id='{0}lb' direction='UP'/></route>"
                          "<route src='{0}a' dst='{0}b'><link_ctn id='{0}ab'/></route></zone>\n",
                          name, rack);
    }
    text += fmt::format("<link id='p{0}u' bandwidth='5GBps' latency='7us'/>"
                        "<zoneRoute src='p{0}r0' dst='p{0}r1' gw_src='p{0}r0g' gw_dst='p{0}r1g'>"
                        "<link_ctn id='p{0}u'/></zoneRoute></zone>\n",
                        p);
  }
  text += "<link id='x' bandwidth='9GBps' latency='11us' sharing_policy='SPLITDUPLEX'/>"
          "<link id='y' bandwidth='9GBps' latency='13us'/><link id='w' bandwidth='9GBps' latency='17us'/>\n"
          "<zoneRoute src='p0' dst='p1' gw_src='p0r0g' gw_dst='p1r0g'><link_ctn id='x' direction='UP'/>"
          "<link_ctn id='y'/></zoneRoute>\n"
          "<zoneRoute src='p1' dst='p2' gw_src='P1GATE' gw_dst='p2r1a'><link_ctn id='w'/></zoneRoute>\n";
  if (root == "Full")
    text += "<zoneRoute src='p2' dst='p0' gw_src='p2r0b' gw_dst='p0r1g'><link_ctn id='w'/><link_ctn id='x' "
            "direction='DOWN'/></zoneRoute>\n";
  return text + "</zone>";
}

TEST(SimgridAgreement, ThreeLevelsOfZonesWithGateways) {
  const auto with_gate = [](std::string text, const std::string& gate) {
    text.replace(text.find("P1GATE"), 6, gate);
    return text;
  };
  expect_agreement_of(with_gate(three_levels("Full", "Floyd", "Full"), "p1r1b"));
  expect_agreement_of(
      with_gate(three_levels("Floyd", "Full", "Floyd"), "p1r1b")); // p0 to p2 crosses p1 from gate to gate
  expect_agreement_of(with_gate(three_levels("Floyd", "Dijkstra", "Dijkstra"), "p1r0g"));
  // SimGrid 3.32 crashes when a Dijkstra zone has to cross a zone between two different gateways
  expect_agreement_of(with_gate(three_levels("Dijkstra", "Floyd", "Floyd"), "p1r0g"));
}

TEST(SimgridAgreement, ClustersWithBackboneLimiterAndLoopback) {
  expect_agreement_of(
      "<zone id='w' routing='Full'>\n"
      "<cluster id='c1' prefix='n' suffix='.x' radical='0-2,5' speed='1Gf' core='2' bw='1GBps' lat='1us' bb_bw='2GBps' "
      "bb_lat='2us' limiter_link='3GBps' loopback_bw='4GBps' loopback_lat='1ns' sharing_policy='SHARED'/>\n"
      "<cluster id='c2' prefix='m' suffix='' radical='0-1' speed='1Gf' bw='1GBps' lat='1us' bb_bw='2GBps' "
      "bb_sharing_policy='FATPIPE'/>\n"
      "<cluster id='c3' prefix='o' suffix='' radical='7' speed='1Gf' bw='100Mbps' lat='0' router_id='gate'/>\n"
      "<link id='u' bandwidth='1GBps' latency='1us'/>\n"
      "<zoneRoute src='c1' dst='c2' gw_src='nc1_router.x' gw_dst='mc2_router'><link_ctn id='u'/></zoneRoute>\n"
      "<zoneRoute src='c1' dst='c3' gw_src='n5.x' gw_dst='gate'><link_ctn id='u'/></zoneRoute>\n"
      "<zoneRoute src='c2' dst='c3' gw_src='mc2_router' gw_dst='gate'><link_ctn id='u'/></zoneRoute>\n"
      "</zone>");
  expect_agreement_of("<cluster id='c' prefix='n' suffix='' radical='0-3' speed='1Gf' bw='1GBps' lat='1us'/>");
}

TEST(SimgridAgreement, ClusterZoneOfHostLinks) {
  expect_agreement_of("<zone id='z' routing='Cluster'><host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>"
                      "<router id='r'/><link id='au' bandwidth='1GBps' latency='1us'/>"
                      "<link id='ad' bandwidth='2GBps' latency='2us'/><link id='bb' bandwidth='3GBps' latency='3us'/>"
                      "<backbone id='core' bandwidth='4GBps' latency='4us'/>"
                      "<host_link id='a' up='au' down='ad'/><host_link id='b' up='bb' down='bb'/></zone>");
}

TEST(SimgridAgreement, AsAndAsRouteAreTheOldNamesOfZones) {
  expect_agreement_of(
      "<AS id='w' routing='full'><AS id='x' routing='NONE'><host id='a' speed='1Gf'/></AS>"
      "<AS id='y' routing='none'><host id='b' speed='1Gf'/></AS><link id='l' bandwidth='1GBps' latency='0'/>"
      "<ASroute src='x' dst='y' gw_src='a' gw_dst='b'><link_ctn id='l'/></ASroute></AS>");
}

/// Standard output of a command.
std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = fread(buffer.data(), 1, buffer.size(), pipe.get()))
    text.append(buffer.data(), got);
  return text;
}

TEST(RingPlatforms, AreWhatTheirScriptWrites) {
  const std::string script = "python3 " + SOURCE + "/scripts/make_ring.py ";
  for (const int count : {2, 4, 8, 16, 32}) {
    const std::string file = fmt::format("cat {}/platforms/t3-ring-{}", SOURCE, count);
    EXPECT_EQ(output_of(script + std::to_string(count)), output_of(file + ".xml"));
    if (count >= 8) {
      EXPECT_EQ(output_of(script + std::to_string(count) + " --twice-the-compute"), output_of(file + "-2x-cu.xml"));
    }
  }
}

TEST(NodePlatforms, AreWhatTheirScriptWrites) {
  const std::string script = "python3 " + SOURCE + "/scripts/make_nodes.py ";
  std::istringstream names(output_of(script));
  int count = 0;
  for (std::string name; names >> name; ++count)
    EXPECT_EQ(output_of(script + name), output_of("cat " + SOURCE + "/platforms/" + name + ".xml")) << name;
  EXPECT_EQ(count, 13);
}

} // namespace
} // namespace tandem::platform
