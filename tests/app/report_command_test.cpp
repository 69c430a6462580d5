// tandem report as a user runs it: a page from results, and what it refuses.
#include "app/program.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::app {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

constexpr int BAD_INPUT = 2;

TEST(Report, APageHoldsTheNumbersOfTheResult) {
  const Folder folder;
  const auto name = folder.path().string();
  const auto compared = run({.arguments = {"compare", repository("workloads/examples/one-sublayer.yaml"), "--format",
                                           "json", "-o", "result.json"},
                             .folder = name});
  ASSERT_EQ(compared.code, 0) << compared.err;
  const auto outcome = run({.arguments = {"report", "result.json", "-o", "page.html"}, .folder = name});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const auto page = folder.read("page.html");
  const std::string open = "id=\"data\">";
  ASSERT_THAT(page, HasSubstr(open));
  const auto from = page.find(open) + open.size();
  const auto data = Json::parse(page.substr(from, page.find("</script>", from) - from));
  const auto result = Json::parse(folder.read("result.json"));
  ASSERT_EQ(data["rows"].size(), result["cases"].size());
  for (std::size_t i = 0; i < result["cases"].size(); ++i) {
    EXPECT_EQ(data["rows"][i]["metrics"]["time_s"], result["cases"][i]["time_s"]);
    EXPECT_EQ(data["rows"][i]["inputs"]["strategy"], result["cases"][i]["strategy"]);
  }
}

TEST(Report, AStoreGivesTheSamePageAsItsJsonAndAPicture) {
  const Folder folder(
      {{"s.yaml", "title: T\ncommand: collective\naxes: {nodes: [1, 2]}\nfixed: {operation: allreduce, platform: " +
                      repository("platforms/dgx-a100.xml") + ", minbytes: 1M, maxbytes: 1M}\n"}});
  const auto name = folder.path().string();
  const auto swept =
      run({.arguments = {"sweep", "s.yaml", "--store", "s.sqlite", "-o", "s.json", "-q"}, .folder = name});
  ASSERT_EQ(swept.code, 0) << swept.err;
  for (const std::vector<std::string> arguments : {std::vector<std::string>{"s.sqlite", "-o", "store.html"},
                                                   {"s.json", "-o", "json.html"},
                                                   {"s.sqlite", "--svg", "store.svg", "--chart", "busbw_gbps"}}) {
    auto words = arguments;
    words.insert(words.begin(), "report");
    const auto outcome = run({.arguments = words, .folder = name});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  auto page = folder.read("store.html");
  for (auto at = page.find("s.sqlite"); at != std::string::npos; at = page.find("s.sqlite"))
    page.replace(at, 8, "s.json");
  EXPECT_EQ(page, folder.read("json.html"));
  EXPECT_THAT(folder.read("store.svg"), HasSubstr("<title>T: bus bandwidth</title>"));
}

TEST(Report, WhatCannotBeReadOrWrittenIsRefusedAndNothingIsLeft) {
  const Folder folder({{"broken.json", "{\n\"cases\": [\n"},
                       {"other.json", "{}"},
                       {"text.json", "hello"},
                       {"trace.json", R"({"traceEvents": []})"},
                       {"database", std::string("SQLite format 3\0 and no more", 29)}});
  const auto name = folder.path().string();
  const auto before = folder.names();
  const std::vector<std::pair<std::vector<std::string>, std::string>> refusals = {
      {{"report", "broken.json", "-o", "p.html"}, "broken.json:3"},
      {{"report", "text.json", "-o", "p.html"}, "text.json:1"},
      {{"report", "other.json", "-o", "p.html"}, "other.json: is no result"},
      {{"report", "absent.json", "-o", "p.html"}, "absent.json"},
      {{"report", "other.json", "-o", "no/such/p.html"}, "no/such"},
      {{"report", "other.json", "-o", "other.json"}, "are the same file 'other.json'"},
      {{"report", "other.json"}, "--output is missing"},
      {{"report", "other.json", "--svg", "other.json"}, "are the same file 'other.json'"},
      {{"report", "other.json", "-o", "p", "--svg", "p"}, "are the same file 'p'"},
      {{"report", "other.json", "-o", "p.html", "--chart", "mfu"}, "--svg, which is missing"},
      {{"report", "trace.json", "-o", "p.html"}, "trace.json: is a trace without slices"},
      {{"report", "database", "-o", "p.html"}, "database: is no store of results"},
      {{"report", "-o", "p.html"}, "RESULTS is missing"}};
  for (const auto& [arguments, message] : refusals) {
    const auto outcome = run({.arguments = arguments, .folder = name});
    EXPECT_EQ(outcome.code, BAD_INPUT) << fmt::format("{}", fmt::join(arguments, " "));
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_EQ(folder.names(), before);
  }
  EXPECT_EQ(folder.read("other.json"), "{}");
}

} // namespace
} // namespace tandem::app
