// What a user sees of a comparison: golden text of a small one, the compact form, and what must not be left out.
#include "report/comparison_table.h"

#include "report/fakes.h"
#include "report/scale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace tandem::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ComparisonTable, OneCase) {
  const std::string text = comparison_table(fakes::comparison({fakes::case_of({}, 0.8e-3)}));
  EXPECT_EQ(text, R"(Sub-layers (workloads/sub.yaml): 1 case

T-NLG, TP 8, OP (forward) on ring.xml
  strategy               time ms  speed-up  GEMM ms  RS ms  AG ms  exposed ms  DRAM/GPU GB  DRAM change
  ---------------------  -------  --------  -------  -----  -----  ----------  -----------  -----------
  sequential               1.000      base    0.500  0.250  0.250       0.500        1.000         base
  t3                       0.800     1.25x    0.500  0.500  0.250       0.300        0.800       -20.0%
  ideal-overlap [bound]    0.750     1.33x    0.500  0.250  0.250           -        1.000         0.0%
  limited by
  sequential             nothing overlaps: 50 % of the time is communication
  t3                     links (80 % busy)
                         tracker entries 40 of 256 at peak; memory queue limited to 10 entries (memory busy 25% of the
                         first stage)
  ideal-overlap [bound]  the longer of GEMM and RS: GEMM
  DRAM traffic per GPU, MB
  strategy               GEMM read  GEMM write  RS read  RS write  AG read  AG write
  ---------------------  ---------  ----------  -------  --------  -------  --------
  sequential                 400.0       100.0    100.0     100.0    150.0     150.0
  t3                         200.0       100.0    100.0     100.0    150.0     150.0
  ideal-overlap [bound]      400.0       100.0    100.0     100.0    150.0     150.0

Notes
  [bound]: an ideal that no machine can run, for comparison only.
  Assumed, without a source: near_memory.update_cost.
  the tracker watches blocks of 4 tiles

checks: time adds up, link bytes = message bytes x hops, nothing beats its bound (3 results)
)");
}

std::vector<std::vector<model::CaseResult>> five_cases() {
  std::vector<std::vector<model::CaseResult>> cases;
  for (const int tp : {2, 4, 8, 16, 32})
    cases.push_back(fakes::case_of({"GPT", tp, "FC-2"}, 0.8e-3));
  return cases;
}

TEST(ComparisonTable, ManyCasesShareOneTable) {
  const std::string text = comparison_table(fakes::comparison(five_cases()));
  EXPECT_THAT(text, HasSubstr(R"(Speed-up over sequential on ring.xml
  model  TP  sub-layer  phase    sequential ms     t3  ideal-overlap [bound]
  -----  --  ---------  -------  -------------  -----  ---------------------
  GPT     2  FC-2       forward          1.000  1.25x                  1.33x
  GPT     4  FC-2       forward          1.000  1.25x                  1.33x
)"));
  EXPECT_THAT(text, HasSubstr(R"(Summary over 5 cases
  strategy               cases  speed-up geomean    max    min  exposed  DRAM mean  DRAM best   GEMM reads
  ---------------------  -----  ----------------  -----  -----  -------  ---------  ---------  -----------
  sequential                 5              base   base   base      50%       base       base         base
  t3                         5             1.25x  1.25x  1.25x      38%     -20.0%     -20.0%  2.00x fewer
  ideal-overlap [bound]      5             1.33x  1.33x  1.33x        -       0.0%       0.0%         same
)"));
  EXPECT_THAT(text, HasSubstr("  t3                     5 of 5  links\n"));
}

TEST(ComparisonTable, DetailForcesBlocks) {
  ComparisonView view;
  view.detail = true;
  const std::string text = comparison_table(fakes::comparison(five_cases()), view);
  EXPECT_THAT(text, HasSubstr("GPT, TP 32, FC-2 (forward) on ring.xml\n"));
  EXPECT_THAT(text, Not(HasSubstr("limited most often by")));
  EXPECT_THAT(text, HasSubstr("Summary over 5 cases"));
}

TEST(ComparisonTable, AssumedNumbersAndNotesComeOnce) {
  const std::string text = comparison_table(fakes::comparison(five_cases()));
  for (const char* once : {"near_memory.update_cost", "the tracker watches", "[bound]:"})
    EXPECT_EQ(text.find(once), text.rfind(once)) << once;
}

TEST(ComparisonTable, TimesWhereTheBaselineWasNotRun) {
  auto cases = five_cases();
  for (auto& results : cases) {
    results.erase(results.begin());
    for (model::CaseResult& result : results)
      result.speedup = 0;
  }
  const std::string text = comparison_table(fakes::comparison(cases));
  EXPECT_THAT(text, HasSubstr("Time per case on ring.xml\n"));
  EXPECT_THAT(text, HasSubstr("t3 us  ideal-overlap [bound] us\n"));
  EXPECT_THAT(text, HasSubstr("800.0                     750.0\n"));
}

TEST(ComparisonTable, PlatformIsAColumnWhereItVariesAtOneDegree) {
  auto cases = five_cases();
  for (model::CaseResult& result : cases[3])
    result.platform = "torus.xml"; // a platform for each degree: it goes without saying
  EXPECT_THAT(comparison_table(fakes::comparison(cases)), Not(HasSubstr("torus.xml")));
  cases.push_back(fakes::case_of({"GPT", 16, "FC-2"}, 0.8e-3)); // the same degree on the other platform
  const std::string text = comparison_table(fakes::comparison(cases));
  EXPECT_THAT(text, HasSubstr("GPT    16  FC-2       forward  torus.xml"));
}

TEST(ComparisonTable, FitsItsWidthAndHasNoEscapesWithoutColour) {
  for (const std::size_t width : {105U, 120U, 140U}) {
    ComparisonView view;
    view.width = width;
    std::istringstream lines(comparison_table(fakes::two_cases(), view));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), width) << line;
      EXPECT_EQ(line.find('\x1b'), std::string::npos);
    }
  }
}

TEST(Scale, OneUnitForAColumn) {
  const Scale scale = Scale::of_seconds({0.5e-6, 12.3456e-3});
  EXPECT_EQ(scale.unit(), "ms");
  EXPECT_EQ(scale.text(12.3456e-3), "12.35");
  EXPECT_EQ(scale.text(0), "0.00");
  EXPECT_EQ(scale.text_or_dash(0), "-");
  EXPECT_EQ(Scale::of_bytes({50331648}).unit(), "MB");
  EXPECT_EQ(Scale::of_bytes({}).text(0), "0.000");
}

TEST(Scale, Changes) {
  EXPECT_EQ(change_text(0.22), "-22.0%");
  EXPECT_EQ(change_text(-0.051), "+5.1%");
  EXPECT_EQ(change_text(0.0), "0.0%");
  EXPECT_EQ(change_text(1e-5), "0.0%");
}

} // namespace
} // namespace tandem::report
