// Workload files that are wrong or odd: each is refused with its place and a message that helps, or read as it should
// be.
#include "base/error.h"
#include "workload/workload_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <vector>

namespace tandem::workload {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A sound file; a case replaces one of its lines (from 1), or puts something after the end.
const std::vector<std::string> SOUND = {"title: sound",
                                        "platform: ring-{tp}.xml",
                                        "strategies: [sequential, t3]",
                                        "models:",
                                        "  - {name: a, hidden: 64, tokens: 32, tp: [2, 4], heads: 4, sequence: 16}",
                                        "sublayers: [OP, FC-1]"};

std::string with_line(int line, const std::string& text, const std::string& line_end = "\n") {
  std::string result;
  for (std::size_t i = 0; i < SOUND.size(); ++i)
    result += (static_cast<int>(i) + 1 == line ? text : SOUND[i]) + line_end;
  return result;
}

std::string model_line(const std::string& keys) {
  return "  - {name: a, " + keys + "}";
}

/// The message with which a text is refused; empty when it is read.
std::string refusal(const std::string& text) {
  try {
    (void)parse_workload(text, "w.yaml");
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "";
}

struct Hostile {
  const char* name;
  std::string text;
  const char* place;
  const char* message;
};

void PrintTo(const Hostile& hostile, std::ostream* out) {
  *out << hostile.name;
}

std::string case_name(const testing::TestParamInfo<Hostile>& hostile) {
  return hostile.param.name;
}

class HostileWorkload : public testing::TestWithParam<Hostile> {};

TEST_P(HostileWorkload, IsRefusedWithItsPlace) {
  const std::string message = refusal(GetParam().text);
  EXPECT_THAT(message, StartsWith(GetParam().place));
  EXPECT_THAT(message, HasSubstr(GetParam().message));
}

const std::vector<Hostile> FILES = {
    {"Empty", "", "w.yaml: ", "is empty"},
    {"OnlyComment", "# nothing\n", "w.yaml: ", "is empty"},
    {"Scalar", "hello\n", "w.yaml:1:1: ", "where a map of keys is expected"},
    {"List", "- a\n- b\n", "w.yaml:1:1: ", "found a list"},
    {"Truncated", "title: x\nplatform: p.xml\nstrategies: [a, b", "w.yaml:3:", "not valid YAML"},
    {"TwoDocuments", with_line(0, "") + "---\ntitle: second\n",
     "w.yaml:7:1: ", "more after the end of the YAML document"},
    {"LoneComma", ",",
     "w.yaml:1:1: ", "more after the end of the YAML document"}, // yaml-cpp's LoadAll never ends on it
    {"Tab", "title:\n\t- a\n", "w.yaml:2:", "not valid YAML"},
    {"UndefinedAlias", with_line(3, "strategies: *nowhere"), "w.yaml:3:", "not valid YAML"},
    {"DeepNesting", with_line(3, "strategies: " + std::string(100000, '[') + std::string(100000, ']')),
     "w.yaml:3:", "not valid YAML"},
    {"HugeFile", std::string(5 << 20, '#'), "w.yaml: ", "4194304 at most"},
    {"BinaryJunk", std::string("\x00\x01\xff\xfe{[\x00", 7), "w.yaml:", ""},
};
INSTANTIATE_TEST_SUITE_P(Files, HostileWorkload, testing::ValuesIn(FILES), case_name);

const std::vector<Hostile> KEYS = {
    {"UnknownKey", with_line(6, "sublayer: [OP]"),
     "w.yaml:6:1: ", "unknown key 'sublayer' (did you mean 'sublayers'?)"},
    {"UnknownModelKey", with_line(5, model_line("hiden: 64, tokens: 32, tp: 2")),
     "w.yaml:5:15: ", "(did you mean 'hidden'?)"},
    {"UnknownGemmKey", with_line(6, "gemms: [{name: g, m: 1, n: 1, k: 1, tp: 2, batch: 2}]"),
     "w.yaml:6:", "unknown key of an entry of gemms 'batch'"},
    {"MergeKey", with_line(6, "<<: {title: x}"), "w.yaml:6:1: ", "unknown key '<<'"},
    {"ListAsKey", with_line(6, "? [a, b]\n: c"), "w.yaml:6:3: ", "found a list where a key is expected"},
    {"RepeatedKey", with_line(6, "title: again"), "w.yaml:6:1: ", "key 'title' is given twice, first in line 1"},
    {"RepeatedModelKey", with_line(5, model_line("hidden: 64, hidden: 32, tokens: 32, tp: 2")),
     "w.yaml:5:27: ", "given twice"},
    {"MissingPlatform", with_line(2, ""), "w.yaml:1:1: ", "missing key 'platform'"},
    {"MissingStrategies", with_line(3, ""), "w.yaml:1:1: ", "missing key 'strategies'"},
    {"MissingHidden", with_line(5, model_line("tokens: 32, tp: 2")),
     "w.yaml:5:5: ", "missing key of an entry of models 'hidden'"},
    {"MissingTp", with_line(5, model_line("hidden: 64, tokens: 32")), "w.yaml:5:12: ", "'a' has no tp"},
    {"NothingToRun", "platform: p\nstrategies: [a]\n", "w.yaml:1:1: ", "nothing to run"},
    {"ModelsWithoutParts", with_line(6, ""), "w.yaml:5:3: ", "give sublayers, layers or both"},
    {"PartsWithoutModels",
     "platform: p\nstrategies: [a]\nsublayers: [OP]\ngemms: [{name: g, m: 1, n: 1, k: 1, tp: 2}]\n",
     "w.yaml:3:12: ", "give models"},
    {"LayersWithoutHeads", with_line(5, model_line("hidden: 64, tokens: 32, tp: 2")) + "layers: [prompt]\n",
     "w.yaml:5:5: ", "missing key 'heads'"},
};
INSTANTIATE_TEST_SUITE_P(Keys, HostileWorkload, testing::ValuesIn(KEYS), case_name);

Hostile model_case(const char* name, const std::string& keys, const char* message) {
  return {name, with_line(5, model_line(keys)), "w.yaml:5:", message};
}

const std::vector<Hostile> VALUES = {
    model_case("TpZero", "hidden: 64, tokens: 32, tp: 0", "'0' is out of range; allowed: whole numbers from 1 to 4096"),
    model_case("TpNegative", "hidden: 64, tokens: 32, tp: -2", "tp of an entry of models: '-2'"),
    model_case("TpBillion", "hidden: 64, tokens: 32, tp: 1000000000", "out of range"),
    model_case("TpExponent", "hidden: 64, tokens: 32, tp: 1e9", "'1e9'"),
    model_case("TpTwiceSame", "hidden: 64, tokens: 32, tp: [2, 4, 2]", "2 is listed twice"),
    model_case("TpEmptyList", "hidden: 64, tokens: 32, tp: []", "the list is empty"),
    model_case("TpNested", "hidden: 64, tokens: 32, tp: [[2]]", "found a list"),
    model_case("TpMap", "hidden: 64, tokens: 32, tp: {a: 2}", "found a map"),
    model_case("HiddenNotDivisible", "hidden: 65, tokens: 32, tp: 2", "hidden 65 is not divisible by tp 2"),
    model_case("HiddenZero", "hidden: 0, tokens: 32, tp: 2", "'0' is out of range"),
    model_case("HiddenHuge", "hidden: 9223372036854775808, tokens: 32, tp: 2", "out of range"),
    model_case("HiddenList", "hidden: [64], tokens: 32, tp: 2", "found a list; allowed: whole number"),
    model_case("HiddenNull", "hidden: , tokens: 32, tp: 2", "found nothing"),
    model_case("HiddenEmpty", "hidden: '', tokens: 32, tp: 2", "empty text"),
    model_case("HiddenFraction", "hidden: 64.0, tokens: 32, tp: 2", "'64.0'"),
    model_case("HiddenUnderscore", "hidden: 3_072, tokens: 32, tp: 2", "'3_072'"),
    model_case("HiddenThousands", "hidden: '1,024', tokens: 32, tp: 2", "'1,024'"),
    model_case("HiddenHexadecimal", "hidden: 0x40, tokens: 32, tp: 2", "'0x40'"),
    model_case("HiddenInfinite", "hidden: .inf, tokens: 32, tp: 2", "'.inf'"),
    model_case("HiddenUnit", "hidden: 64K, tokens: 32, tp: 2", "'64K'"),
    model_case("TokensZero", "hidden: 64, tokens: 0, tp: 2", "tokens of an entry of models: '0' is out of range"),
    model_case("TokensNan", "hidden: 64, tokens: .nan, tp: 2", "'.nan'"),
    model_case("OutputTooLarge", "hidden: 1048576, tokens: 16777216, tp: 2",
               "16777216 x 1048576 elements is too large"),
    model_case("ZeroLayers", "hidden: 64, tokens: 32, tp: 2, layers: 0", "layers of an entry of models: '0'"),
    model_case("HeadsDoNotDivide", "hidden: 64, tokens: 32, tp: 2, heads: 3", "hidden 64 is not divisible by heads 3"),
    model_case("SequenceDoesNotDivide", "hidden: 64, tokens: 32, tp: 2, sequence: 24",
               "tokens 32 is not divisible by sequence 24"),
    model_case("SequenceTooLong", "hidden: 64, tokens: 32, tp: 2, sequence: 64",
               "tokens 32 is not divisible by sequence 64"),
    {"ModelsIsMap", with_line(5, "  {name: a, hidden: 64, tokens: 32, tp: 2}"),
     "w.yaml:5:3: ", "found a map; allowed: list of models"},
    {"ModelIsText", with_line(5, "  - a"), "w.yaml:5:5: ", "found 'a' where a map of keys is expected"},
    {"ModelTwice", with_line(5, SOUND[4] + "\n" + SOUND[4]), "w.yaml:6:12: ", "the name 'a' is given twice"},
    {"UnknownSublayer", with_line(6, "sublayers: [OP, FC2]"),
     "w.yaml:6:17: ", "(did you mean 'FC-2'?); allowed: OP, FC-2, FC-1, IP"},
    {"SublayersText", with_line(6, "sublayers: OP"), "w.yaml:6:12: ", "found 'OP'; allowed: list of words"},
    {"SublayerTwice", with_line(6, "sublayers: [OP, OP]"), "w.yaml:6:17: ", "'OP' is listed twice"},
    {"UnknownLayer", with_line(6, "layers: [train]"), "w.yaml:6:10: ", "unknown word for layers 'train'"},
    {"StrategiesText", with_line(3, "strategies: t3"), "w.yaml:3:13: ", "allowed: list of strategies"},
    {"StrategiesEmpty", with_line(3, "strategies: []"), "w.yaml:3:13: ", "the list is empty"},
    {"StrategyTwice", with_line(3, "strategies: [t3, t3]"), "w.yaml:3:18: ", "listed twice"},
    {"TitleNull", with_line(1, "title:"), "w.yaml:1:1: ", "found nothing"},
    {"PlatformList", with_line(2, "platform: [a]"), "w.yaml:2:11: ", "found a list; allowed: path"},
    {"PlatformNestedBrace", with_line(2, "platform: \"{{tp}tp}.xml\""), "w.yaml:2:11: ", "does not belong to {tp}"},
    {"PlatformLong", with_line(2, "platform: " + std::string(4097, 'x')), "w.yaml:2:11: ", "4096 at most"},
    {"PlatformBrace", with_line(2, "platform: ring-{nodes}.xml"), "w.yaml:2:11: ", "does not belong to {tp}"},
    {"UnknownPrecision", with_line(1, "precision: half"), "w.yaml:1:12: ", "allowed: fp32, tf32, bf16, fp16, fp8"},
    {"GemmCollective",
     with_line(6, "gemms: [{name: g, m: 1, n: 1, k: 1, tp: 2, collective: all-gathr}]\nlayers: [prompt]"),
     "w.yaml:6:56: ", "allowed: all-reduce, reduce-scatter, all-to-all, all-gather, none"},
    {"GemmZero", with_line(6, "gemms: [{name: g, m: 0, n: 1, k: 1, tp: 2}]\nlayers: [prompt]"),
     "w.yaml:6:22: ", "'0' is out of range"},
    {"GemmTooLarge", with_line(6, "gemms: [{name: g, m: 16777216, n: 16777216, k: 1, tp: 2}]\nlayers: [prompt]"),
     "w.yaml:6:", "too large"},
};
INSTANTIATE_TEST_SUITE_P(Values, HostileWorkload, testing::ValuesIn(VALUES), case_name);

TEST(HostileWorkload, AliasBombIsRefusedQuickly) {
  // 9^9 scalars if anyone unfolded it.
  std::string text = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c <= 'i'; ++c) {
    text +=
        fmt::format("{0}: &{0} [*{1}, *{1}, *{1}, *{1}, *{1}, *{1}, *{1}, *{1}, *{1}]\n", c, static_cast<char>(c - 1));
  }
  EXPECT_THAT(refusal(text), StartsWith("w.yaml:1:1: unknown key 'a'"));
}

TEST(HostileWorkload, ListThatHoldsItselfIsRefused) {
  EXPECT_THAT(refusal(with_line(3, "strategies: &s [*s]")), HasSubstr("found a list"));
}

TEST(HostileWorkload, MissingFileNamesThePath) {
  try {
    (void)read_workload("no/such/file.yaml");
    FAIL() << "a missing file was read";
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no/such/file.yaml"));
  }
}

TEST(HostileWorkload, FolderIsRefused) {
  EXPECT_THROW((void)read_workload(TANDEM_SOURCE_DIR), base::UserError);
}

TEST(OddWorkload, SoundFileReads) {
  EXPECT_EQ(refusal(with_line(0, "")), "");
}

TEST(OddWorkload, WindowsLineEndsBomAndNoLastNewlineMakeNoDifference) {
  const model::Workload plain = parse_workload(with_line(0, ""), "w.yaml");
  std::string no_newline = with_line(0, "");
  no_newline.pop_back();
  for (const std::string& text : {with_line(0, "", "\r\n"), "\xEF\xBB\xBF" + with_line(0, ""), no_newline}) {
    const model::Workload odd = parse_workload(text, "w.yaml");
    EXPECT_EQ(odd.title, plain.title);
    EXPECT_EQ(odd.strategies, plain.strategies);
    ASSERT_EQ(odd.cases.size(), 4U);
    EXPECT_EQ(odd.cases[3].sublayer, "FC-1");
    EXPECT_EQ(odd.cases[3].platform, plain.cases[3].platform);
  }
}

TEST(OddWorkload, AnchorsAreAllowed) {
  const model::Workload workload = parse_workload("platform: p.xml\nstrategies: [a]\nsublayers: [OP]\nmodels:\n"
                                                  "  - {name: a, hidden: &h 64, tokens: 32, tp: &t [1, 2]}\n"
                                                  "  - {name: b, hidden: *h, tokens: 32, tp: *t}\n",
                                                  "w.yaml");
  ASSERT_EQ(workload.cases.size(), 4U);
  EXPECT_EQ(workload.cases[3].tp, 2);
  EXPECT_EQ(workload.cases[3].items[0].gemm->n, 64);
}

TEST(OddWorkload, DefaultsAreTheTables) {
  const model::Workload workload = parse_workload(
      "platform: /x/p.xml\nstrategies: [t3:block=2]\ntp: 2\ngemms: [{name: g, m: 3, n: 5, k: 7}]\n", "dir/named.yaml");
  EXPECT_EQ(workload.title, "named");
  EXPECT_EQ(workload.baseline, "sequential");
  EXPECT_EQ(workload.strategies, std::vector<std::string>{"t3:block=2"});
  ASSERT_EQ(workload.cases.size(), 1U);
  EXPECT_EQ(workload.cases[0].platform, "/x/p.xml"); // an absolute path stays
  EXPECT_EQ(workload.cases[0].model, "custom");
  EXPECT_EQ(workload.cases[0].sublayer, "g");
  EXPECT_EQ(workload.cases[0].where.text(), "dir/named.yaml:4:16");
  EXPECT_EQ(workload.cases[0].items[0].collective, model::CollectiveKind::ALL_REDUCE);
  EXPECT_EQ(workload.cases[0].items[0].gemm->precision, "fp16");
}

TEST(OddWorkload, GemmWithoutCollective) {
  const model::Workload workload = parse_workload(
      "platform: p\nstrategies: [a]\ngemms: [{name: g, m: 3, n: 5, k: 7, tp: [1, 3], collective: none}]\n", "w.yaml");
  ASSERT_EQ(workload.cases.size(), 2U);
  EXPECT_FALSE(workload.cases[1].items[0].collective.has_value());
  EXPECT_EQ(workload.cases[1].tp, 3);
}

TEST(OddWorkload, StrategyNamesAreLeftToWhoKnowsThem) {
  EXPECT_EQ(refusal(with_line(3, "strategies: [no-such-strategy]")), "");
}

TEST(WorkloadKeys, EveryKeyIsExplainedOnce) {
  std::vector<std::string> seen;
  for (const KeyInfo& key : workload_keys()) {
    EXPECT_FALSE(key.type.empty()) << key.name;
    EXPECT_FALSE(key.help.empty()) << key.name;
    seen.push_back(key.level + "." + key.name);
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

} // namespace
} // namespace tandem::workload
