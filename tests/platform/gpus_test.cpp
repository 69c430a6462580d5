// GPUs of a platform: ranks in the order of the file, the device with what the platform file says of it, routes between
// ranks.
#include "base/error.h"
#include "platform/platform.h"
#include "temporary_files.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace tandem::platform {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const std::string PLATFORMS = TANDEM_SOURCE_DIR "/platforms";
const std::string CATALOGUE = PLATFORMS + "/devices";

model::Cluster read_gpu(const std::string& attributes, const std::string& inside) {
  const tests::TextFile file("gpu.xml", "<platform version='4.1'><zone id='z' routing='Full'>\n<host id='g' " +
                                            attributes + ">" + inside + "</host></zone></platform>");
  return read_cluster(file.path(), {CATALOGUE});
}

std::string message_of(const std::string& attributes, const std::string& inside) {
  try {
    (void)read_gpu(attributes, inside);
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "";
}

const char* const T3 = "<prop id='device' value='t3-gpu'/>";
const char* const H100 = "<prop id='device' value='h100-sxm'/>";

TEST(Gpus, RingOfEightHasNeighboursOneLinkApart) {
  const model::Cluster cluster = read_cluster(PLATFORMS + "/t3-ring-8.xml", {CATALOGUE});
  EXPECT_EQ(cluster.name, "t3-ring-8");
  ASSERT_EQ(cluster.gpus.size(), 8U);
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(cluster.hosts[cluster.gpus[rank].host.index].name, fmt::format("gpu{}", rank));
    for (const std::uint32_t step : {1U, 7U}) {
      const model::Route route = cluster.route(model::Rank(rank), model::Rank((rank + step) % 8));
      EXPECT_EQ(route.links.size(), 1U);
      EXPECT_DOUBLE_EQ(route.latency.value(), 500e-9);
      EXPECT_EQ(cluster.bandwidth(model::Rank(rank), model::Rank((rank + step) % 8)).value(), 150e9);
    }
  }
  // the farthest is 4 hops away
  EXPECT_EQ(cluster.route(model::Rank(0), model::Rank(4)).links.size(), 4U);
  EXPECT_DOUBLE_EQ(cluster.route(model::Rank(0), model::Rank(4)).latency.value(), 2e-6);
  EXPECT_THROW((void)cluster.route(model::Rank(0), model::Rank(8)), base::Bug);
}

TEST(Gpus, RingOfTwoHasBothDirections) {
  const model::Cluster cluster = read_cluster(PLATFORMS + "/t3-ring-2.xml", {CATALOGUE});
  EXPECT_EQ(cluster.links.size(), 2U);
  EXPECT_NE(cluster.route(model::Rank(0), model::Rank(1)).links[0],
            cluster.route(model::Rank(1), model::Rank(0)).links[0]);
}

TEST(Gpus, NvswitchNodeIsUpOneLinkAndDownAnother) {
  const model::Cluster cluster = read_cluster(PLATFORMS + "/dgx-h100.xml", {CATALOGUE});
  const model::Route route = cluster.route(model::Rank(1), model::Rank(6));
  ASSERT_EQ(route.links.size(), 2U);
  EXPECT_EQ(cluster.links[route.links[0].index].name, "nvlink1_UP");
  EXPECT_EQ(cluster.links[route.links[1].index].name, "nvlink6_DOWN");
}

TEST(Gpus, ShippedPlatformsAgreeWithTheirDeviceFiles) {
  // nothing of the catalogue is replaced: its sources stand
  for (const std::string name : {"t3-ring-8", "t3-ring-8-2x-cu", "dgx-h100"}) {
    for (const model::Gpu& gpu : read_cluster(PLATFORMS + "/" + name + ".xml", {CATALOGUE}).gpus) {
      EXPECT_THAT(gpu.device->sources.at("peak.fp16"), Not(HasSubstr("platform file"))) << name;
      EXPECT_THAT(gpu.device->sources.at("hbm_bandwidth"), Not(HasSubstr("platform file"))) << name;
    }
  }
}

TEST(Gpus, SpeedTimesCoresScalesEveryPrecision) {
  // twice 132 x 7.49568 TFLOP/s, stated as one core of the whole device
  const model::Device device = *read_gpu("speed='1978.85952Tf'", H100).gpus.at(0).device;
  EXPECT_EQ(device.sms, 132);
  EXPECT_NEAR(device.peak.at("fp16").value(), 2 * 989.42976e12, 1.0);
  EXPECT_NEAR(device.peak.at("fp8").value(), 2 * 1978.85952e12, 1.0);
  EXPECT_NEAR(device.peak.at("fp32").value(), 2 * 67e12, 1.0);
  EXPECT_EQ(device.sources.at("peak.fp8"), "platform file, host g");
  EXPECT_EQ(device.vector_peak.value(), 67e12);
}

TEST(Gpus, FirstDiskIsTheMemory) {
  const std::string disks =
      "<disk id='hbm' read_bw='2TBps' write_bw='2TBps'/><disk id='ssd' read_bw='7GBps' write_bw='6GBps'/>";
  const model::Cluster cluster = read_gpu("speed='1.4336Tf' core='80'", disks + T3);
  EXPECT_EQ(cluster.gpus.at(0).device->hbm_bandwidth.value(), 2e12);
  EXPECT_EQ(cluster.gpus.at(0).device->sources.at("hbm_bandwidth"), "platform file, host g");
  EXPECT_EQ(cluster.hosts.at(0).disks.at(1).write.value(), 6e9);
  EXPECT_EQ(read_gpu("speed='1.4336Tf' core='80'", T3).gpus.at(0).device->hbm_bandwidth.value(), 1e12);
}

TEST(Gpus, ContradictionsAreRefusedAtTheHost) {
  EXPECT_THAT(message_of("speed='1.4336Tf' core='81'", T3),
              testing::AllOf(HasSubstr(":2:11:"), HasSubstr("81 cores"), HasSubstr("80 SMs")));
  EXPECT_THAT(
      message_of("speed='1.4336Tf' core='80'", std::string(T3) + "<disk id='d' read_bw='2TBps' write_bw='1TBps'/>"),
      HasSubstr("must agree"));
  EXPECT_THAT(message_of("speed='1.4336Tf' core='80'", "<prop id='device' value='t3gpu'/>"),
              testing::AllOf(HasSubstr(":2:11: host 'g'"), HasSubstr("did you mean 't3-gpu'?")));
  const tests::TextFile broken("broken.yaml", "name: x\nsms: 0\n");
  const tests::TextFile file("gpu.xml", "<platform version='4.1'><zone id='z' routing='Full'><host id='g' speed='1Tf'>"
                                        "<prop id='device' value='" +
                                            std::filesystem::path(broken.path()).stem().string() +
                                            "'/></host></zone></platform>");
  try {
    (void)read_cluster(file.path(), {broken.path()});
    ADD_FAILURE();
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr(file.path() + ":1:"), HasSubstr(broken.path() + ":2:6: sms")));
  }
}

TEST(Gpus, ClusterTagMakesGpusToo) {
  const tests::TextFile file("cluster.xml",
                             "<platform version='4.1'><cluster id='c' prefix='g' suffix='' radical='0-3' "
                             "speed='114.688Tf' bw='150GBps' lat='500ns'><prop id='device' value='t3-gpu'/>"
                             "</cluster></platform>");
  const model::Cluster cluster = read_cluster(file.path(), {CATALOGUE});
  EXPECT_EQ(cluster.gpus.size(), 4U);
  EXPECT_EQ(cluster.route(model::Rank(0), model::Rank(3)).links.size(), 2U);
}

TEST(PlatformProperties, AreAllDescribed) {
  EXPECT_GE(platform_properties().size(), 4U);
  for (const PlatformProperty& property : platform_properties()) {
    EXPECT_FALSE(property.name.empty());
    EXPECT_FALSE(property.value.empty());
    EXPECT_FALSE(property.meaning.empty());
  }
}

} // namespace
} // namespace tandem::platform
