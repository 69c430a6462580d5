// JSON of comparisons: keys that scripts rely on, digits, order, refusal of numbers that are not finite.
#include "report/json.h"

#include "base/error.h"
#include "report/fakes.h"
#include "report/json_text.h"

#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace tandem::report {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object.items())
    names.push_back(key);
  return names;
}

using Names = std::vector<std::string>;

TEST(ComparisonJson, KeysAndTheirOrder) {
  const Json document = Json::parse(comparison_json(fakes::two_cases()));
  EXPECT_EQ(keys(document),
            (Names{"tandem", "workload", "baseline", "inputs", "settings", "seed", "interrupted", "cases", "summary"}));
  ASSERT_EQ(document["cases"].size(), 6U);
  EXPECT_EQ(keys(document["cases"][1]), (Names{"model",
                                               "tp",
                                               "sublayer",
                                               "phase",
                                               "platform",
                                               "strategy",
                                               "ideal",
                                               "time_s",
                                               "gemm_s",
                                               "gemm_split",
                                               "rs_s",
                                               "ag_s",
                                               "other_s",
                                               "compute_s",
                                               "exposed_communication_s",
                                               "idle_s",
                                               "speedup",
                                               "lower_bound_s",
                                               "dram_bytes",
                                               "link_bytes",
                                               "busiest_link",
                                               "busiest_link_bytes",
                                               "busiest_link_utilisation",
                                               "limit",
                                               "algorithm",
                                               "resources",
                                               "memory_intensity",
                                               "queue_threshold",
                                               "played_gpus",
                                               "fold_factor",
                                               "assumed",
                                               "notes"}));
  EXPECT_EQ(keys(document["cases"][1]["dram_bytes"]), (Names{"gemm_read", "gemm_write", "rs_read", "rs_write",
                                                             "ag_read", "ag_write", "other_read", "other_write"}));
  EXPECT_EQ(keys(document["cases"][1]["resources"][0]), (Names{"name", "capacity", "peak", "spills"}));
  EXPECT_EQ(keys(document["summary"][0]),
            (Names{"strategy", "ideal", "count", "geomean_speedup", "max_speedup", "min_speedup", "mean_exposed_share",
                   "mean_dram_reduction", "max_dram_reduction", "gemm_read_ratio_geomean", "limit", "limit_count"}));
}

TEST(ComparisonJson, Values) {
  const Json document = Json::parse(comparison_json(fakes::two_cases()));
  EXPECT_EQ(document["tandem"]["version"], "0.1.0");
  EXPECT_EQ(document["workload"]["title"], "Sub-layers");
  EXPECT_EQ(document["baseline"], "sequential");
  EXPECT_EQ(document["seed"], 7);
  EXPECT_EQ(document["inputs"]["ring.xml"], "00ff");
  EXPECT_EQ(document["settings"]["network/model"], "CM02");
  const Json& t3 = document["cases"][1];
  EXPECT_EQ(t3["strategy"], "t3");
  EXPECT_EQ(t3["time_s"], 0.8e-3);
  EXPECT_EQ(t3["speedup"], 1.25);
  EXPECT_EQ(t3["dram_bytes"]["gemm_read"], 0.2e9);
  EXPECT_EQ(t3["link_bytes"],
            Json({{"nvlink", 0.25e9}, {"xgmi", 0.0}, {"pcie", 0.0}, {"network", 0.0}, {"other", 0.0}}));
  EXPECT_EQ(t3["busiest_link"], "link, 0");
  EXPECT_EQ(t3["busiest_link_utilisation"], 0.5);
  EXPECT_EQ(t3["resources"][0]["peak"], 40);
  EXPECT_EQ(t3["assumed"], Json({"near_memory.update_cost"}));
}

/// Digits of each number in the text, without leading zeros and the point.
std::vector<std::string> significant_digits(const std::string& text) {
  std::vector<std::string> found(1);
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && (c != '0' || !found.back().empty()))
      found.back() += c;
    else if (!digit && c != '.' && !found.back().empty())
      found.emplace_back();
  }
  return found;
}

TEST(ComparisonJson, NumbersHaveAtMostTwelveDigits) {
  model::Comparison comparison = fakes::two_cases();
  comparison.cases[1].time_s = 1e-3 / 3.0;
  comparison.cases[1].speedup = 0.1 + 0.2;
  const std::string text = comparison_json(comparison);
  EXPECT_NE(text.find("\"time_s\": 0.000333333333333,"), std::string::npos) << text;
  EXPECT_NE(text.find("\"speedup\": 0.3,"), std::string::npos);
  for (const std::string& digits : significant_digits(text))
    EXPECT_LE(digits.size(), 12U) << digits;
}

TEST(ComparisonJson, TwoSpacesAndANewlineAtTheEnd) {
  const std::string text = comparison_json(fakes::two_cases());
  EXPECT_EQ(text.rfind("{\n  \"tandem\": {\n    \"version\": \"0.1.0\"\n  },\n", 0), 0U) << text.substr(0, 80);
  EXPECT_EQ(text.substr(text.size() - 3), "\n}\n");
  EXPECT_EQ(text, comparison_json(fakes::two_cases()));
}

TEST(ComparisonJson, SpeedupIsNullWithoutABaseline) {
  model::Comparison comparison = fakes::two_cases();
  comparison.cases = {comparison.cases[1]};
  comparison.cases[0].speedup = 0;
  const Json document = Json::parse(comparison_json(comparison));
  EXPECT_TRUE(document["cases"][0]["speedup"].is_null());
  EXPECT_TRUE(document["summary"][0]["geomean_speedup"].is_null());
  EXPECT_TRUE(document["summary"][0]["mean_dram_reduction"].is_null());
}

TEST(ComparisonJson, RefusesNumbersThatAreNotFinite) {
  model::Comparison comparison = fakes::two_cases();
  comparison.cases[2].rs_s = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(comparison_json(comparison), base::Bug);
}

TEST(JsonText, QuotesAndReplacesWhatIsNotUtf8) {
  EXPECT_EQ(json_quoted("a\"b\\c\n"), R"("a\"b\\c\n")");
  EXPECT_EQ(json_quoted("\xC3\xA9"), "\"\xC3\xA9\"");
  EXPECT_EQ(json_quoted("\xFF"), "\"\xEF\xBF\xBD\"");
}

TEST(JsonText, EmptyContainers) {
  EXPECT_EQ(json_text({{"a", Json::array()}, {"b", Json::object()}}), "{\n  \"a\": [],\n  \"b\": {}\n}\n");
}

} // namespace
} // namespace tandem::report
