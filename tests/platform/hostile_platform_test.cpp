// Platform files that are broken, odd or large: read correctly, or refused with the place and what is allowed.
#include "base/error.h"
#include "platform/platform.h"
#include "temporary_files.h"

#include <chrono>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tandem::platform {
namespace {

using testing::HasSubstr;

const std::string CATALOGUE = TANDEM_SOURCE_DIR "/platforms/devices";

model::Cluster read_text(const std::string& text) {
  const tests::TextFile file("hostile.xml", text);
  return read_cluster(file.path(), {CATALOGUE});
}

/// The message without the name of the file in front: ":line:column: what".
std::string message_of(const std::string& text) {
  const tests::TextFile file("hostile.xml", text);
  try {
    (void)read_cluster(file.path(), {CATALOGUE});
  } catch (const base::UserError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with(file.path())) << message;
    return message.substr(file.path().size());
  }
  return "";
}

/// The body of a full zone starts on line 4.
std::string in_zone(const std::string& body, const std::string& routing = "Full") {
  return "<?xml version='1.0'?>\n<platform version='4.1'>\n<zone id='z' routing='" + routing + "'>\n" + body +
         "\n</zone>\n</platform>\n";
}

const std::string TWO = "<host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>\n"
                        "<link id='l' bandwidth='1GBps' latency='1us'/>\n";
const std::string GPU = "<host id='g' speed='1.4336Tf' core='80'><disk id='hbm' read_bw='1TBps' write_bw='1TBps'/>"
                        "<prop id='device' value='t3-gpu'/></host>\n";

struct Hostile {
  std::string body;
  std::string place;
  std::string part;
};

void expect_refused(const std::vector<Hostile>& cases, const std::string& routing = "Full") {
  for (const Hostile& c : cases) {
    const std::string message = message_of(in_zone(c.body, routing));
    EXPECT_THAT(message, testing::StartsWith(c.place)) << c.body;
    EXPECT_THAT(message, HasSubstr(c.part)) << c.body;
  }
}

TEST(HostilePlatform, NamesAndStructure) {
  expect_refused({
      {"<host id='a' speed='1Gf'/>\n<host id='a' speed='1Gf'/>", ":5:11:", "already defined at"},
      {"<host id='a' speed='1Gf'/><router id='a'/>", ":4:39:", "already defined"},
      {"<host id='z' speed='1Gf'/>", ":4:11:", "already defined"}, // the zone's own name
      {"<host id='' speed='1Gf'/>", ":4:7:", "must not be empty"},
      {TWO + "<link id='l' bandwidth='1GBps' latency='0'/>", ":6:11:", "already defined"},
      {TWO + "<link id='l' bandwidth='1GBps' latency='0' sharing_policy='SPLITDUPLEX'/>", ":6:11:", "already defined"},
      {"<link id='s' bandwidth='1GBps' latency='0' sharing_policy='SPLITDUPLEX'/>\n"
       "<link id='s_UP' bandwidth='1GBps' latency='0'/>",
       ":5:11:", "already defined"},
      {"<host id='a' speed='1Gf' cores='8'/>", ":4:26:", "did you mean 'core'?"},
      {"<host id='a' speed='1Gf' speed='2Gf'/>", ":4:26:", "given twice"},
      {"<host id='a'/>", ":4:2:", "lacks the attribute 'speed'"},
      {"<hots id='a' speed='1Gf'/>", ":4:2:", "did you mean 'host'?"},
      {"<link id='l' bandwidth='1GBps'/>", ":4:2:", "lacks the attribute 'latency'"},
      {"<host id='a' speed='1Gf'>text</host>", ":4:26:", "text 'text' inside of <host>"},
      {"<host id='a' speed='1Gf'/><zone id='y' routing='Full'/>", ":4:28:", "either hosts and routers or other zones"},
      {"<zone id='y' routing='Ful'/>", ":4:23:", "did you mean 'Full'?"},
      {"<zone id='y' routing='Vivaldi'/>", ":4:23:", "not supported"},
      {TWO + "<route src='a' dst='b'><link_ctn id='l'/></route><host id='c' speed='1Gf'/>", ":6:51:", "too late"},
      {"<host id='a' speed='1Gf' state_file='x'/>", ":4:26:", "not supported"},
      {"<peer id='a'/>", ":4:2:", "<peer> is not supported"},
      {"<include file='x'/>", ":4:2:", "removed it in 3.18"},
      {"<host id='a' speed='1Gf'><prop id='x' value='1'/><prop id='x' value='2'/></host>", ":4:60:", "given twice"},
      {"<host id='a' speed='1Gf'><prop id='devcie' value='t3-gpu'/></host>", ":4:36:", "did you mean 'device'?"},
      {"<backbone id='bb' bandwidth='1GBps' latency='0'/>", ":4:2:", "routing Cluster"},
      {"<cluster id='c' prefix='n' suffix='' radical='0-3' speed='1Gf' bw='1GBps' lat='0' topology='TORUS' "
       "topo_parameters='4'/>",
       ":4:93:", "TORUS is not supported yet"},
      {"<cluster id='c' prefix='n' suffix='' radical='3-0' speed='1Gf' bw='1GBps' lat='0'/>", ":4:47:", "backwards"},
      {"<cluster id='c' prefix='n' suffix='' radical='0-9999999' speed='1Gf' bw='1GBps' lat='0'/>",
       ":4:47:", "more than 1000000"},
      {"<cluster id='c' prefix='n' suffix='' radical='0-1' speed='1Gf' bw='1GBps' lat='0' sharing_policy='FATPIPE'/>",
       ":4:99:", "allowed: SPLITDUPLEX, SHARED"},
  });
}

TEST(HostilePlatform, Numbers) {
  const auto link = [](const std::string& bandwidth, const std::string& latency) {
    return "<link id='l' bandwidth='" + bandwidth + "' latency='" + latency + "'/>";
  };
  const auto host = [](const std::string& speed, const std::string& core) {
    return "<host id='a' speed='" + speed + "' core='" + core + "'/>";
  };
  expect_refused({
      {link("0", "0"), ":4:25:", "above 0"},
      {link("0GBps", "0"), ":4:25:", "above 0"},
      {link("-1GBps", "0"), ":4:25:", "minus"},
      {link("-0", "0"), ":4:25:", "minus"},
      {link("nan", "0"), ":4:25:", "finite"},
      {link("NaNGBps", "0"), ":4:25:", "finite"},
      {link("inf", "0"), ":4:25:", "finite"},
      {link("1e400", "0"), ":4:25:", "out of the range"},
      {link("1e300YBps", "0"), ":4:25:", "out of the range"},
      {link("0x10GBps", "0"), ":4:25:", "unknown unit 'x10GBps'"},
      {link("1,5GBps", "0"), ":4:25:", "unknown unit ',5GBps'"},
      {link("", "0"), ":4:", "empty"},
      {link("150GB", "0"), ":4:25:", "allowed: Bps"},
      {link("150G", "0"), ":4:25:", "unknown unit 'G'"},
      {link("150 GBps", "0"), ":4:25:", "unknown unit ' GBps'"},
      {link("1KBps", "0"), ":4:25:", "did you mean 'kBps'?"},
      {link("1GBps", "-1us"), ":4:41:", "minus"},
      {link("1GBps", "1 us"), ":4:41:", "unknown unit"},
      {link("1GBps", "1us2"), ":4:41:", "did you mean 'us'?"},
      {link("1GBps", "nan"), ":4:41:", "finite"},
      {host("0Gf", "1"), ":4:21:", "above 0"},
      {host("1GFlops", "1"), ":4:21:", "unknown unit"},
      {host("1Gf,", "1"), ":4:21:", "empty"},
      {host("1Gf", "0"), ":4:32:", "from 1 to"},
      {host("1Gf", "1.5"), ":4:32:", "digits only"},
      {host("1Gf", "-1"), ":4:32:", "digits only"},
      {"<host id='a' speed='1Gf,2Gf' pstate='2'/>", ":4:38:", "from 0 to 1"},
      {"<host id='a' speed='1Gf'><disk id='d' read_bw='0' write_bw='1Bps'/></host>", ":4:48:", "above 0"},
      {"<link id='l' bandwidth='1GBps' latency='0' sharing_policy='WIFI'/>",
       ":4:60:", "allowed: SHARED, SPLITDUPLEX, FATPIPE"},
  });
}

TEST(HostilePlatform, Routes) {
  const std::string split =
      TWO + "<link id='s' bandwidth='1GBps' latency='0' sharing_policy='SPLITDUPLEX'/>\n"; // 3 lines
  expect_refused({
      {TWO + "<route src='a' dst='b'><link_ctn id='m'/></route>", ":6:38:", "unknown link 'm'"},
      {TWO + "<route src='a' dst='c'><link_ctn id='l'/></route>", ":6:21:", "unknown host, router or zone 'c'"},
      {TWO + "<route src='a' dst='z'><link_ctn id='l'/></route>", ":6:21:", "'z' is a zone"},
      {TWO + "<route src='a' dst='b'/>", ":6:2:", "over no link"},
      {TWO + "<route src='a' dst='b' symmetrical='maybe'><link_ctn id='l'/></route>", ":6:37:", "allowed: YES, NO"},
      {TWO + "<route src='a' dst='b'><link_ctn id='l'/></route>\n<route src='b' dst='a'><link_ctn id='l'/></route>",
       ":7:2:", "already defined (routes are symmetrical"},
      {split + "<route src='a' dst='b'><link_ctn id='s'/></route>", ":7:38:", "needs a direction"},
      {split + "<route src='a' dst='b'><link_ctn id='l' direction='UP'/></route>", ":7:38:", "has no direction"},
      {split + "<route src='a' dst='b'><link_ctn id='s' direction='LEFT'/></route>",
       ":7:52:", "allowed: UP, DOWN, NONE"},
      {TWO + "<bypassRoute src='a' dst='b'><link_ctn id='l'/></bypassRoute>",
       ":6:2:", "<bypassRoute> is not supported"},
  });
  expect_refused({{TWO + "<route src='a' dst='b'><link_ctn id='l'/></route>", ":6:2:", "takes no routes"}}, "Cluster");
  expect_refused({{TWO + "<route src='a' dst='b'><link_ctn id='l'/></route>", ":6:2:", "takes no routes"}}, "None");
}

TEST(HostilePlatform, RoutesBetweenZones) {
  const std::string zones = "<zone id='x' routing='Full'><host id='a' speed='1Gf'/></zone>\n"
                            "<zone id='y' routing='Full'><host id='b' speed='1Gf'/></zone>\n"
                            "<link id='l' bandwidth='1GBps' latency='0'/>\n";
  const auto route = [&](const std::string& ends) {
    return zones + "<zoneRoute " + ends + "><link_ctn id='l'/></zoneRoute>";
  };
  expect_refused({
      {route("src='x' dst='y' gw_src='a'"), ":7:2:", "lacks the attribute 'gw_dst'"},
      {route("src='x' dst='y' gw_src='b' gw_dst='a'"), ":7:36:", "'b' is not in zone 'x'"},
      {route("src='x' dst='y' gw_src='x' gw_dst='b'"), ":7:36:", "'x' is a zone"},
      {route("src='x' dst='x' gw_src='a' gw_dst='a'"), ":7:25:", "no route to itself"},
      {route("src='a' dst='y' gw_src='a' gw_dst='b'"), ":7:17:", "'a' is no zone"},
      {route("src='x' dst='z' gw_src='a' gw_dst='b'"), ":7:25:", "not directly in zone 'z'"},
      {zones + "<route src='a' dst='b'><link_ctn id='l'/></route>", ":7:13:", "not directly in zone 'z'"},
  });
}

TEST(HostilePlatform, WholeFiles) {
  const std::string good = in_zone(TWO + "<route src='a' dst='b'><link_ctn id='l'/></route>");
  const std::vector<Hostile> cases = {
      {"", ":1:1:", "empty"},
      {"\n\n", ":1:1:", "empty"},
      {"<?xml version='1.0'?>", ":1:1:", "empty"},
      {good.substr(0, good.size() / 2), ":", "not valid XML"},
      {good.substr(0, good.size() - 13), ":", "not valid XML"},
      {"<platform version='4.1'/>", ":1:2:", "holds no zone"},
      {"<platform version='3.0'><zone id='z' routing='Full'/></platform>", ":1:20:", "allowed: 4.1"},
      {"<platform><zone id='z' routing='Full'/></platform>", ":1:2:", "lacks the attribute 'version'"},
      {"<plattform version='4.1'/>", ":1:2:", "did you mean 'platform'?"},
      {"<platform version='4.1'><zone id='y' routing='Full'/><zone id='z' routing='Full'/></platform>",
       ":1:55:", "a second root zone"},
      {good + good, ":10:2:", "a second root element"},
      {good + "trailing", ":8:12:", "text outside"},
      {good + "<platform/>", ":9:2:", "a second root element"},
      {"nonsense", ":1:1:", "text outside"},
      {std::string("<platform\0 version='4.1'/>", 26), ":1:10:", "zero byte"},
      {"<platform version='4.1'>" +
           [] {
             std::string deep;
             for (int i = 0; i < 100000; ++i)
               deep += "<zone id='z' routing='Full'>";
             return deep;
           }(),
       ":", "not valid XML"},
      {"<platform version='4.1'>" +
           [] {
             std::string deep;
             for (int i = 0; i < 70; ++i)
               deep += fmt::format("<zone id='z{}' routing='Full'>", i);
             for (int i = 0; i < 70; ++i)
               deep += "</zone>";
             return deep;
           }() +
           "</platform>",
       ":1:", "more than 64 elements"},
  };
  for (const Hostile& c : cases) {
    const std::string message = message_of(c.body);
    EXPECT_THAT(message, testing::StartsWith(c.place)) << c.body.substr(0, 200);
    EXPECT_THAT(message, HasSubstr(c.part)) << c.body.substr(0, 200);
  }
  EXPECT_THROW((void)read_cluster("/nonexistent.xml", {}), base::UserError);
  EXPECT_THROW((void)read_cluster("/", {}), base::UserError);
}

TEST(HostilePlatform, LineEndsByteOrderMarkAndEntitiesAreFine) {
  std::string text = "\xEF\xBB\xBF";
  for (const char c : in_zone(TWO + "<!-- a - comment --><route src='a' dst='b'><link_ctn id='l'/></route>"))
    text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  while (text.back() == '\n' || text.back() == '\r')
    text.pop_back();
  EXPECT_EQ(read_text(text).hosts.size(), 2U);
  text.replace(text.find("1GBps"), 5, "1GBpz");
  EXPECT_THAT(message_of(text), HasSubstr(":5:25: bandwidth of <link>"));
  EXPECT_EQ(read_text(in_zone("<host id='a&amp;b' speed='1Gf'/>")).hosts[0].name, "a&b");
  // an entity before the fault does not move its place
  EXPECT_THAT(message_of(in_zone("<host id='a&amp;b' speed='0'/>")), testing::StartsWith(":4:27:"));
}

TEST(HostilePlatform, ZeroLatencyTenSecondsAndUnequalDirections) {
  const model::Cluster cluster =
      read_text(in_zone("<host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>"
                        "<link id='l' bandwidth='1GBps' latency='0'/><link id='m' bandwidth='2GBps' latency='10s'/>"
                        "<route src='a' dst='b' symmetrical='NO'><link_ctn id='l'/></route>"
                        "<route src='b' dst='a' symmetrical='NO'><link_ctn id='m'/></route>"));
  EXPECT_EQ(cluster.router->route(model::HostId(0), model::HostId(1))->latency.value(), 0.0);
  EXPECT_EQ(cluster.router->route(model::HostId(1), model::HostId(0))->latency.value(), 10.0);
  EXPECT_TRUE(cluster.router->route(model::HostId(0), model::HostId(0))->links.empty());
}

TEST(HostilePlatform, WithoutGpusIsReadAndHasNone) {
  const model::Cluster cluster = read_text(in_zone("<host id='nic0' speed='1f'/><host id='nic1' speed='1f'/>"));
  EXPECT_TRUE(cluster.gpus.empty());
  EXPECT_EQ(cluster.hosts.size(), 2U);
}

TEST(HostilePlatform, DisconnectedGpusFailOnlyWhenAsked) {
  const std::string other = "<host id='h' speed='1.4336Tf' core='80'><prop id='device' value='t3-gpu'/></host>\n";
  for (const std::string routing : {"Full", "Floyd", "Dijkstra", "None"}) {
    const tests::TextFile file("apart.xml", in_zone(GPU + other, routing));
    const model::Cluster cluster = read_cluster(file.path(), {CATALOGUE});
    ASSERT_EQ(cluster.gpus.size(), 2U);
    try {
      (void)cluster.route(model::Rank(0), model::Rank(1));
      ADD_FAILURE() << routing;
    } catch (const base::UserError& error) {
      EXPECT_THAT(error.what(), testing::StartsWith(file.path()));
      EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("'g'"), HasSubstr("'h'")));
    }
  }
}

TEST(HostilePlatform, OneWayDijkstraIsAnsweredWhereSimgridNeverEnds) {
  // c reaches b and a does not reach c: SimGrid 3.32 walks in circles when it is asked for the way from a to c
  const model::Cluster cluster =
      read_text(in_zone(TWO + "<host id='c' speed='1Gf'/><route src='a' dst='b'><link_ctn id='l'/></route>"
                              "<route src='c' dst='b' symmetrical='NO'><link_ctn id='l'/></route>",
                        "Dijkstra"));
  EXPECT_TRUE(cluster.router->route(model::HostId(0), model::HostId(1)).has_value());
  EXPECT_FALSE(cluster.router->route(model::HostId(0), model::HostId(2)).has_value());
  EXPECT_TRUE(cluster.router->route(model::HostId(2), model::HostId(0)).has_value());
}

TEST(HostilePlatform, SixteenThousandHostsInAFlatZone) {
  std::string text;
  constexpr int COUNT = 16384;
  for (int i = 0; i < COUNT; ++i)
    text += fmt::format("<host id='n{0}' speed='1Gf'/><link id='l{0}' bandwidth='1GBps' latency='1us'/>\n", i);
  text += "<router id='r'/>\n";
  for (int i = 0; i < COUNT; ++i)
    text += fmt::format("<route src='n{0}' dst='r'><link_ctn id='l{0}'/></route>\n", i);
  const auto start = std::chrono::steady_clock::now();
  const model::Cluster cluster = read_text(in_zone(text, "DijkstraCache"));
  const auto route = cluster.router->route(model::HostId(0), model::HostId(COUNT - 1));
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(route.has_value());
  EXPECT_EQ(route->links.size(), 2U);
  EXPECT_LT(spent.count(), 20.0); // about half a second; the margin is for sanitizers and busy machines
  EXPECT_THAT(message_of(in_zone(text, "Floyd")), HasSubstr("allowed: up to 4096"));
  text += "<route src='n0' dst='n16385'><link_ctn id='l0'/></route>\n";
  const std::string message = message_of(in_zone(text, "DijkstraCache"));
  EXPECT_THAT(message, HasSubstr("unknown host, router or zone 'n16385' (did you mean '"));
  EXPECT_LT(message.size(), 300U); // names the nearest, not all
}

} // namespace
} // namespace tandem::platform
