// A comparison is the same whatever the number of processes; selections and their errors; answers that cross the
// process border.
#include "study/compare.h"

#include "base/error.h"
#include "report/json.h"
#include "study/result_wire.h"
#include "study/simulate.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::study {
namespace {

const std::string TWO_CASES = R"(
title: two
platform: ../platforms/t3-ring-4.xml
strategies: [sequential, ideal-overlap, concurrent, decomposed, tile-fused, t3, t3-mca]
tp: 4
models:
  - {name: tiny, hidden: 1024, layers: 2, heads: 8, sequence: 512, tokens: 2048}
sublayers: [OP, FC-1]
)";

TEST(Compare, GivesTheSameBytesForAnyNumberOfProcesses) {
  auto workload = workload_of(TWO_CASES);
  workload.file.clear(); // it is no file that could be digested
  std::vector<std::string> texts;
  for (const int jobs : {1, 2, 5, 1}) {
    CompareOptions options;
    options.jobs = jobs;
    texts.push_back(report::comparison_json(compare(workload, options)));
  }
  EXPECT_GT(texts[0].size(), 5000u);
  for (const auto& text : texts)
    EXPECT_EQ(text, texts[0]);
}

TEST(Compare, RelatesToTheBaseline) {
  auto workload = workload_of(TWO_CASES);
  workload.file.clear();
  CompareOptions options;
  options.strategies = {"t3", "sequential"};
  const auto both = compare(workload, options);
  ASSERT_EQ(both.cases.size(), 4u);
  for (std::size_t first = 0; first < 4; first += 2) {
    EXPECT_EQ(both.cases[first].strategy, "t3");
    EXPECT_DOUBLE_EQ(both.cases[first].speedup, both.cases[first + 1].time_s / both.cases[first].time_s);
    EXPECT_EQ(both.cases[first + 1].speedup, 1.0);
    EXPECT_FALSE(both.cases[first].limit.empty());
  }
  options.strategies = {"t3"};
  EXPECT_EQ(compare(workload, options).cases.front().speedup, 0.0); // no baseline, no speed-up
}

TEST(Compare, KeepsTheCasesThatAreAskedFor) {
  auto workload = workload_of(TWO_CASES);
  workload.file.clear();
  CompareOptions options;
  options.strategies = {"sequential"};
  options.only = {{"sublayer", "FC-1"}, {"tp", "4"}};
  const auto comparison = compare(workload, options);
  ASSERT_EQ(comparison.cases.size(), 1u);
  EXPECT_EQ(comparison.cases[0].sublayer, "FC-1");
}

template <class Error> std::string error_of(const CompareOptions& options) {
  auto workload = workload_of(TWO_CASES);
  workload.file = "two.yaml";
  try {
    (void)compare(workload, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no such error";
}

TEST(Compare, SaysWhatCannotBe) {
  const auto with = [](const std::function<void(CompareOptions&)>& change) {
    CompareOptions options;
    options.strategies = {"sequential"};
    change(options);
    return options;
  };
  using base::UserError;
  EXPECT_THAT(error_of<UserError>(with([](auto& options) {
                options.only = {{"sublayer", "FC-3"}};
              })),
              testing::HasSubstr("two.yaml: unknown value of --only sublayer 'FC-3' (did you mean 'FC-1'?); allowed: "
                                 "OP, FC-1"));
  EXPECT_THAT(error_of<UserError>(with([](auto& options) {
                options.only = {{"layer", "OP"}};
              })),
              testing::HasSubstr("unknown case key of --only 'layer'"));
  EXPECT_EQ(error_of<UserError>(with([](auto& options) {
              options.strategies = {"t3", "t3"};
            })),
            "strategy t3 is given twice");
  EXPECT_THAT(error_of<UserError>(with([](auto& options) {
                options.strategies = {"t3", "t5"};
              })),
              testing::HasSubstr("unknown strategy 't5'"));
  EXPECT_THAT(error_of<UserError>(with([](auto& options) { options.timeline = "/nowhere/x.json"; })),
              testing::HasSubstr("a timeline shows one case; 2 are selected"));
  EXPECT_THAT(error_of<UserError>(with([](auto& options) { options.platform = "/nowhere/{tp}.xml"; })),
              testing::HasSubstr("/nowhere/4.xml"));
  EXPECT_EQ(error_of<base::Infeasible>(with([](auto& options) { options.strategies = {"concurrent:sms=80"}; })),
            "strategy concurrent:sms=80 cannot do OP: sms=80 leaves none of the 80 SMs of t3-gpu to the GEMM");
  EXPECT_THAT(
      error_of<UserError>(with([](auto& options) { options.platform = TANDEM_SOURCE_DIR "/platforms/t3-ring-2.xml"; })),
      testing::ContainsRegex("test.yaml:7:[0-9]+: tp 4 needs 4 GPUs; .*t3-ring-2.xml has 2"));
}

TEST(ResultWire, CarriesEveryDigit) {
  Answer answer;
  answer.result.model = "a \"quoted\"\nname";
  answer.result.time_s = 0.1 + 0.2; // 0.30000000000000004
  answer.result.gemm_s = std::nextafter(1.0, 2.0);
  answer.result.dram.rs_read = 1e300;
  answer.result.assumed = {"x", ""};
  answer.result.resources = {{"tracker", 256, 300, 44}};
  answer.ranks = 3;
  answer.ops = {{1, 2, 3, 0.25, 1e-300}};
  const auto back = from_wire(to_wire(answer));
  EXPECT_EQ(back.result.model, answer.result.model);
  EXPECT_EQ(back.result.time_s, answer.result.time_s);
  EXPECT_EQ(back.result.gemm_s, answer.result.gemm_s);
  EXPECT_EQ(back.result.dram.rs_read, 1e300);
  EXPECT_EQ(back.result.assumed, answer.result.assumed);
  ASSERT_EQ(back.result.resources.size(), 1u);
  EXPECT_EQ(back.result.resources[0].spills, 44u);
  EXPECT_EQ(back.ranks, 3);
  ASSERT_EQ(back.ops.size(), 1u);
  EXPECT_EQ(back.ops[0].end_s, 1e-300);
  EXPECT_EQ(to_wire(back), to_wire(answer));
}

TEST(ResultWire, RefusesOtherText) {
  for (const auto* text : {"", "{}", "[1]", "nonsense", R"({"result": 3})"})
    EXPECT_THROW((void)from_wire(text), base::Bug) << text;
}

} // namespace
} // namespace tandem::study
