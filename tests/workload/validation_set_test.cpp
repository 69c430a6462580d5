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

TEST(ValidationSet, RefusesWhatIsNoMeasurement) {
  EXPECT_THAT(message_of(SET, "row,tp,source\nsmall,1,here\n"), HasSubstr("sets/some.csv:1: no column 'measured_s'"));
  EXPECT_THAT(message_of(SET, "row,measured_s,source\nsmall,0,here\n"), HasSubstr("sets/some.csv:2: measured_s: '0'"));
  EXPECT_THAT(message_of(SET, "row,measured_s,source\nsmall,fast,here\n"), HasSubstr("sets/some.csv:2: measured_s"));
  EXPECT_THAT(message_of(SET, "row,measured_s,source\nsmall,1\n"), HasSubstr("2 fields, and the header has 3"));
  EXPECT_THAT(message_of(SET, "row,measured_s,source\n"), HasSubstr("has no rows"));
  EXPECT_THAT(message_of(std::string(SET) + "tolerance: 3\n", "row,measured_s,source\nsmall,1,here\n"),
              HasSubstr("unknown key 'tolerance'"));
}

// Errors +10 % and -30 %: their mean size is 20 %, the bias -10 %, the worst -30 %.
TEST(ValidationSet, ErrorsOfRowsAreSummed) {
  model::ValidationResult result;
  result.rows.resize(2);
  for (const std::size_t row : {0U, 1U})
    result.rows[row].measured.measured_s = 10;
  result.rows[0].predicted_s = 11;
  result.rows[1].predicted_s = 7;
  EXPECT_NEAR(result.errors().mape, 0.2, 1e-12);
  EXPECT_NEAR(result.errors().bias, -0.1, 1e-12);
  EXPECT_NEAR(result.errors().worst, -0.3, 1e-12);
  result.set.most_mape = 0.25;
  result.set.most_error = 0.31;
  EXPECT_TRUE(result.is_within_tolerance());
  result.set.most_error = 0.29; // the mean is within, a row is not
  EXPECT_FALSE(result.is_within_tolerance());
}

} // namespace
} // namespace tandem::workload
