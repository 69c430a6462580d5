// Every key that a device file may have is among the numbers that are shown of a device.
#include "platform/device_keys.h"
#include "report/device_report.h"

#include <gtest/gtest.h>

#include <set>

namespace tandem::test {
namespace {

TEST(DeviceNumbers, ShowEveryKeyOfADeviceFile) {
  model::Device device;
  for (const auto* precision : {"fp32", "tf32", "bf16", "fp16", "fp8"})
    device.peak[precision] = base::FlopsPerSecond(1);
  for (const auto& key : platform::device_keys())
    if (key.name.starts_with("power."))
      key.set(device, key.unit.starts_with("power") ? "1W" : "1pJ/B");
  std::set<std::string> shown;
  for (const auto& number : report::device_numbers(device))
    EXPECT_TRUE(shown.insert(number.key).second) << number.key;
  for (const auto& key : platform::device_keys())
    EXPECT_TRUE(shown.contains(key.name)) << key.name;
}

} // namespace
} // namespace tandem::test
