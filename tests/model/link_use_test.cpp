// Link traffic against sums done by hand: by medium, per GPU, and which link is the busiest.
#include "model/link_use.h"

#include <gtest/gtest.h>

namespace tandem::model {
namespace {

/// Two nvlinks of 1000 B/s, a network link of 100 B/s, and one of 10 B/s that gives each flow all of it.
Cluster four_links() {
  Cluster cluster;
  const auto link = [](const char* name, double bandwidth, Medium medium, Sharing sharing = Sharing::SHARED) {
    return Link{std::string(name), BytesPerSecond(bandwidth), Seconds(0.0), sharing, medium};
  };
  cluster.links = {link("a", 1000.0, Medium::NVLINK), link("b", 1000.0, Medium::NVLINK),
                   link("c", 100.0, Medium::NETWORK), link("d", 10.0, Medium::PCIE, Sharing::FATPIPE)};
  return cluster;
}

Recording carried(std::vector<double> bytes) {
  Recording recording;
  recording.ranks = 2;
  recording.link_bytes = std::move(bytes);
  return recording;
}

// 2 ranks: (600 + 800) / 2 nvlink, 200 / 2 network. In 4 s link b carries 800 of 4000 B, c 200 of 400 B; d has no
// limit that its flows share.
TEST(LinkUse, is_summed_by_medium_and_finds_the_fullest_link) {
  const auto use = link_use(carried({600.0, 800.0, 200.0, 1000.0}), four_links(), 4.0);
  EXPECT_DOUBLE_EQ(use.at(Medium::NVLINK), 700.0);
  EXPECT_DOUBLE_EQ(use.at(Medium::NETWORK), 100.0);
  EXPECT_DOUBLE_EQ(use.at(Medium::PCIE), 500.0);
  EXPECT_DOUBLE_EQ(use.at(Medium::XGMI) + use.at(Medium::OTHER), 0.0);
  EXPECT_DOUBLE_EQ(use.total(), 1300.0);
  EXPECT_EQ(use.busiest, "c");
  EXPECT_EQ(use.busiest_medium, Medium::NETWORK);
  EXPECT_DOUBLE_EQ(use.busiest_bytes, 200.0);
  EXPECT_DOUBLE_EQ(use.utilisation, 0.5);
}

// Two iterations in the recording, of 1 s each: half of the bytes.
TEST(LinkUse, of_one_of_several_iterations) {
  const auto use = link_use(carried({600.0, 0.0, 0.0, 0.0}), four_links(), 1.0, 2.0);
  EXPECT_DOUBLE_EQ(use.at(Medium::NVLINK), 150.0);
  EXPECT_DOUBLE_EQ(use.busiest_bytes, 300.0);
  EXPECT_DOUBLE_EQ(use.utilisation, 0.3);
}

// Sums of the same bytes in another order differ in the last digits, which must not choose another link.
TEST(LinkUse, names_the_first_of_equals) {
  const double again = 0.1 + 0.2, once = 0.3;
  ASSERT_GT(again, once);
  EXPECT_EQ(link_use(carried({once, again, 0.0, 0.0}), four_links(), 1.0).busiest, "a");
}

TEST(LinkUse, of_nothing_is_nothing) {
  for (const auto& use : {link_use(carried({0.0, 0.0, 0.0, 0.0}), four_links(), 0.0),
                          link_use(carried({0.0, 0.0, 0.0, 5.0}), four_links(), 1.0)}) {
    EXPECT_EQ(use.busiest, "");
    EXPECT_EQ(use.utilisation, 0.0);
  }
}

} // namespace
} // namespace tandem::model
