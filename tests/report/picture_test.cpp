// Charts as SVG: where marks are, which lines there are, and what is refused.
#include "report/picture/picture.h"

#include "base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <regex>

namespace tandem::report {
namespace {

using base::UserError;
using Json = nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Weak scaling of two settings of tp: `tokens_per_s` is 1000 for each GPU, of tp 2 half of that on 32 GPUs.
Json study() {
  Json data =
      Json::parse(R"({"title": "A & B", "sources": [{"command": "train", "varying": ["nodes", "tp"]}], "rows": []})");
  for (const int tp : {1, 2})
    for (const int gpus : {8, 32}) {
      Json row = Json::parse(R"({"source": 0, "status": "ok", "dram": {}, "links": {}, "memory": {}})");
      row["inputs"] = {{"nodes", gpus / 8}, {"tp", tp}, {"gpus", gpus}, {"model", "m"}};
      row["metrics"] = {{"iteration_s", 2.0}, {"tokens_per_s", gpus * (tp == 2 && gpus == 32 ? 500.0 : 1000.0)}};
      row["breakdown"] = {{"compute_s", 1.5}, {"exposed_tp_s", 0.0}, {"bubble_s", 0.5}};
      data["rows"].push_back(row);
    }
  return data;
}

std::vector<std::string> found(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> all;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at)
    all.push_back((*at)[1]);
  return all;
}

TEST(Picture, LinesAreSettingsOfWhatVariesBesidesTheAxis) {
  const auto svg = picture_svg(study(), {.chart = "efficiency", .against = {}});
  EXPECT_THAT(svg, HasSubstr("<title>A &amp; B: scaling efficiency</title>"));
  EXPECT_EQ(found(svg, ">(tp \\d)</text>"), (std::vector<std::string>{"tp 1", "tp 2"}));
  EXPECT_EQ(found(svg, "text-anchor=\"middle\"[^>]*>([^<]*)</text>"), (std::vector<std::string>{"32", "8", "GPUs"}));
  // The plot is 260 pixels high from 72 on, and its top is 106 %: 100 % at 332 - 260 / 1.06 = 86.7, 50 % at 332 - 130
  // / 1.06 = 209.4. Circles are marks of the first line; the last is the legend's, at 80.
  EXPECT_EQ(found(svg, "<circle cx=\"[^\"]*\" cy=\"([^\"]*)\""), (std::vector<std::string>{"86.7", "86.7", "80.0"}));
  // squares of the second line, seven pixels wide about their middle
  EXPECT_EQ(found(svg, "y=\"([^\"]*)\" width=\"7.0\""), (std::vector<std::string>{"83.2", "205.9", "96.5"}));
}

TEST(Picture, BarsHavePartsThatAreNotNought) {
  const auto svg = picture_svg(study(), {.chart = "breakdown", .against = {}});
  EXPECT_THAT(svg, HasSubstr(">bubble</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("exposed")));
  // bars of 480 pixels for 2 s: compute 1.5 s, bubble 0.5 s
  EXPECT_EQ(found(svg, "width=\"(360.0|120.0)\" height=\"15.0\"").size(), 8U);
  EXPECT_THAT(svg, HasSubstr(">nodes 1, tp 1</text>"));
}

// Bars of 480 pixels for the 4 GB of 32 GPUs: nvlink 3 GB, network 1 GB; on 8 GPUs nvlink alone.
TEST(Picture, LinkTrafficIsStackedByMedium) {
  auto data = study();
  data["rows"].erase(2); // of tp 1 only
  data["rows"].erase(2);
  data["rows"][0]["links"] = {{"nvlink", 2e9}, {"pcie", 0.0}, {"network", 0.0}};
  data["rows"][1]["links"] = {{"nvlink", 3e9}, {"pcie", 0.0}, {"network", 1e9}};
  const auto svg = picture_svg(data, {.chart = "links", .against = {}});
  EXPECT_THAT(svg, HasSubstr(">Link traffic of a GPU (GB)</text>"));
  EXPECT_EQ(found(svg, "width=\"([^\"]*)\" height=\"15.0\""), (std::vector<std::string>{"240.0", "360.0", "120.0"}));
  EXPECT_THAT(svg, Not(HasSubstr("pcie")));
}

TEST(Picture, IsTheSameForTheSameResults) {
  EXPECT_EQ(picture_svg(study(), {}), picture_svg(study(), {}));
  EXPECT_NE(picture_svg(study(), {}), picture_svg(study(), {.chart = {}, .against = "tp"}));
}

std::string refused(const Json& data, const PictureChoice& choice) {
  try {
    picture_svg(data, choice);
    return "";
  } catch (const UserError& error) {
    return error.what();
  }
}

TEST(Picture, RefusesWhatCannotBeDrawn) {
  EXPECT_THAT(refused(study(), {.chart = "mfuu", .against = {}}), HasSubstr("did you mean 'mfu'?"));
  EXPECT_THAT(refused(study(), {.chart = "mfu", .against = {}}), HasSubstr("do not hold it"));
  EXPECT_THAT(refused(study(), {.chart = "links", .against = {}}), HasSubstr("do not hold it"));
  EXPECT_THAT(refused(study(), {.chart = "memory", .against = {}}), HasSubstr("do not hold it"));
  EXPECT_THAT(refused(study(), {.chart = {}, .against = "model"}), HasSubstr("allowed: nodes, tp, gpus"));
  EXPECT_THAT(refused(study(), {.chart = "efficiency", .against = "tp"}), HasSubstr("is against gpus"));
  auto empty = study();
  for (auto& row : empty["rows"])
    row["status"] = "failed";
  EXPECT_THAT(refused(empty, {}), HasSubstr("nothing to draw"));
  auto single = study();
  single["rows"] = Json::array({single["rows"][0]});
  EXPECT_THAT(refused(single, {}), HasSubstr("no input varies"));
  auto two = study();
  two["sources"].push_back({{"command", "compare"}, {"varying", Json::array()}});
  two["rows"][1]["source"] = 1;
  EXPECT_THAT(refused(two, {}), HasSubstr("of compare, train"));
}

} // namespace
} // namespace tandem::report
