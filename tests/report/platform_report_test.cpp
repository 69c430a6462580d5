// What users see of platforms and devices: counts, sources, routes, and warnings for each thing that may surprise.
#include "report/platform_report.h"

#include "report/device_report.h"
#include "report/fake_run.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::report {
namespace {

using testing::HasSubstr;

constexpr Layout PLAIN{120, 2, false};

TEST(PlatformShow, RingOfThree) {
  const std::string text = platform_show(fakes::ring_cluster(3), PLAIN);
  EXPECT_THAT(text, HasSubstr("ring (ring.xml)\n  3 hosts, 3 GPUs, 3 links (one for each direction)\n"));
  EXPECT_THAT(text, HasSubstr("GPUs 0-2 (gpu0 to gpu2)\n"));
  EXPECT_THAT(text, testing::ContainsRegex("hbm_bandwidth +1 TB/s +a data sheet\n"));
  EXPECT_THAT(text, testing::ContainsRegex("kernel_launch +3 us +assumed\n"));
  EXPECT_THAT(text, testing::ContainsRegex(" 3 +150 GB/s +500 ns +other +shared by its flows +link0, link1, link2\n"));
  EXPECT_THAT(text, testing::ContainsRegex(" 3  0 -> 1 +150 GB/s, 500 ns over 1 link\n"));
  EXPECT_THAT(text, testing::ContainsRegex("0 -> 2 +150 GB/s, 1 us +link0, link1\n")); // two links of 500 ns
  EXPECT_THAT(text, HasSubstr("  from \\ to    0    1    2\n"
                              "  ---------  ---  ---  ---\n"
                              "          0    .  150  150\n"
                              "          1  150    .  150\n"
                              "          2  150  150    .\n"));
}

TEST(PlatformShow, NoMatrixAboveSixteenGpus) {
  EXPECT_THAT(platform_show(fakes::ring_cluster(16), PLAIN), HasSubstr("from \\ to"));
  EXPECT_THAT(platform_show(fakes::ring_cluster(17), PLAIN), testing::Not(HasSubstr("from \\ to")));
}

TEST(PlatformCheck, Ok) {
  EXPECT_EQ(
      platform_check(fakes::ring_cluster(3), PLAIN),
      "ok: ring (ring.xml): 3 hosts, 3 GPUs, 3 links (one for each direction); 6 routes between GPUs looked at\n");
}

/// Connects nothing to the last host.
class Severed : public fakes::OneWayRing {
public:
  Severed() : OneWayRing(3) {}
  [[nodiscard]] std::optional<model::Route> route(model::HostId from, model::HostId to) const override {
    return to.index == 2 ? std::nullopt : OneWayRing::route(from, to);
  }
};

/// The device of GPU 0, changed.
template <class Change> model::Device with(const model::Cluster& cluster, Change change) {
  model::Device device = *cluster.gpus[0].device;
  change(device);
  return device;
}

TEST(PlatformCheck, WarnsOfEachSurprise) {
  const std::vector<std::pair<const char*, std::function<void(model::Cluster&)>>> table = {
      {"no host is a GPU", [](auto& c) { c.gpus.clear(); }},
      {"GPUs of 2 types: toy (GPUs 0, 2); other (GPUs 1)",
       [](auto& c) { c.gpus[1].device = with(c, [](auto& device) { device.name = "other"; }); }},
      {"GPUs of 2 types: toy (GPUs 0-1); toy (GPUs 2)",
       [](auto& c) { c.gpus[2].device = with(c, [](auto& device) { device.sms = 40; }); }},
      {"no route between 2 ordered pairs of GPUs, the first gpu0 -> gpu2",
       [](auto& c) { c.router = std::make_shared<Severed>(); }},
      // 1 -> 0 crosses links 1 and 2, and 0 -> 1 link 0 alone; so do the two other pairs that go round by link 0.
      {"another bandwidth there than back between 3 pairs of GPUs, the first gpu0 and gpu1",
       [](auto& c) { c.links.stored()[0].bandwidth = model::BytesPerSecond(1e9); }},
      {"1 link on no route between GPUs, the first spare",
       [](auto& c) {
         c.links.push_back({"spare", model::BytesPerSecond(1e9), {}, model::Sharing::FATPIPE});
       }},
  };
  for (const auto& [symptom, change] : table) {
    model::Cluster cluster = fakes::ring_cluster(3);
    change(cluster);
    EXPECT_THAT(platform_warnings(cluster), testing::Contains(HasSubstr(symptom)));
    EXPECT_THAT(platform_check(cluster, {0, 0, false}), HasSubstr(std::string("\nwarning: ") + symptom));
  }
  EXPECT_THAT(platform_warnings(fakes::ring_cluster(3)), testing::IsEmpty());
  EXPECT_THAT(platform_warnings(fakes::ring_cluster(1)), testing::IsEmpty());
  EXPECT_THAT(platform_warnings(fakes::ring_cluster(65)), testing::IsEmpty());
}

TEST(DeviceTable, OneLineEach) {
  model::Device toy = *fakes::ring_cluster(1).gpus[0].device;
  model::Device other = toy;
  other.name = "big";
  other.peak["fp8"] = model::FlopsPerSecond(2000e12);
  other.near_memory.available = true;
  EXPECT_EQ(device_table({toy, other}, PLAIN),
            "  device  SMs  fp16 TFLOP/s  fp8 TFLOP/s  HBM GB/s  HBM GB  L2 MB  near-memory  numbers assumed\n"
            "  ------  ---  ------------  -----------  --------  ------  -----  -----------  ---------------\n"
            "  toy      80         100.0            -      1000      32     16  no                   1 of 30\n"
            "  big      80         100.0       2000.0      1000      32     16  yes                  1 of 31\n");
}

} // namespace
} // namespace tandem::report
