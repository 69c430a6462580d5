// The one line that says what limits a result, from made-up times.
#include "study/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::study {
namespace {

using testing::StartsWith;

/// Times in ms.
model::CaseResult result_of(double time, double gemm, double rs, double ag) {
  model::CaseResult result;
  result.time_s = time * 1e-3;
  result.gemm_s = gemm * 1e-3;
  result.rs_s = rs * 1e-3;
  result.ag_s = ag * 1e-3;
  return result;
}

const model::CaseResult ALONE = result_of(10, 5, 3, 2);

TEST(Explain, NothingOverlaps) {
  EXPECT_EQ(explain(ALONE, nullptr), "nothing overlaps: GEMM 50 %, RS 30 %, AG 20 % of the time");
}

TEST(Explain, AnIdealIsBoundByTheLongerPhase) {
  auto ideal = result_of(7, 5, 3, 2);
  ideal.ideal = true;
  EXPECT_THAT(explain(ideal, &ALONE), StartsWith("bound by the GEMM: it hides the whole RS of 3"));
  ideal = result_of(8, 3, 5, 3);
  ideal.ideal = true;
  EXPECT_THAT(explain(ideal, &ALONE), StartsWith("bound by the RS: 2"));
}

TEST(Explain, AGemmThatIsAsLongAsAloneHidesTheRs) {
  EXPECT_THAT(explain(result_of(7.05, 5.05, 5.05, 2), &ALONE), StartsWith("GEMM hides the RS"));
}

TEST(Explain, ClaimsNothingAboutAloneWhereThatWasNotRun) {
  const auto text = explain(result_of(7.05, 5.05, 5.05, 2), nullptr);
  EXPECT_THAT(text, StartsWith("bound by the GEMM"));
  EXPECT_THAT(text, testing::HasSubstr("not compared with alone"));
}

TEST(Explain, ARsThatEndsLater) {
  // the GEMM ends at 5, the RS at 6: 1 of 8 ms
  EXPECT_THAT(explain(result_of(8, 5, 6, 2), &ALONE), StartsWith("RS outlasts the GEMM: by 1"));
}

/// An all-to-all stands in the place of the RS; of a gathered input nothing is left when the GEMM ends.
TEST(Explain, CallsTheCollectiveByItsName) {
  using model::CollectiveKind;
  EXPECT_EQ(explain(result_of(10, 6, 4, 0), nullptr, CollectiveKind::ALL_TO_ALL),
            "nothing overlaps: GEMM 60 %, A2A 40 % of the time");
  EXPECT_EQ(explain(result_of(10, 6, 0, 4), nullptr, CollectiveKind::ALL_GATHER),
            "nothing overlaps: GEMM 60 %, AG 40 % of the time");
  const auto alone = result_of(7, 5, 0, 2);
  EXPECT_THAT(explain(result_of(5.05, 5.05, 0, 2), &alone, CollectiveKind::ALL_GATHER),
              StartsWith("GEMM hides the AG"));
  EXPECT_THAT(explain(result_of(6, 5, 4, 0), &ALONE, CollectiveKind::ALL_TO_ALL),
              StartsWith("A2A outlasts the GEMM: by 1"));
}

TEST(Explain, NamesTheLargestCauseOfASlowGemm) {
  auto slow = result_of(8, 6, 5.9, 2);
  auto alone = ALONE;
  alone.gemm_split = {.compute_s = 4e-3, .memory_s = 1e-3};
  slow.gemm_split = {.compute_s = 4.1e-3, .memory_s = 1.9e-3};
  EXPECT_THAT(explain(slow, &alone), StartsWith("GEMM slowed by memory contention"));
  EXPECT_THAT(explain(slow, &alone), testing::HasSubstr("+20 % against alone"));
  slow.gemm_split = {.compute_s = 4.8e-3, .memory_s = 1.2e-3};
  EXPECT_THAT(explain(slow, &alone), StartsWith("GEMM slowed by fewer SMs"));
}

} // namespace
} // namespace tandem::study
