// Link traffic of collective, compare and train: closed forms, and the same whether ranks were folded or not.
#include "app/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::app {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

using Words = std::vector<std::string>;

Json document_of(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  const auto outcome = run({.arguments = std::move(words)});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.code == 0 ? Json::parse(outcome.out) : Json();
}

double bytes_over(const Json& entry, const char* medium) {
  return entry.at("link_bytes").at(medium).get<double>();
}

Words all_reduce_on(const std::string& platform, const std::string& nodes, const std::string& strategy) {
  return {"collective", "allreduce", "--platform", repository("platforms/" + platform),
          "--nodes",    nodes,       "-b",         "16M",
          "-e",         "16M",       "--strategy", strategy};
}

// A ring of N ranks sends 2 (N - 1) / N S over each of its N edges. Of 16 ranks on two nodes 14 edges stay in a node
// and cross two nvlinks each, into the switch and out of it; the other two go through a card of either node, whose port
// of 50 GB/s is the narrowest link of all.
TEST(LinkUse, OfARingOnTwoNodes) {
  const auto row = document_of(all_reduce_on("dgx-h100.xml", "2", "ring"), {"--format", "json"}).at("rows").at(0);
  constexpr double EDGE = 2.0 * 15.0 / 16.0 * 16777216.0, PORT = 50e9;
  EXPECT_NEAR(bytes_over(row, "nvlink"), 14.0 * 2.0 * EDGE / 16.0, 1e-6);
  EXPECT_EQ(bytes_over(row, "xgmi") + bytes_over(row, "other"), 0.0);
  EXPECT_GT(bytes_over(row, "network"), 0.0);
  EXPECT_THAT(row.at("busiest_link").get<std::string>(), HasSubstr("port"));
  EXPECT_NEAR(row.at("busiest_link_bytes").get<double>(), EDGE, 1e-6);
  EXPECT_NEAR(row.at("busiest_link_utilisation").get<double>(), EDGE / PORT / (row.at("time_us").get<double>() * 1e-6),
              1e-9);
}

TEST(LinkUse, IsInTheTableAndTheCsv) {
  EXPECT_THAT(run({.arguments = all_reduce_on("dgx-h100.xml", "2", "ring")}).out,
              HasSubstr("# busiest link at 16777216 B: node0.port0_DOWN (network), 99.1 % used\n"));
  auto words = all_reduce_on("dgx-h100.xml", "1", "ring");
  words.insert(words.end(), {"--format", "csv"});
  EXPECT_THAT(run({.arguments = words}).out,
              HasSubstr("nvlink_link_bytes,xgmi_link_bytes,pcie_link_bytes,network_link_bytes,other_link_bytes,"
                        "busiest_link,busiest_link_bytes,busiest_link_utilisation\r\n"));
}

TEST(LinkUse, OfOneGpuIsNone) {
  const auto row = document_of({"collective", "allreduce", "--platform", repository("platforms/dgx-h100.xml"), "-n",
                                "1", "-b", "1M", "-e", "1M"},
                               {"--format", "json"})
                       .at("rows")
                       .at(0);
  EXPECT_TRUE(row.at("busiest_link").is_null());
  EXPECT_TRUE(row.at("busiest_link_utilisation").is_null());
  EXPECT_EQ(bytes_over(row, "nvlink"), 0.0);
}

// While two groups of four run at the same time their traffic adds up, per GPU of the eight: each of 8 edges carries
// 2 (4 - 1) / 4 S over two nvlinks.
TEST(LinkUse, CountsWhatRunsBeside) {
  const auto row = document_of({"collective", "allreduce", "--platform", repository("platforms/dgx-h100.xml"),
                                "--group", "0-3", "-b", "16M", "-e", "16M", "--strategy", "ring", "--beside",
                                "allreduce bytes=16M group=4-7 strategy=ring"},
                               {"--format", "json"})
                       .at("rows")
                       .at(0);
  EXPECT_NEAR(bytes_over(row, "nvlink"), 2.0 * 2.0 * 3.0 / 4.0 * 16777216.0, 1e-6);
}

/// The entries of a document that have link traffic.
const Json& entries(const Json& document) {
  return document.contains("rows") ? document.at("rows") : document.at("cases");
}

TEST(LinkUse, IsTheSameFoldedOrNot) {
  const std::vector<Words> commands = {
      all_reduce_on("dgx-h100.xml", "4", "ring"),
      all_reduce_on("dgx-a100.xml", "4", "hierarchical"),
      all_reduce_on("dgx-h100.xml", "2", "auto"),
      {"train", "--layers", "4", "--hidden", "1024", "--heads", "16", "--seq", "512", "--platform",
       repository("platforms/dgx-a100.xml"), "--nodes", "4", "--tp", "4", "--pp", "2", "--zero", "1"},
      {"compare", repository("workloads/examples/one-sublayer.yaml")},
  };
  for (const auto& command : commands) {
    const auto whole = document_of(command, {"--format", "json", "--fold", "off"}),
               folded = document_of(command, {"--format", "json", "--fold", "auto"});
    ASSERT_EQ(entries(whole).size(), entries(folded).size());
    for (std::size_t i = 0; i < entries(whole).size(); ++i) {
      const auto &one = entries(whole)[i], &other = entries(folded)[i];
      double all = 0.0;
      for (const auto& [medium, count] : one.at("link_bytes").items()) {
        EXPECT_NEAR(bytes_over(other, medium.c_str()), count.get<double>(), 1e-9 * count.get<double>()) << command[0];
        all += count.get<double>();
      }
      EXPECT_GT(all, 0.0);
      EXPECT_EQ(one.at("busiest_link"), other.at("busiest_link")) << command[0];
      const auto use = one.at("busiest_link_utilisation").get<double>();
      EXPECT_NEAR(other.at("busiest_link_utilisation").get<double>(), use, 1e-9 * use) << command[0];
      EXPECT_LE(use, 1.0 + 1e-9);
    }
  }
}

} // namespace
} // namespace tandem::app
