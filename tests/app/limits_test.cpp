// What a simulation may cost and how finely it is played, as a user asks for it.
#include "app/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::app {
namespace {

using testing::HasSubstr;

Outcome collective(std::vector<std::string> words, const std::string& nodes = "4") {
  words.insert(words.begin(), "collective");
  words.insert(words.end(), {"--platform", repository("platforms/dgx-h100.xml"), "--nodes", nodes, "-b", "1M", "-e",
                             "1M", "--format", "json"});
  return run({.arguments = words});
}

Outcome train(const std::vector<std::string>& words) {
  std::vector<std::string> all{"train",
                               "--layers",
                               "2",
                               "--hidden",
                               "1024",
                               "--heads",
                               "16",
                               "--seq",
                               "512",
                               "--tp",
                               "8",
                               "--platform",
                               repository("platforms/dgx-h100.xml"),
                               "--max-time"};
  all.insert(all.end(), words.begin(), words.end());
  return run({.arguments = all});
}

Outcome compare(std::vector<std::string> words) {
  words.insert(words.begin(), {"compare", repository("workloads/examples/one-sublayer.yaml"), "--format", "csv"});
  return run({.arguments = words});
}

// 32 ranks, 8 classes of them, a launch, 62 sends and 62 receives each: 1,000 operations and no proof of one rank take
// more than 1 ms, at 1 us for each. The same run is what is wanted where no limit is set.
TEST(Limits, ALongSimulationIsRefusedBeforeItBegins) {
  const auto refused = collective({"allreduce", "--strategy", "ring", "--max-time", "1ms"});
  EXPECT_EQ(refused.code, 1) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("ring, 1.049 MB: it would take about"));
  EXPECT_THAT(refused.err, HasSubstr("longer than 0.001 s"));
  EXPECT_THAT(refused.err, HasSubstr("--granularity flow"));
  EXPECT_THAT(refused.err, HasSubstr("--max-time 0s"));
  EXPECT_EQ(refused.out, "");
  for (const auto* enough : {"0s", "60s", "600s"})
    EXPECT_EQ(collective({"allreduce", "--strategy", "ring", "--max-time", enough}).code, 0) << enough;
  EXPECT_EQ(train({"1us"}).code, 1);
  EXPECT_EQ(train({"0s"}).code, 0);
}

// A GEMM of T-NLG has 65 x 34 tiles of 128 x 128, some dozens of stages of 80 SMs: more than 20 operations, at 5 us
// each more than 100 us. Its proof follows one rank and at most three buffers of 2,210 pieces, at 80 ns a place less
// than 1 ms.
TEST(Limits, ALongCaseOfAComparisonIsRefusedBeforeItBegins) {
  const auto refused = compare({"--strategy", "t3", "--max-time", "100us"});
  EXPECT_EQ(refused.code, 1) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("T-NLG, TP 8, FC-2, forward: t3: it would take about"));
  EXPECT_THAT(refused.err, HasSubstr("longer than 0.0001 s"));
  EXPECT_THAT(refused.err, HasSubstr("--max-time 0s"));
  EXPECT_EQ(refused.out, "");
  const auto large = compare({"--strategy", "t3", "--max-memory", "1MB"});
  EXPECT_EQ(large.code, 1);
  EXPECT_THAT(large.err, HasSubstr("of memory, more than 1 MB"));
  const auto played = compare({"--strategy", "t3"});
  EXPECT_EQ(played.code, 0) << played.err;
  EXPECT_EQ(compare({"--strategy", "t3", "--max-time", "0s", "--max-memory", "0B"}).out, played.out);
}

TEST(Limits, TheEstimateIsToldOnRequest) {
  const auto told = collective({"allreduce", "--strategy", "ring", "-v"});
  EXPECT_THAT(told.err, testing::ContainsRegex("ring, 1.049 MB: 8 classes of ranks, [0-9]+ operations, about .* s and "
                                               ".* MB"));
  EXPECT_THAT(compare({"--strategy", "t3", "-v"}).err,
              testing::ContainsRegex("T-NLG, TP 8, FC-2, forward: t3: 1 classes of ranks, [0-9]+ operations, about"));
}

// Trees differ from rank to rank: the proof follows 16,384 ranks, each with three buffers of 16,384 pieces, 8e8 places
// of some bytes each. It is refused as soon as it is planned.
TEST(Limits, AProofThatTakesTooMuchMemoryIsRefused) {
  const auto refused = collective(
      {"allreduce", "--strategy", "tree", "--max-memory", "4GB", "--set", "platform.fabric_radix=65536"}, "2048");
  EXPECT_EQ(refused.code, 1) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("of memory, more than 4 GB; its proof follows every rank"));
  EXPECT_EQ(collective({"allreduce", "--strategy", "tree", "--max-memory", "4GB"}).code, 0);
  EXPECT_EQ(collective({"allreduce", "--strategy", "ring", "--max-memory", "1MB"}).code, 1) << "the program has more";
  EXPECT_EQ(collective({"allreduce", "--strategy", "ring", "--max-memory", "0B"}).code, 0);
}

TEST(Limits, ALimitHasAUnit) {
  for (const auto* flag : {"--max-time", "--max-memory"}) {
    const auto wrong = collective({"allreduce", flag, "5"});
    EXPECT_EQ(wrong.code, 2) << flag;
    EXPECT_THAT(wrong.err, HasSubstr(flag));
    const auto of_compare = compare({flag, "5"});
    EXPECT_EQ(of_compare.code, 2) << flag;
    EXPECT_THAT(of_compare.err, HasSubstr(flag));
  }
}

nlohmann::json row_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

// On one node every hop of a ring has the same latency and bandwidth: the flow takes the time of its 14 steps, with a
// seventh of the messages.
TEST(Granularity, FlowsTakeTheTimeOfTheStepsOnAFreeRing) {
  const auto step = row_of(collective({"allreduce", "--strategy", "ring"}, "1"));
  const auto flow = row_of(collective({"allreduce", "--strategy", "ring", "--granularity", "flow"}, "1"));
  const auto &steps = step.at("rows").at(0), &flows = flow.at("rows").at(0);
  const double time = steps.at("time_us").get<double>();
  EXPECT_NEAR(flows.at("time_us").get<double>(), time, 1e-9 * time);
  EXPECT_LT(4 * flows.at("activities").get<int>(), steps.at("activities").get<int>());
  EXPECT_EQ(flow.at("settings").at("granularity"), "flow");
  EXPECT_TRUE(flow.at("settings").contains("granularity_error"));
  EXPECT_FALSE(step.at("settings").contains("granularity"));
  EXPECT_FALSE(step.at("settings").contains("granularity_error"));
}

TEST(Granularity, TheTableStatesTheErrorOfFlows) {
  std::vector<std::string> words{"collective", "allreduce", "--platform", repository("platforms/dgx-h100.xml"),
                                 "-b",         "1M",        "-e",         "1M",
                                 "--strategy", "ring"};
  EXPECT_THAT(run({.arguments = words}).out, testing::Not(HasSubstr("granularity")));
  words.insert(words.end(), {"--granularity", "flow"});
  EXPECT_THAT(run({.arguments = words}).out, testing::ContainsRegex("# granularity flow: .* % of steps"));
}

// A chunk of a tree goes on when it has come in: as flows all hops would run at once.
TEST(Granularity, WhatCannotBeFlowsIsRefused) {
  const auto refused = collective({"allreduce", "--strategy", "tree", "--granularity", "flow"}, "1");
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("--granularity step"));
  const auto unknown = collective({"allreduce", "--granularity", "flows"}, "1");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("flow"));
}

} // namespace
} // namespace tandem::app
