// The device catalogue: shipped files, sources and assumptions, every key, and hostile files.
#include "base/error.h"
#include "platform/devices.h"
#include "temporary_files.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace tandem::platform {
namespace {

using model::Device;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const std::string CATALOGUE = TANDEM_SOURCE_DIR "/platforms/devices";

const char* const MINIMAL = "name: mini\n"
                            "sms: 4\n"
                            "peak: {fp16: 10TFLOPS}\n"
                            "vector_peak: 1TFLOPS\n"
                            "hbm_bandwidth: 1TBps\n"
                            "hbm_capacity: 16GB\n"
                            "l2: 4MiB\n"
                            "sm_copy_bandwidth: 30GBps\n"
                            "kernel_launch: 2us\n";

class DeviceFile : public tests::TextFile {
public:
  explicit DeviceFile(const std::string& text, const std::string& name = "mini") : TextFile(name + ".yaml", text) {}
};

template <class Action> std::string message_of(Action action) {
  try {
    action();
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Devices, ShippedT3GpuIsThePapersMachine) {
  const Device gpu = find_device("t3-gpu", {CATALOGUE});
  EXPECT_EQ(gpu.sms, 80);
  // 80 CUs x 1.4 GHz x 1024 FLOP per cycle
  EXPECT_DOUBLE_EQ(gpu.peak.at("fp16").value(), 80 * 1.4e9 * 1024);
  EXPECT_DOUBLE_EQ(gpu.vector_peak.value(), 80 * 1.4e9 * 128);
  EXPECT_EQ(gpu.hbm_bandwidth.value(), 1e12);
  EXPECT_EQ(gpu.l2.value(), 16.0 * 1024 * 1024);
  EXPECT_TRUE(gpu.near_memory.available);
  EXPECT_EQ(gpu.near_memory.tracker_entries, 256);
  ASSERT_EQ(gpu.queue.thresholds.size(), 3U);
  // entries from the most to the least memory-intensive kernel
  EXPECT_EQ(gpu.queue.thresholds[0].entries, 5);
  EXPECT_EQ(gpu.queue.thresholds[1].entries, 10);
  EXPECT_EQ(gpu.queue.thresholds[2].entries, 30);
  EXPECT_THAT(gpu.assumed, Contains("queue.depth"));
  EXPECT_THAT(gpu.assumed, Not(Contains("hbm_bandwidth")));
  EXPECT_THAT(gpu.sources.at("hbm_bandwidth"), HasSubstr("2401.16677"));
}

TEST(Devices, TwiceTheComputeIsTwiceTheComputeOnly) {
  const Device twice = find_device("t3-gpu-2x-cu", {CATALOGUE});
  const Device once = find_device("t3-gpu", {CATALOGUE});
  for (const DeviceKey& key : device_keys()) {
    const bool doubles = key.name == "sms" || key.name == "peak.fp16" || key.name == "vector_peak";
    EXPECT_EQ(key.get(twice) != key.get(once), doubles) << key.name;
  }
  EXPECT_EQ(twice.sms, 2 * once.sms);
  EXPECT_EQ(twice.peak.at("fp16"), 2 * once.peak.at("fp16"));
  EXPECT_EQ(twice.vector_peak, 2 * once.vector_peak);
}

TEST(Devices, EveryShippedFileReadsAndSaysWhereEachValueComesFrom) {
  for (const auto& entry : std::filesystem::directory_iterator(CATALOGUE)) {
    const Device device = find_device(entry.path().stem(), {CATALOGUE});
    for (const DeviceKey& key : device_keys()) {
      const bool stated = !key.get(device).empty();
      EXPECT_EQ(stated, device.sources.contains(key.name)) << entry.path() << " " << key.name;
    }
  }
}

TEST(Devices, EveryKeyReadsBackWhatItPrints) {
  const Device gpu = find_device("a100-sxm-80", {CATALOGUE});
  for (const DeviceKey& key : device_keys()) {
    Device copy = gpu;
    const std::string example = key.name == "power.limit" ? "3 W" : "3000000000000 FLOPS";
    const std::string printed = key.get(gpu).empty() ? example : key.get(gpu);
    set_device_key(copy, key.name, printed);
    EXPECT_EQ(key.get(copy), printed) << key.name;
    EXPECT_FALSE(key.help.empty()) << key.name;
    EXPECT_FALSE(key.unit.empty()) << key.name;
    EXPECT_THAT(copy.assumed, Not(Contains(key.name)));
    EXPECT_EQ(copy.sources.at(key.name), "set by the user");
  }
}

TEST(Devices, SetsThroughTheSameTable) {
  Device gpu = find_device("t3-gpu", {CATALOGUE});
  set_device_key(gpu, "hbm_bandwidth", "2TBps");
  EXPECT_EQ(gpu.hbm_bandwidth.value(), 2e12);
  set_device_key(gpu, "queue.thresholds", "0.4:7");
  ASSERT_EQ(gpu.queue.thresholds.size(), 1U);
  EXPECT_EQ(gpu.queue.thresholds[0].entries, 7);
  set_device_key(gpu, "queue.thresholds", "none");
  EXPECT_TRUE(gpu.queue.thresholds.empty());
  set_device_key(gpu, "near_memory.available", "false");
  EXPECT_FALSE(gpu.near_memory.available);
  EXPECT_THAT(message_of([&] { set_device_key(gpu, "hbm_bandwith", "2TBps"); }),
              HasSubstr("did you mean 'hbm_bandwidth'?"));
  EXPECT_THAT(message_of([&] { set_device_key(gpu, "hbm_bandwidth", "2T"); }),
              testing::AllOf(HasSubstr("device.hbm_bandwidth"), HasSubstr("bits or bytes")));
}

TEST(Devices, MinimalFileTakesDefaultsAndMarksThemAssumed) {
  const DeviceFile file(MINIMAL);
  const Device device = read_device(file.path());
  EXPECT_EQ(device.tile_m, 128);
  EXPECT_EQ(device.copy_engines, 0);
  EXPECT_FALSE(device.near_memory.available);
  EXPECT_THAT(device.assumed, Contains("tile_m"));
  EXPECT_THAT(device.assumed, Contains("sms")); // plain, and the file names no source
  EXPECT_EQ(device.sources.at("tile_m"), "assumed: default");
  EXPECT_EQ(device.sources.at("sms"), "assumed: no source given");
}

TEST(Devices, SourceOfTheFileCoversPlainValuesOnly) {
  const DeviceFile file(std::string("source: vendor\n") + MINIMAL +
                        "gemm_efficiency: {value: 0.8, assumed: guess}\n"
                        "queue.depth: {value: 32, source: thesis}\n");
  const Device device = read_device(file.path());
  EXPECT_EQ(device.sources.at("sms"), "vendor");
  EXPECT_EQ(device.sources.at("queue.depth"), "thesis");
  EXPECT_EQ(device.sources.at("gemm_efficiency"), "assumed: guess");
  EXPECT_THAT(device.assumed, Not(Contains("sms")));
  EXPECT_THAT(device.assumed, Contains("gemm_efficiency"));
  EXPECT_EQ(device.queue.depth, 32);
}

TEST(Devices, AcceptsCrlfByteOrderMarkAndNoTrailingNewline) {
  std::string text = "\xEF\xBB\xBF";
  for (const char c : std::string(MINIMAL))
    text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  text.resize(text.size() - 2);
  const DeviceFile file(text);
  EXPECT_EQ(read_device(file.path()).kernel_launch.value(), 2e-6);
}

struct Hostile {
  std::string appended;
  std::string place;
  std::string part;
};

TEST(Devices, HostileLinesAreRefusedWithTheirPlace) {
  // the appended text starts on line 10
  const std::vector<Hostile> cases = {
      {"gemm_eficiency: 0.8\n", ":10:1:", "did you mean 'gemm_efficiency'?"},
      {"gemm_efficiency: 1.5\n", ":10:18:", "above 0, up to 1"},
      {"gemm_efficiency: 0\n", ":10:18:", "above 0"},
      {"gemm_efficiency: nan\n", ":10:18:", "finite"},
      {"gemm_efficiency: -0.5\n", ":10:18:", "minus"},
      {"gemm_efficiency: 0,8\n", ":10:18:", "comma"},
      {"gemm_efficiency:\n", ":10:1:", "has no value"},
      {"gemm_efficiency: ''\n", ":10:18:", "empty"},
      {"gemm_efficiency: [0.8]\n", ":10:19:", "each row is"},
      {"gemm_efficiency: {value: 0.8, sorce: x}\n", ":10:31:", "did you mean 'source'?"},
      {"gemm_efficiency: {source: x}\n", ":10:18:", "has no 'value'"},
      {"gemm_efficiency: {value: 0.8, source: x, assumed: y}\n", ":10:42:", "either"},
      {"gemm_efficiency: {value: 0.8, source: ''}\n", ":10:39:", "must not be empty"},
      {"sms: 8\n", ":10:1:", "given twice"},
      {"tile_m: 128.0\n", ":10:9:", "digits only"},
      {"tile_m: 0\n", ":10:9:", "from 1 to 65536"},
      {"copy_engines: 99999999999999999999\n", ":10:15:", "out of range"},
      {"near_memory: yes\n", ":10:14:", "group"},
      {"near_memory: {available: yes}\n", ":10:26:", "allowed: true, false"},
      {"near_memory: {avaliable: true}\n", ":10:15:", "did you mean 'near_memory.available'?"},
      {"near_memory: {spill_bytes: 64}\n", ":10:28:", "no unit"},
      {"near_memory.update_cost: 0\n", ":10:26:", "above 0"},
      {"queue: {thresholds: [{intensity: 0.1, entries: 5}, {intensity: 0.5, entries: 10}]}\n",
       ":10:21:", "never applies"},
      {"queue: {thresholds: [{intensity: 0.1}]}\n", ":10:22:", "needs 'intensity' and 'entries'"},
      {"queue: {thresholds: [{intensity: 1.1, entries: 5}]}\n", ":10:21:", "from 0 to 1"},
      {"queue: {thresholds: [{intensity: 0.5, entires: 5}]}\n", ":10:39:", "did you mean 'entries'?"},
      {"queue: {thresholds: 0.5}\n", ":10:21:", "as 0.5:5"},
      {"peak.fp12: 1TFLOPS\n", ":10:1:", "did you mean"},
      {"peak.bf16: 312TFLOP\n", ":10:12:", "did you mean 'TFLOPS'?"},
      {"l2x: {a: [\n", "", "not valid YAML"},
      {"\tx: 1\n", ":10:", "not valid YAML"},
      {"? [a, b]\n: 1\n", ":10:", "a key must be one value"},
      {"---\nsms: 3\n", ":10:1:", "more after the end of the YAML document"},
  };
  for (const Hostile& c : cases) {
    const DeviceFile file(MINIMAL + c.appended);
    const std::string message = message_of([&] { (void)read_device(file.path()); });
    EXPECT_THAT(message, HasSubstr(file.path() + c.place)) << c.appended;
    EXPECT_THAT(message, HasSubstr(c.part)) << c.appended;
  }
}

TEST(Devices, HostileFilesAreRefused) {
  const std::vector<Hostile> cases = {{"", "", "a device file is a map"},
                                      {"- 1\n", ":1:1:", "a device file is a map"},
                                      {"name: x\n", ":1:1:", "lacks the key 'sms'"},
                                      {"sms: 4\n", ":1:1:", "needs the key 'name'"},
                                      {"{", "", "not valid YAML"}};
  for (const Hostile& c : cases) {
    const DeviceFile file(c.appended);
    const std::string message = message_of([&] { (void)read_device(file.path()); });
    EXPECT_THAT(message, HasSubstr(file.path() + c.place)) << c.appended;
    EXPECT_THAT(message, HasSubstr(c.part)) << c.appended;
  }
  EXPECT_THAT(message_of([] { (void)read_device("/nonexistent.yaml"); }), HasSubstr("No such file"));
}

TEST(Devices, UnknownNamesGetTheNearestAndWhereItLooked) {
  const std::string message = message_of([] { (void)find_device("h100sxm", {CATALOGUE, "/nonexistent"}); });
  EXPECT_THAT(message, HasSubstr("did you mean 'h100-sxm'?"));
  EXPECT_THAT(message, HasSubstr(CATALOGUE + ", /nonexistent"));
  EXPECT_THAT(message_of([] { (void)find_device("../devices/h100-sxm", {CATALOGUE}); }), HasSubstr("unknown device"));
  EXPECT_THAT(message_of([] { (void)find_device("", {CATALOGUE}); }), HasSubstr("unknown device"));
}

TEST(Devices, AFileMayBeASearchPathAndTheFirstOneWins) {
  const DeviceFile file(MINIMAL);
  EXPECT_EQ(find_device("mini", {CATALOGUE, file.path()}).sms, 4);
  EXPECT_EQ(find_device("mini", {file.directory(), CATALOGUE}).sms, 4);
}

TEST(Devices, NameInsideMustBeTheNameOfTheFile) {
  const DeviceFile file(MINIMAL, "other");
  EXPECT_THAT(message_of([&] { (void)find_device("other", {file.directory()}); }), HasSubstr("named 'mini' inside"));
}

} // namespace
} // namespace tandem::platform
