// Routes and bottleneck bandwidth between ranks, with a hand-written router.
#include "base/error.h"
#include "model/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <memory>

namespace tandem::model {
namespace {

/// Host 0 reaches host 1 over links 0 and 1; nothing else is connected.
class OneWayRouter : public Router {
public:
  [[nodiscard]] std::optional<Route> route(HostId from, HostId to) const override {
    if (from == to)
      return Route{};
    if (from.index == 0 && to.index == 1)
      return Route{{LinkId(0), LinkId(1)}, Seconds(3e-6)};
    return std::nullopt;
  }
};

Cluster two_gpus() {
  Cluster cluster;
  cluster.file = "two.xml";
  cluster.hosts.stored().resize(2);
  cluster.hosts.stored()[0].name = std::string("a"); // GCC 12 misreads the copy of a literal here
  cluster.hosts.stored()[1].name = std::string("b");
  cluster.links = {{"fast", BytesPerSecond(9e9), Seconds(1e-6), Sharing::SHARED},
                   {"slow", BytesPerSecond(4e9), Seconds(2e-6), Sharing::SHARED}};
  // rank 0 is host b: ranks and hosts are not the same numbers
  cluster.gpus = {{HostId(1), {}}, {HostId(0), {}}};
  cluster.router = std::make_shared<OneWayRouter>();
  return cluster;
}

TEST(Cluster, TranslatesRanksToHosts) {
  const Cluster cluster = two_gpus();
  EXPECT_EQ(cluster.route(Rank(1), Rank(0)).links.size(), 2U);
  EXPECT_EQ(cluster.bandwidth(Rank(1), Rank(0)).value(), 4e9);
}

TEST(Cluster, NamesBothEndsWhenThereIsNoRoute) {
  try {
    (void)two_gpus().bandwidth(Rank(0), Rank(1));
    FAIL();
  } catch (const base::UserError& error) {
    EXPECT_STREQ(error.what(), "two.xml: no route from host 'b' to host 'a': the platform does not connect them");
  }
}

TEST(Cluster, ARankToItselfCrossesNothing) {
  const Cluster cluster = two_gpus();
  EXPECT_TRUE(cluster.route(Rank(0), Rank(0)).links.empty());
  EXPECT_EQ(cluster.bandwidth(Rank(0), Rank(0)).value(), std::numeric_limits<double>::infinity());
}

TEST(Cluster, UnknownRankIsABug) {
  EXPECT_THROW((void)two_gpus().route(Rank(0), Rank(2)), base::Bug);
  Cluster cluster = two_gpus();
  cluster.router.reset();
  EXPECT_THROW((void)cluster.route(Rank(0), Rank(1)), base::Bug);
}

} // namespace
} // namespace tandem::model
