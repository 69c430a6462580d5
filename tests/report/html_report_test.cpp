// The page of `tandem report`: its data are the file's, and no text of a file becomes markup.
#include "report/html_report.h"

#include "base/error.h"
#include "report/report_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tandem::report {
namespace {

using base::UserError;
using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;

const char* STUDY = R"({"tandem": {"version": "1.2.3"},
  "study": {"title": "TITLE", "file": "s.yaml", "command": "train"}, "varying": ["nodes"],
  "points": [
    {"point": 1, "inputs": {"nodes": 1, "model": "m"}, "status": "ok", "reason": null, "command": "tandem train --nodes 1",
     "digest": "d", "result": {"model": "M", "device": "a100", "platform": "p.xml", "gpus": 8, "hbm_capacity_bytes": 80e9,
       "assumed": ["kernel_launch"], "cases": [{"strategies": "", "iteration_s": 0.922142027755, "tokens_per_s": 71069.3125652,
       "mfu": 0.5, "link_bytes": {"nvlink": 5e9, "network": 1e9}, "busiest_link": "node0.port0_UP",
       "busiest_link_utilisation": 0.75, "peak_memory_bytes": 7e9, "breakdown": {"compute_s": 0.75, "recompute_s": 0.25, "bubble_s": 0.172142027755},
       "stages": [{"peak_memory_bytes": 5e9, "memory_bytes": {"parameters": 5e9}},
                  {"peak_memory_bytes": 7e9, "memory_bytes": {"parameters": 4e9, "gradients": 3e9}}]}]}},
    {"point": 2, "inputs": {"nodes": 3, "model": "m"}, "status": "infeasible", "reason": "REASON", "command": null,
     "digest": null, "result": null}]})";

std::string with(std::string text, const std::string& word, const std::string& by) {
  text.replace(text.find(word), word.size(), by);
  return text;
}

Json data_of(const std::string& text) {
  return report_data({{"result.json", text}}, "9.9.9");
}

/// What a browser finds in the page's data element.
Json embedded(const std::string& page) {
  const std::string open = "id=\"data\">";
  const auto from = page.find(open) + open.size();
  return Json::parse(page.substr(from, page.find("</script>", from) - from));
}

TEST(HtmlReport, ARowHoldsTheNumbersOfTheFile) {
  const auto data = data_of(STUDY);
  ASSERT_EQ(data["rows"].size(), 2U);
  const auto& row = data["rows"][0];
  EXPECT_EQ(row["metrics"]["iteration_s"], 0.922142027755);
  EXPECT_EQ(row["metrics"]["tokens_per_s"], 71069.3125652);
  EXPECT_EQ(row["inputs"]["nodes"], 1);
  EXPECT_EQ(row["inputs"]["gpus"], 8);
  EXPECT_EQ(row["command"], "tandem train --nodes 1");
  // compute 0.75 s holds the recomputation of 0.25 s, which the breakdown shows apart
  EXPECT_EQ(row["breakdown"], Json({{"compute_s", 0.5}, {"recompute_s", 0.25}, {"bubble_s", 0.172142027755}}));
  // of the second stage, 7 GB against 5 GB
  EXPECT_EQ(row["memory"], Json({{"parameters", 4e9}, {"gradients", 3e9}}));
  EXPECT_EQ(row["capacity_bytes"], 80e9);
  EXPECT_EQ(row["links"], Json({{"nvlink", 5e9}, {"network", 1e9}}));
  EXPECT_EQ(row["busiest_link"], "node0.port0_UP");
  EXPECT_EQ(row["metrics"]["busiest_link_utilisation"], 0.75);
}

TEST(HtmlReport, APointWithoutAResultKeepsItsReason) {
  const auto row = data_of(STUDY)["rows"][1];
  EXPECT_EQ(row["status"], "infeasible");
  EXPECT_EQ(row["reason"], "REASON");
  EXPECT_EQ(row["metrics"], Json::object());
  EXPECT_EQ(row["inputs"]["nodes"], 3);
}

TEST(HtmlReport, ThePageHoldsItsDataAndAsksForNothing) {
  const auto data = data_of(STUDY);
  const auto page = html_report(data);
  EXPECT_EQ(embedded(page), data);
  EXPECT_THAT(page, HasSubstr("<title>TITLE</title>"));
  EXPECT_THAT(page, HasSubstr("<html lang=\"en\">"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
  for (const auto* request : {"<link", "src=", "@import", "url(", "fetch(", "XMLHttpRequest"})
    EXPECT_THAT(page, Not(HasSubstr(request)));
}

TEST(HtmlReport, TextOfAFileNeverBecomesMarkup) {
  const std::string hostile = "</script><img src=x onerror=alert(1)><!--<script>&amp;";
  auto text = with(STUDY, "TITLE", hostile);
  text = with(text, "REASON", hostile);
  text = with(text, "tandem train --nodes 1", hostile);
  text = with(text, "\"model\": \"m\"", "\"" + hostile + "\": \"m\"");
  const auto data = data_of(text);
  const auto page = html_report(data);
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("<!--")));
  EXPECT_THAT(page, HasSubstr("<title>&lt;/script&gt;&lt;img src=x"));
  EXPECT_EQ(embedded(page), data);
  EXPECT_EQ(embedded(page)["title"], hostile);
}

TEST(HtmlReport, PlainResultsAreRowsToo) {
  const auto data = data_of(R"({"operation": "all-reduce", "ranks": 8, "platform": "p.xml", "device": "h100", "rows": [
    {"size_bytes": 1024, "time_us": 12.5, "busbw_gbps": 3.25, "strategy": "ring", "algorithm": "ring", "error": null}]})");
  ASSERT_EQ(data["rows"].size(), 1U);
  EXPECT_EQ(data["rows"][0]["metrics"], Json({{"time_us", 12.5}, {"busbw_gbps", 3.25}}));
  EXPECT_EQ(data["rows"][0]["command"], nullptr);
  EXPECT_EQ(data["rows"][0]["links"], Json::object()); // written before results held them
  EXPECT_EQ(data["title"], "all-reduce of 8 ranks on h100");
}

std::string refusal_of(const std::string& text) {
  try {
    data_of(text);
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}

TEST(HtmlReport, WhatIsNoResultIsRefusedWithItsPlace) {
  EXPECT_THAT(refusal_of("{\n\"a\": 1,\n?"), HasSubstr("result.json:3: is not valid JSON"));
  EXPECT_THAT(refusal_of("[1, 2]"),
              HasSubstr("is no result; allowed: JSON of tandem sweep, train, compare or collective"));
  EXPECT_THAT(refusal_of("{\"a\": 1e999}"), HasSubstr("a number that is too large"));
  EXPECT_THAT(refusal_of(with(STUDY, "0.922142027755", "\"soon\"")), HasSubstr("iteration_s: '\"soon\"' is no number"));
  EXPECT_THAT(refusal_of(with(STUDY, "\"train\"", "\"trian\"")), HasSubstr("did you mean 'train'?"));
  EXPECT_THAT(refusal_of(with(STUDY, "\"breakdown\"", "\"broken\"")), HasSubstr("is not as tandem sweep writes it"));
  EXPECT_THAT(refusal_of(with(STUDY, "{\"nodes\": 1, ", "{\"nodes\": [1], ")), HasSubstr("is no single value"));
  EXPECT_THAT(refusal_of(R"({"study": {"title": "t", "command": "train"}, "varying": [], "points": []})"),
              HasSubstr("nothing to show"));
}

} // namespace
} // namespace tandem::report
