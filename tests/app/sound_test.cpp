// Input that is odd but sound: it must be taken, and give a result that is complete.
#include "app/hostile.h"

#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::app {
namespace {

using nlohmann::json;

const std::string ALL = "sequential, ideal-overlap, ideal-rs-nmc, concurrent, decomposed, tile-fused, t3, t3-mca";

struct Sound {
  std::string name;
  Files files; ///< over the sound ones
  std::vector<std::string> flags;
  std::size_t results; ///< in the JSON
};

void PrintTo(const Sound& row, std::ostream* out) {
  *out << row.name;
}

class SoundInput : public testing::TestWithParam<Sound> {};

TEST_P(SoundInput, GivesACompleteResult) {
  Files files = GetParam().files;
  files.emplace("w.yaml", sound_workload());
  files.emplace("p.xml", sound_platform());
  const Folder folder(files);
  std::vector<std::string> arguments = {"compare", "w.yaml", "--format", "json"};
  arguments.insert(arguments.end(), GetParam().flags.begin(), GetParam().flags.end());
  const auto outcome = run({.arguments = arguments, .folder = folder.path().string()});
  ASSERT_FALSE(outcome.too_long);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto cases = json::parse(outcome.out).at("cases");
  EXPECT_EQ(cases.size(), GetParam().results);
  for (const auto& result : cases) {
    const double time = result.at("time_s");
    EXPECT_TRUE(std::isfinite(time));
    EXPECT_GT(time, 0.0);
    EXPECT_GE(time * (1.0 + 1e-9), result.at("lower_bound_s").get<double>()) << result;
  }
}

Sound gemm(const std::string& name, const std::string& sizes, int gpus, const std::string& precision = "fp16") {
  return {name,
          {{"w.yaml", gemm_workload(ALL, sizes + fmt::format(", tp: {}", gpus), "precision: " + precision + "\n")},
           {"p.xml", ring(gpus)}},
          {},
          8};
}

// Group sizes that no strategy was made for, down to one GPU alone.
const std::vector<Sound> COUNTS = {
    gemm("OneGpu", "m: 256, n: 256, k: 64", 1),
    gemm("TwoGpus", "m: 256, n: 256, k: 64", 2),
    gemm("ThreeGpus", "m: 256, n: 256, k: 64", 3),
    gemm("FiveGpus", "m: 256, n: 256, k: 64", 5),
    gemm("SevenGpus", "m: 256, n: 256, k: 64", 7),
    gemm("ThirteenGpus", "m: 256, n: 256, k: 64", 13),
    {"FewerThanThePlatformHas", {{"p.xml", ring(5)}}, {}, 2},
};
INSTANTIATE_TEST_SUITE_P(Counts, SoundInput, testing::ValuesIn(COUNTS), row_name<testing::TestParamInfo<Sound>>);

// fp16 is the only peak of the T3 GPU; an element has two bytes.
const std::vector<Sound> SIZES = {
    gemm("TwoBytes", "m: 1, n: 1, k: 1", 8),             // fewer bytes than chunks
    gemm("AChunkLessOne", "m: 1, n: 7, k: 1", 8),        // 14 bytes in 8 chunks
    gemm("Bytes65536", "m: 128, n: 256, k: 64", 4),      // 128 x 256 x 2
    gemm("BelowTwoTo31", "m: 21483, n: 49981, k: 1", 2), // 2147483646 = 2^31 - 2
    gemm("TwoTo31", "m: 32768, n: 32768, k: 1", 2),      // 2^15 x 2^15 x 2
    gemm("AboveTwoTo32", "m: 46341, n: 46341, k: 1", 2), // 4294976562: beyond 32 bits
    {"BlockLargerThanTheMessage", {}, {"--strategy", "t3:block=1048576", "--strategy", "t3-mca:block=1"}, 2},
};
INSTANTIATE_TEST_SUITE_P(Sizes, SoundInput, testing::ValuesIn(SIZES), row_name<testing::TestParamInfo<Sound>>);

std::string crlf(const std::string& text) {
  std::string result;
  for (const char c : text)
    result += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return result;
}

const std::string BYTE_ORDER_MARK = "\xEF\xBB\xBF";

// A cluster of racks of nodes of GPUs: three levels of zones, each with a link of its own.
const std::string THREE_LEVELS =
    "<platform version='4.1'><zone id='cluster' routing='Full'>\n"
    "<zone id='rack0' routing='Full'><zone id='node0' routing='Full'>" +
    gpu("a") + "</zone></zone>\n<zone id='rack1' routing='Full'><zone id='node1' routing='Full'>" + gpu("b") +
    "</zone></zone>\n<link id='l' bandwidth='1GBps' latency='1us'/>\n"
    "<zoneRoute src='rack0' dst='rack1' gw_src='a' gw_dst='b'><link_ctn id='l'/></zoneRoute>\n</zone></platform>\n";

const std::vector<Sound> FILES = {
    {"NoFinalNewline",
     {{"w.yaml", sound_workload().substr(0, sound_workload().size() - 1)},
      {"p.xml", sound_platform().substr(0, sound_platform().size() - 1)}},
     {},
     2},
    {"CarriageReturns", {{"w.yaml", crlf(sound_workload())}, {"p.xml", crlf(sound_platform())}}, {}, 2},
    {"ByteOrderMark",
     {{"w.yaml", BYTE_ORDER_MARK + sound_workload()}, {"p.xml", BYTE_ORDER_MARK + sound_platform()}},
     {},
     2},
    {"NameWithBlanksAndUmlauts", {{"mein \xC3\xBC w.yaml", sound_workload()}}, {"--seed", "7"}, 2},
    {"ZeroLatency", {{"p.xml", ring(2, "150GBps", "0")}}, {}, 2},
    {"TenSecondsOfLatency", {{"p.xml", ring(2, "150GBps", "10s")}}, {}, 2},
    {"OnePicosecond", {{"p.xml", ring(2, "150GBps", "1ps")}}, {}, 2},
    {"OneByteASecond", {{"p.xml", ring(2, "1Bps", "1us")}}, {}, 2},
    {"EndlessBandwidth", {{"p.xml", ring(2, "1YBps", "0")}}, {}, 2},
    {"ThreeLevelsOfZones", {{"p.xml", THREE_LEVELS}}, {}, 2},
    {"ForwardOnly", {{"w.yaml", sound_workload() + "layers: [prompt]\n"}}, {}, 4},
    {"SlowOneWay",
     {{"p.xml",
       platform_of(gpu("a") + gpu("b") +
                   "<link id='l' bandwidth='1GBps' latency='0'/><link id='m' bandwidth='3GBps' latency='1us'/>\n"
                   "<route src='a' dst='b' symmetrical='NO'><link_ctn id='l'/></route>\n"
                   "<route src='b' dst='a' symmetrical='NO'><link_ctn id='m'/></route>")}},
     {},
     2},
    {"SlowKernels", {}, {"--set", "device.kernel_launch=3600 s", "--set", "device.hbm_bandwidth=1.5e12 Bps"}, 2},
};
INSTANTIATE_TEST_SUITE_P(Files, SoundInput, testing::ValuesIn(FILES), row_name<testing::TestParamInfo<Sound>>);

TEST(SoundInput, SixteenThousandHostsAreReadAtOnce) {
  constexpr int HOSTS = 16384;
  std::string text;
  for (int i = 0; i < HOSTS; ++i)
    text += gpu(fmt::format("g{}", i)) + fmt::format("<link id='l{}' bandwidth='150GBps' latency='500ns'/>\n", i);
  for (int i = 0; i < HOSTS; ++i)
    text += fmt::format("<route src='g{}' dst='g{}' symmetrical='NO'><link_ctn id='l{}'/></route>\n", i,
                        (i + 1) % HOSTS, i);
  const Folder folder({{"p.xml", platform_of(text, "DijkstraCache")}, {"w.yaml", sound_workload()}});
  const auto folder_name = folder.path().string();
  const auto checked = run({.arguments = {"platform", "check", "p.xml"}, .folder = folder_name});
  EXPECT_EQ(checked.code, 0) << checked.err;
  EXPECT_THAT(checked.out, testing::HasSubstr("16384 hosts, 16384 GPUs, 16384 links"));
  EXPECT_FALSE(checked.too_long) << "about a second on an idle machine";
  const auto compared = run({.arguments = {"compare", "w.yaml"}, .folder = folder_name});
  EXPECT_EQ(compared.code, 0) << compared.err;
}

} // namespace
} // namespace tandem::app
