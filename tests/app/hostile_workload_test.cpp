// Counts, sizes and workload files that are wrong, as a user meets the refusal. The readers' own tests go deeper.
#include "app/hostile.h"

#include <gtest/gtest.h>

namespace tandem::app {
namespace {

class HostileWorkload : public testing::TestWithParam<Hostile> {};
TEST_P(HostileWorkload, IsRefused) {
  expect_refused(GetParam());
}

std::string model(const std::string& keys) {
  return "platform: p.xml\nstrategies: [sequential]\nmodels:\n  - {name: a, " + keys + "}\nsublayers: [OP]\n";
}

Hostile bad_model(const std::string& name, const std::string& keys, const std::string& message) {
  return bad_workload(name, model(keys), "w\\.yaml:4:" + message);
}

const std::vector<Hostile> COUNTS = {
    bad_model("NoLayers", "hidden: 64, tokens: 32, tp: 2, layers: 0", "[0-9]+: layers .*'0' is out of range; allowed"),
    bad_model("NoTokens", "hidden: 64, tokens: 0, tp: 2", "[0-9]+: tokens .*'0' is out of range"),
    bad_model("TpZero", "hidden: 64, tokens: 32, tp: 0", "[0-9]+: tp .*'0' is out of range"),
    bad_model("TpEmpty", "hidden: 64, tokens: 32, tp: []", "[0-9]+: tp .*the list is empty"),
    bad_model("TpTwice", "hidden: 64, tokens: 32, tp: [2, 2]", "[0-9]+: tp .*2 is listed twice"),
    bad_model("TpDoesNotDivide", "hidden: 64, tokens: 32, tp: 7", "[0-9]+: hidden 64 is not divisible by tp 7"),
    bad_model("TpNeedsMoreGpus", "hidden: 64, tokens: 32, tp: 4", "[0-9]+: tp 4 needs 4 GPUs; p\\.xml has 2"),
    bad_model("TokensDoNotDivide", "hidden: 64, tokens: 33, tp: 2, sequence: 16",
              "[0-9]+: tokens 33 is not divisible by sequence 16"),
    {"ThirtyTwoRanksOnOneGpu",
     {{"w.yaml", model("hidden: 64, tokens: 32, tp: 32")}, {"p.xml", ring(1)}},
     {},
     "w\\.yaml:4:[0-9]+: tp 32 needs 32 GPUs; p\\.xml has 1"},
    bad_workload("NothingToRun", "platform: p.xml\nstrategies: [t3]\n", "w\\.yaml:1:1: nothing to run"),
    bad_workload("NoStrategy", "platform: p.xml\nstrategies: []\ngemms: [{name: g, m: 1, n: 1, k: 1, tp: 2}]\n",
                 "w\\.yaml:2:13: strategies: the list is empty"),
    bad_workload("StrategyTwice", gemm_workload("t3, t3", "m: 1, n: 1, k: 1, tp: 2"), "w\\.yaml:2:.*listed twice"),
};
INSTANTIATE_TEST_SUITE_P(Counts, HostileWorkload, testing::ValuesIn(COUNTS), row_name<testing::TestParamInfo<Hostile>>);

Hostile bad_gemm(const std::string& name, const std::string& gemm, const std::string& message) {
  return bad_workload(name, gemm_workload("sequential", gemm), "w\\.yaml:3:[0-9]+: " + message);
}

const std::vector<Hostile> SIZES = {
    bad_gemm("EmptyOutput", "m: 0, n: 1, k: 1, tp: 2", "m .*'0' is out of range; allowed: whole numbers from 1 to"),
    bad_gemm("TooLargeOutput", "m: 1048576, n: 1048576, k: 1, tp: 2", "an output of 1048576 x 1048576 elements"),
    bad_gemm("BeyondInt", "m: 2147483648, n: 1, k: 1, tp: 2", "m .*'2147483648' is out of range"),
    bad_gemm("BeyondLong", "m: 9223372036854775808, n: 1, k: 1, tp: 2", "m .*out of range"),
    bad_gemm("NotANumber", "m: NaN, n: 1, k: 1, tp: 2", "m .*'NaN' is not a whole number"),
    bad_gemm("Infinite", "m: .inf, n: 1, k: 1, tp: 2", "m .*'.inf' is not a whole number"),
    bad_gemm("Negative", "m: -1, n: 1, k: 1, tp: 2", "m .*'-1' is not a whole number"),
    bad_gemm("NegativeZero", "m: -0, n: 1, k: 1, tp: 2", "m .*'-0' is not a whole number"),
    bad_gemm("Fraction", "m: 1.5, n: 1, k: 1, tp: 2", "m .*'1.5' is not a whole number"),
    bad_gemm("Exponent", "m: 1e3, n: 1, k: 1, tp: 2", "m .*'1e3' is not a whole number"),
    bad_gemm("Hexadecimal", "m: 0x10, n: 1, k: 1, tp: 2", "m .*'0x10' is not a whole number"),
    bad_gemm("Thousands", "m: \"1,024\", n: 1, k: 1, tp: 2", "m .*'1,024' is not a whole number"),
    bad_gemm("EmptyText", "m: \"\", n: 1, k: 1, tp: 2", "m .*empty"),
    bad_gemm("WithUnit", "m: 1K, n: 1, k: 1, tp: 2", "m .*'1K' is not a whole number"),
};
INSTANTIATE_TEST_SUITE_P(Sizes, HostileWorkload, testing::ValuesIn(SIZES), row_name<testing::TestParamInfo<Hostile>>);

const std::vector<Hostile> FILES = {
    bad_workload("Empty", "", "w\\.yaml: .*empty"),
    bad_workload("Truncated", "title: x\nplatform: p.xml\nstrategies: [t3", "w\\.yaml:[34].*not valid YAML"),
    bad_workload("UnknownKey", sound_workload() + "stratgies: [t3]\n",
                 "w\\.yaml:7:1: unknown key 'stratgies' \\(did you mean 'strategies'\\?\\)"),
    bad_workload("UnknownSublayer",
                 "platform: p.xml\nstrategies: [t3]\nmodels: [{name: a, hidden: 8, tokens: 8, tp: 2}]\n"
                 "sublayers: [FC2]\n",
                 "w\\.yaml:4:13: .*'FC2' \\(did you mean 'FC-2'\\?\\); allowed: OP, FC-2, FC-1, IP"),
    bad_workload("UnknownCollective", gemm_workload("t3", "m: 1, n: 1, k: 1, tp: 2, collective: allreduce"),
                 "w\\.yaml:3:.*'allreduce' \\(did you mean 'all-reduce'\\?\\)"),
    bad_workload("UnknownPrecision", gemm_workload("t3", "m: 1, n: 1, k: 1, tp: 2", "precision: fp61\n"),
                 "w\\.yaml:4:12: .*'fp61' \\(did you mean 'fp16'\\?\\)"),
    bad_workload("UnknownStrategy", gemm_workload("t4", "m: 1, n: 1, k: 1, tp: 2"),
                 "w\\.yaml:2:13: strategies: unknown strategy 't4'.*allowed: "),
    bad_workload("PrecisionWithoutPeak", gemm_workload("sequential", "m: 1, n: 1, k: 1, tp: 2", "precision: fp8\n"),
                 "fp8"),
    bad_workload("UnknownBaseline", sound_workload() + "baseline: sequentail\n",
                 "w\\.yaml:7:11: baseline: unknown strategy 'sequentail' \\(did you mean 'sequential'\\?\\)"),
    bad_workload("NoSuchPlatform",
                 "platform: nope.xml\nstrategies: [t3]\ngemms: [{name: g, m: 1, n: 1, k: 1, tp: 2}]\n",
                 "nope\\.xml.*No such file"),
    {"NoSuchWorkload", {}, {"compare", "nope.yaml"}, "nope\\.yaml.*No such file"},
    {"FolderAsWorkload", {}, {"compare", "."}, "'\\.': it is a directory"},
    {"EndlessWorkload", {}, {"compare", "/dev/zero"}, "/dev/zero: is too large"},
    {"EndlessPlatform", {}, {"--platform", "/dev/zero"}, "/dev/zero: is too large"},
    {"PlatformAsWorkload", {}, {"compare", "p.xml"}, "p\\.xml:"},
};
INSTANTIATE_TEST_SUITE_P(Files, HostileWorkload, testing::ValuesIn(FILES), row_name<testing::TestParamInfo<Hostile>>);

} // namespace
} // namespace tandem::app
