// CSV of comparisons: RFC 4180 quoting, stable columns, one row per case.
#include "report/csv.h"

#include "base/error.h"
#include "report/fakes.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

namespace tandem::report {
namespace {

/// Records of RFC 4180 text, as an independent reader sees them.
std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> records;
  std::vector<std::string> record;
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      field += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == ',' || c == '\r')) {
      record.push_back(std::move(field));
      field.clear();
      if (c == '\r') {
        records.push_back(std::move(record));
        record.clear();
        ++i; // the line feed
      }
    } else {
      field += c;
    }
  }
  return records;
}

TEST(Csv, QuotesWhatNeedsIt) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"no\""), "\"say \"\"no\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_field("cr\r"), "\"cr\r\"");
}

TEST(Csv, OneRowPerCaseInputsFirst) {
  model::Comparison comparison = fakes::two_cases();
  comparison.cases[1].strategy = "t3:block=4,\"x\"";
  comparison.cases[1].notes = {"first", "second\nline"};
  const auto rows = read_csv(comparison_csv(comparison));
  ASSERT_EQ(rows.size(), 7U);
  const std::vector<std::string>& header = rows[0];
  for (const auto& row : rows)
    EXPECT_EQ(row.size(), header.size());
  EXPECT_EQ(std::vector<std::string>(header.begin(), header.begin() + 8),
            (std::vector<std::string>{"model", "tp", "sublayer", "phase", "platform", "strategy", "ideal", "time_s"}));
  const auto value = [&](std::size_t row, const std::string& column) {
    return rows[row][static_cast<std::size_t>(std::find(header.begin(), header.end(), column) - header.begin())];
  };
  EXPECT_EQ(value(2, "strategy"), "t3:block=4,\"x\"");
  EXPECT_EQ(value(2, "notes"), "first; second\nline");
  EXPECT_EQ(value(2, "time_s"), "0.0008");
  EXPECT_EQ(value(2, "speedup"), "1.25");
  EXPECT_EQ(value(2, "dram_bytes"), "800000000"); // 0.2 + 0.1 + 0.1 + 0.1 + 0.15 + 0.15 GB
  EXPECT_EQ(value(2, "resources"), "tracker entries 40/256 0 spills");
  EXPECT_EQ(value(3, "ideal"), "true");
}

TEST(Csv, ColumnsDoNotDependOnTheResults) {
  const std::string full = comparison_csv(fakes::two_cases());
  const std::string empty = comparison_csv(model::Comparison{});
  EXPECT_EQ(empty, full.substr(0, empty.size()));
  EXPECT_EQ(std::count(empty.begin(), empty.end(), '\n'), 1);
}

TEST(Csv, UnknownSpeedupIsEmptyAndNaNIsRefused) {
  model::Comparison comparison = fakes::two_cases();
  comparison.cases[0].speedup = 0;
  EXPECT_NE(comparison_csv(comparison).find(",,0.0005,"), std::string::npos); // between idle_s and lower_bound_s
  comparison.cases[0].ag_s = std::numeric_limits<double>::infinity();
  EXPECT_THROW(comparison_csv(comparison), base::Bug);
}

} // namespace
} // namespace tandem::report
