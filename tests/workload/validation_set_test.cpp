// Sets of measured iterations: columns become flags, and what is no measurement is refused with its place.
#include "workload/validation_set.h"

#include "base/error.h"
#include "model/validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::workload {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const char* const SET = "title: Some GPTs\nsource: a paper\ntable: some.csv\nplatform: ../box.xml\n"
                        "flags: --seq=2048 --dropout\nmape: 8\nworst: 15\n";

std::string message_of(const std::string& text, const std::string& table) {
  try {
    (void)parse_validation_set(text, table, "sets/some.yaml");
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ValidationSet, ColumnsBecomeFlagsAndEmptyFieldsNone) {
  const auto set = parse_validation_set(
      SET, "row,tp,vpp,measured_s,source\nsmall,1,,0.5,table 1\nlarge,8,2,2,\"table 1, last\"\n", "sets/some.yaml");
  EXPECT_EQ(set.name, "some");
  EXPECT_EQ(set.table, "sets/some.csv");
  EXPECT_DOUBLE_EQ(set.most_mape, 0.08);
  ASSERT_EQ(set.rows.size(), 2U);
  EXPECT_THAT(set.rows[0].flags, ElementsAre("--seq=2048", "--dropout", "--platform=box.xml", "--tp=1"));
  EXPECT_THAT(set.rows[1].flags, ElementsAre("--seq=2048", "--dropout", "--platform=box.xml", "--tp=8", "--vpp=2"));
  EXPECT_EQ(set.rows[1].source, "table 1, last");
  EXPECT_EQ(set.rows[1].line, 3);
  EXPECT_DOUBLE_EQ(set.rows[1].measured_s, 2.0);
}

TEST(ValidationSet, AFieldOfSetHoldsSeveralValues) {
  const auto set = parse_validation_set(SET, "row,set,measured_s,source\nsmall,a=1 b=2,0.5,here\n", "sets/some.yaml");
  EXPECT_THAT(set.rows[0].flags, testing::IsSupersetOf({"--set=a=1", "--set=b=2"}));
}

TEST(ValidationSet, RefusesWhatIsNoMeasurement) {
  EXPECT_THAT(message_of(SET, "row,tp,source\nsmall,1,here\n"), HasSubstr("sets/some.csv:1: no column 'measured_s'"));
  EXPECT_THAT(message_of(SET, "row,measured_s,source\nsmall,0,here\n"), HasSubstr("sets/some.csv:2: measured_s: '0'"));
  EXPECT_THAT(message_of(SET, "row,measured_s,source\nsmall,fast,here\n"), HasSubstr("sets/some.csv:2: measured_s"));
  EXPECT_THAT(message_of(SET, "row,measured_s,source\nsmall,1\n"), HasSubstr("2 fields, and the header has 3"));
  EXPECT_THAT(message_of(SET, "row,measured_s,source\n"), HasSubstr("has no rows"));
  EXPECT_THAT(message_of(std::string(SET) + "tolerance: 3\n", "row,measured_s,source\nsmall,1,here\n"),
              HasSubstr("unknown key 'tolerance'"));
}

TEST(ValidationSet, OneRowMayBeNotModelledAndNameItsPlatform) {
  const auto set = parse_validation_set("title: Some\nsource: a paper\ntable: some.csv\nmape: 8\n",
                                        "row,group,work,platform,measured_s,not_modelled,source\n"
                                        "one,a,2,../box.xml,0.5,,here\n"
                                        "two,a,,,,its batch is not published,here\n",
                                        "sets/some.yaml");
  ASSERT_EQ(set.rows.size(), 2U);
  EXPECT_THAT(set.rows[0].flags, ElementsAre("--platform=box.xml"));
  EXPECT_EQ(set.rows[0].group, "a");
  EXPECT_DOUBLE_EQ(set.rows[0].work, 2.0);
  EXPECT_EQ(set.rows[1].not_modelled, "its batch is not published");
  EXPECT_DOUBLE_EQ(set.rows[1].measured_s, 0.0);
  EXPECT_THAT(message_of("title: Some\nsource: a paper\ntable: some.csv\n", "row,measured_s,source\nsmall,1,here\n"),
              HasSubstr("has no tolerance"));
}

model::MeasuredIteration measured(const std::string& group, double seconds, double work = 1.0) {
  model::MeasuredIteration row;
  row.group = group;
  row.measured_s = seconds;
  row.work = work;
  return row;
}

// Errors +10 % and -30 %: their mean size is 20 %, the bias -10 %, the worst -30 %.
TEST(ValidationSet, ErrorsOfRowsAreSummed) {
  model::ValidationSet set;
  set.rows = {measured("", 10), measured("", 10), measured("", 10)};
  set.rows[2].not_modelled = "no reason";
  auto result = model::compared(set, {11, 7, 0});
  EXPECT_EQ(result.errors().rows, 2);
  EXPECT_EQ(result.not_modelled(), 1);
  EXPECT_NEAR(result.errors().mape, 0.2, 1e-12);
  EXPECT_NEAR(result.errors().bias, -0.1, 1e-12);
  EXPECT_NEAR(result.errors().worst, -0.3, 1e-12);
  result.set.most_mape = 0.25;
  result.set.most_error = 0.31;
  EXPECT_TRUE(result.is_within_tolerance());
  result.set.most_error = 0.29; // the mean is within, a row is not
  EXPECT_FALSE(result.is_within_tolerance());
}

// Measured 10 -> 6 s is a ratio of 0.6, predicted 5 -> 3.3 s of 0.66: 10 % above, whatever the times.
TEST(ValidationSet, ScalingIsHeldAgainstTheFirstRowOfTheGroup) {
  model::ValidationSet set;
  set.criterion = model::Criterion::SCALING;
  set.most_error = 0.11;
  set.rows = {measured("a", 10), measured("a", 6), measured("b", 1)};
  auto result = model::compared(set, {5, 3.3, 7});
  EXPECT_EQ(result.errors().rows, 1);
  EXPECT_NEAR(result.rows[1].error, 0.1, 1e-12);
  EXPECT_FALSE(result.rows[0].is_compared);
  EXPECT_TRUE(result.is_within_tolerance());
}

// Rates 4/2 = 2, 3/1 = 3 and 1/1 = 1 in group a: b > a > c. Predicted 4/1 = 4, 3/1 = 3, 1/1 = 1: of the three pairs
// only (b, a) is the other way round, and with a tie of 34 % it is not compared (3 and 2 differ by a third of 3).
TEST(ValidationSet, OrderIsThatOfWorkPerTime) {
  model::ValidationSet set;
  set.criterion = model::Criterion::ORDER;
  set.rows = {measured("a", 2, 4), measured("a", 1, 3), measured("a", 1, 1), measured("b", 1, 100)};
  auto result = model::compared(set, {1, 1, 1, 1});
  ASSERT_EQ(result.pairs().size(), 3U);
  EXPECT_FALSE(result.pairs()[0].is_kept);
  EXPECT_TRUE(result.pairs()[1].is_kept);
  EXPECT_FALSE(result.is_within_tolerance());
  result.set.tie = 0.34;
  EXPECT_EQ(result.pairs().size(), 2U);
  EXPECT_TRUE(result.is_within_tolerance());
}

} // namespace
} // namespace tandem::workload
