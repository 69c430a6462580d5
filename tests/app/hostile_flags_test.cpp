// Command lines that are wrong: flags, strategies, overrides, environment variables, outputs.
#include "app/hostile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::app {
namespace {

class HostileFlags : public testing::TestWithParam<Hostile> {};
TEST_P(HostileFlags, AreRefused) {
  expect_refused(GetParam());
}

Hostile command(const std::string& name, const std::vector<std::string>& words, const std::string& message) {
  return {name, {}, words, message};
}

const std::vector<Hostile> COMMANDS = {
    command("UnknownCommand", {"compar", "w.yaml"}, "unknown command 'compar' \\(did you mean 'compare'\\?\\)"),
    command("UnknownList", {"list", "strategis"}, "unknown command 'strategis' \\(did you mean 'strategies'\\?\\)"),
    command("MissingList", {"list"}, "a command is missing; allowed: strategies, codecs, devices"),
    command("MissingWorkload", {"compare"}, "WORKLOAD is missing"),
    command("TwoWorkloads", {"compare", "w.yaml", "x.yaml"}, "'x.yaml' is one argument too many"),
    command("PlatformMissing", {"platform", "check"}, "FILE is missing"),
    command("PlatformAbsent", {"platform", "check", "nope.xml"}, "nope\\.xml.*No such file"),
    command("PlatformNotXml", {"platform", "show", "w.yaml"}, "w\\.yaml:1:1: "),
    command("ListOfNothing", {"list", "devices", "--in", "nowhere"}, "nowhere: cannot be listed: No such file"),
    command("ListOfOthers", {"list", "devices", "--in", "."}, "w\\.yaml:1:1: unknown device key 'title'"),
    bad_flags("UnknownFlag", {"--strategi", "t3"}, "unknown flag '--strategi' \\(did you mean '--strategy'\\?\\)"),
    bad_flags("UnknownFlagWithValue", {"--strategi=t3"},
              "unknown flag '--strategi' \\(did you mean '--strategy'\\?\\)"),
    bad_flags("FlagTwice", {"--format", "json", "--format", "csv"}, "--format is given 2 times; allowed: once"),
    bad_flags("FlagWithoutValue", {"--jobs"}, "--jobs"),
    bad_flags("SwitchWithValue", {"--detail=3"}, "--detail takes no value"),
    bad_flags("QuietAndVerbose", {"-q", "-v"}, "--quiet excludes --verbose"),
};
INSTANTIATE_TEST_SUITE_P(Commands, HostileFlags, testing::ValuesIn(COMMANDS),
                         row_name<testing::TestParamInfo<Hostile>>);

const std::vector<Hostile> VALUES = {
    bad_flags("UnknownFormat", {"--format", "jsn"}, "--format: unknown format 'jsn' \\(did you mean 'json'\\?\\)"),
    bad_flags("JobsNegative", {"-j", "-1"}, "--jobs: '-1' is not a whole number"),
    bad_flags("JobsMany", {"-j", "4097"}, "--jobs: '4097' is out of range; allowed: whole numbers from 0 to 4096"),
    bad_flags("JobsWords", {"-j", "two"}, "--jobs: 'two' is not a whole number"),
    bad_flags("JobsEmpty", {"-j", ""}, "--jobs: '' is not a whole number"),
    bad_flags("SeedNegative", {"--seed", "-1"}, "--seed: '-1' is not a whole number"),
    bad_flags("SeedHuge", {"--seed", "1e400"}, "--seed: '1e400' is not a whole number"),
    bad_flags("UnknownStrategy", {"--strategy", "t3-mac"}, "unknown strategy 't3-mac' \\(did you mean 't3-mca'\\?\\)"),
    bad_flags("EmptyStrategy", {"--strategy", ""}, "--strategy: the value is empty"),
    bad_flags("StrategyTwice", {"--strategy", "t3", "--strategy", "t3"}, "strategy t3 is given twice"),
    bad_flags("UnknownParameter", {"--strategy", "t3:blok=3"},
              "unknown parameter 'blok' \\(did you mean 'block'\\?\\)"),
    bad_flags("ParameterTwice", {"--strategy", "t3:block=1:block=2"}, "parameter block is given twice"),
    bad_flags("ParameterWithoutValue", {"--strategy", "t3:block"}, "'block' is not key=value"),
    bad_flags("ParameterNegative", {"--strategy", "t3:block=-1"}, "block: '-1' is not a whole number"),
    bad_flags("ParameterWord", {"--strategy", "t3:algorithm=rng"}, "'rng' \\(did you mean 'ring'\\?\\)"),
    bad_flags("OnlyWithoutValue", {"--only", "tp"}, "--only: 'tp' is not key=value"),
    bad_flags("OnlyUnknownKey", {"--only", "subleyer=OP"}, "'subleyer' \\(did you mean 'sublayer'\\?\\)"),
    bad_flags("OnlyUnknownValue", {"--only", "tp=8"}, "w\\.yaml: unknown value of --only tp '8'; allowed: 2"),
    bad_flags("OnlyTwice", {"--only", "tp=2", "--only", "tp=2"}, "--only: tp is given twice"),
    bad_flags("PlatformEmpty", {"--platform", ""}, "--platform: the value is empty"),
    {"TimelineOfManyCases",
     {{"w.yaml", gemm_workload("t3", "m: 1, n: 1, k: 1, tp: [1, 2]")}},
     {"--timeline", "t.json"},
     "a timeline shows one case; 2 are selected: .*--only"},
};
INSTANTIATE_TEST_SUITE_P(Values, HostileFlags, testing::ValuesIn(VALUES), row_name<testing::TestParamInfo<Hostile>>);

Hostile bad_set(const std::string& name, const std::string& assignment, const std::string& message) {
  return bad_flags(name, {"--set", assignment}, message);
}

const std::vector<Hostile> SETTINGS = {
    bad_set("WithoutValue", "device.sms", "--set: 'device.sms' is not key=value"),
    bad_set("UnknownKey", "device.hbm_bandwith=1TBps", "--set: unknown key .*did you mean 'device.hbm_bandwidth'"),
    bad_set("UnknownGroup", "devise.sms=1", "--set: unknown key 'devise.sms' \\(did you mean 'device.sms'\\?\\)"),
    bad_set("NotANumber", "device.hbm_bandwidth=nanGBps", "device.hbm_bandwidth: .*finite"),
    bad_set("Infinite", "device.hbm_bandwidth=inf", "device.hbm_bandwidth: .*finite"),
    bad_set("Negative", "device.hbm_bandwidth=-1GBps", "device.hbm_bandwidth: .*minus"),
    bad_set("NegativeZero", "device.kernel_launch=-0us", "device.kernel_launch: .*minus"),
    bad_set("BeyondDouble", "device.hbm_bandwidth=1e400GBps", "device.hbm_bandwidth: .*range"),
    bad_set("Empty", "device.hbm_bandwidth=", "device.hbm_bandwidth: .*empty"),
    bad_set("NoUnit", "device.hbm_bandwidth=1000", "device.hbm_bandwidth: .*no unit; allowed: "),
    bad_set("BitsOrBytes", "device.hbm_bandwidth=1000G", "device.hbm_bandwidth: .*does not say bits or bytes"),
    bad_set("SizeAsBandwidth", "device.hbm_bandwidth=1000GB", "device.hbm_bandwidth: .*did you mean 'GBps'"),
    bad_set("Thousands", "device.hbm_bandwidth=1,000GBps", "device.hbm_bandwidth: .*comma"),
    bad_set("DecimalComma", "device.gemm_efficiency=0,9", "device.gemm_efficiency: .*comma"),
    bad_set("Hexadecimal", "device.hbm_bandwidth=0x10GBps", "device.hbm_bandwidth: .*hexadecimal"),
    bad_set("Zero", "device.hbm_bandwidth=0GBps", "device.hbm_bandwidth: .*above 0"),
    bad_flags("Twice", {"--set", "device.sms=1", "--set", "device.sms=2"}, "--set: device.sms is given twice"),
};
INSTANTIATE_TEST_SUITE_P(Settings, HostileFlags, testing::ValuesIn(SETTINGS),
                         row_name<testing::TestParamInfo<Hostile>>);

const std::vector<Hostile> OUTPUTS = {
    bad_flags("OutputInNowhere", {"-o", "nowhere/out.json"}, "nowhere/out\\.json: cannot be written: No such file"),
    bad_flags("OutputIsAFolder", {"-o", "."}, "\\.: is a folder"),
    bad_flags("OutputIsTheWorkload", {"-o", "./w.yaml"}, "WORKLOAD and --output are the same file"),
    bad_flags("OutputIsEmpty", {"-o", ""}, "--output: the value is empty"),
    bad_flags("OutputOnAFullDisk", {"-o", "/dev/full"}, "/dev/full: cannot be written to its end: No space left"),
    bad_flags("TimelineIsTheOutput", {"--timeline", "out.json"}, "--output and --timeline are the same file"),
    bad_flags("TimelineOnAFullDisk", {"--timeline", "/dev/full"}, "/dev/full: cannot be written to its end"),
    bad_flags("StatsInNowhere", {"--stats", "nowhere/s.json"}, "nowhere/s\\.json: cannot be written"),
};
INSTANTIATE_TEST_SUITE_P(Outputs, HostileFlags, testing::ValuesIn(OUTPUTS), row_name<testing::TestParamInfo<Hostile>>);

const std::vector<Hostile> INFEASIBLE = {
    {"T3WithoutNearMemory",
     {},
     {"--strategy", "t3", "--set", "device.near_memory.available=false"},
     "strategy t3 cannot do OP: device t3-gpu has no near-memory reduction",
     1},
    {"NoSmsLeftForTheGemm",
     {},
     {"--strategy", "concurrent:sms=80"},
     "strategy concurrent:sms=80 cannot do OP: .*80",
     1},
    {"NoCopyEngine",
     {},
     {"--strategy", "decomposed:mover=ce", "--set", "device.copy_engines=0"},
     "strategy decomposed:mover=ce cannot do OP: device t3-gpu has no copy engine",
     1},
};
INSTANTIATE_TEST_SUITE_P(Infeasible, HostileFlags, testing::ValuesIn(INFEASIBLE),
                         row_name<testing::TestParamInfo<Hostile>>);

/// A reader of units knows what is wrong with a word, not which flag it is of.
TEST(TrainFlags, AnErrorBeginsWithItsFlag) {
  struct Bad {
    std::vector<std::string> words;
    std::string message;
  };
  for (const auto& [words, message] : std::vector<Bad>{
           {{"--bucket", "1Q"}, "--bucket: '1Q' is not a size"},
           {{"--stage-layers", "1,x"}, "--stage-layers: 'x' is not a whole number"},
           {{"--timeline", "t.json", "--timeline-ranks", "x"}, "--timeline-ranks: 'x' is not a whole number"},
           {{"--order", "tp-xp"}, "--order: rank order 'tp-xp'"},
           {{"--strategy", "tp="}, "--strategy: 'tp=' names no strategy"},
           {{"--strategy", "dp=rign"}, "--strategy: unknown strategy 'rign' (did you mean 'ring'?)"},
           {{"--input-time", "3Q"}, "--input-time: '3Q' is not a time"},
           {{"--max-time", "3Q"}, "--max-time: '3Q' is not a time"},
           {{"--recompute", "foo"}, "--recompute: unknown value 'foo'; allowed: none, selective, full"},
       }) {
    std::vector<std::string> all{
        "train", "--model", "gpt-7.5b", "--tp", "8", "--platform", repository("platforms/dgx-h100.xml")};
    all.insert(all.end(), words.begin(), words.end());
    const auto outcome = run({.arguments = all});
    EXPECT_EQ(outcome.code, 2) << message;
    EXPECT_TRUE(outcome.err.starts_with("error: " + message)) << outcome.err;
  }
  const auto outcome = run({.arguments = {"train", "--layers", "2", "--hidden", "1024", "--heads", "16", "--platform",
                                          repository("platforms/dgx-h100.xml")}});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(outcome.err.starts_with("error: --seq is needed: ")) << outcome.err;
}

} // namespace
} // namespace tandem::app
