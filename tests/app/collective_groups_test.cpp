// tandem collective on any group of GPUs, and several collectives at once, as a user calls it.
#include "app/collective_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using Words = std::vector<std::string>;

Outcome collective(const Words& words, const std::string& platform = "platforms/dgx-h100.xml") {
  return run({.arguments = collective_command(words, platform)});
}

json result(Words words, const std::string& platform = "platforms/dgx-h100.xml") {
  words.insert(words.end(), {"--format", "json"});
  const auto outcome = collective(words, platform);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.code == 0 ? json::parse(outcome.out) : json();
}

double first_time(const json& document) {
  return document.at("rows").at(0).at("time_us").get<double>();
}

// All GPUs in order are the platform itself; GPUs of one node on a switch are alike, whichever they are.
TEST(CollectiveGroups, AGroupIsAMachineOfItsOwn) {
  const Words what{"allreduce", "-b", "1M", "-e", "1M"};
  const auto with = [&what](const Words& more) {
    auto words = what;
    words.insert(words.end(), more.begin(), more.end());
    return result(words);
  };
  const auto whole = with({"--nodes", "2"}), listed = with({"--nodes", "2", "--group", "0-15"});
  EXPECT_EQ(first_time(whole), first_time(listed));
  EXPECT_EQ(whole.at("rows").at(0).at("choice"), listed.at("rows").at(0).at("choice"));
  EXPECT_TRUE(whole.at("group").is_null());
  const auto first = with({"-n", "5"}), some = with({"--nodes", "2", "--group", "15,9-11,13"});
  EXPECT_NEAR(first_time(some), first_time(first), 1e-9 * first_time(first));
  EXPECT_EQ(some.at("group"), json::parse("[15, 9, 10, 11, 13]"));
  EXPECT_EQ(some.at("ranks"), 5);
  EXPECT_EQ(with({"--group", "3"}).at("ranks"), 1);
}

// Three GPUs of one node and one of another; one of each; unequal parts in any order: the library chooses something,
// and nothing beats its bound.
TEST(CollectiveGroups, GroupsThatLieUnevenlyAreChosenFor) {
  for (const auto* group : {"0-2,8", "0-11", "0-24:8", "8,0,9,1", "0-6,9-12,20", "0,1,8,9,16"})
    for (const auto* operation : {"allreduce", "allgather", "alltoall"})
      EXPECT_GT(first_time(result({operation, "--nodes", "4", "--group", group, "-b", "16M", "-e", "16M"})), 0.0)
          << operation << " on " << group;
  EXPECT_GT(first_time(result({"allreduce", "--nodes", "4", "--group", "0-11", "--strategy", "hierarchical", "-b", "1M",
                               "-e", "1M"})),
            0.0);
  const auto refused =
      collective({"allreduce", "--nodes", "4", "--group", "0-2,8", "--strategy", "nvls", "-b", "1M", "-e", "1M"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("the ranks are not in one node"));
}

TEST(CollectiveGroups, TheTableNamesTheGroup) {
  const auto outcome = collective({"allreduce", "--nodes", "2", "--group", "0-14:2", "-b", "1M", "-e", "1M"});
  EXPECT_THAT(outcome.out, HasSubstr("all-reduce on 8 ranks (0-14:2) of "));
}

TEST(CollectiveGroups, WhatCannotBeIsRefused) {
  const auto refusal = [](const Words& words) {
    const auto outcome = collective(words);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_THAT(refusal({"allreduce", "--group", "0-8"}),
              HasSubstr("--group: rank 8 does not exist: the platform has 8 GPUs"));
  EXPECT_THAT(refusal({"allreduce", "--group", "0,1,0"}), HasSubstr("--group: rank 0 is given twice"));
  EXPECT_THAT(refusal({"allreduce", "--group", ""}), HasSubstr("--group"));
  EXPECT_THAT(refusal({"allreduce", "--group", "0-3", "-n", "4"}), HasSubstr("excludes"));
  EXPECT_THAT(refusal({"broadcast", "--group", "4-7", "-r", "4"}), HasSubstr("root 4 does not exist; allowed: 0 to 3"));
  EXPECT_THAT(refusal({"allreduce", "--beside", "allreduc bytes=1M"}), HasSubstr("did you mean 'allreduce'"));
  EXPECT_THAT(refusal({"allreduce", "--beside", "allreduce"}), HasSubstr("--beside: bytes=SIZE is missing"));
  EXPECT_THAT(refusal({"allreduce", "--beside", " "}), HasSubstr("--beside: the value is empty"));
  EXPECT_THAT(refusal({"allreduce", "--beside", "allreduce bytes=1M grup=0-3"}), HasSubstr("did you mean 'group'"));
  EXPECT_THAT(refusal({"allreduce", "--beside", "allreduce bytes=1M bytes=2M"}), HasSubstr("bytes is given twice"));
  EXPECT_THAT(refusal({"allreduce", "--beside", "allreduce 1M"}), HasSubstr("'1M' is not key=value"));
  EXPECT_THAT(refusal({"allreduce", "--beside", "allreduce bytes=1M group=7-8"}), HasSubstr("rank 8 does not exist"));
  EXPECT_THAT(refusal({"allreduce", "--beside", "allreduce bytes=1M count=0"}), HasSubstr("out of range"));
  EXPECT_THAT(refusal({"allreduce", "--beside", "allreduce bytes=1M start=-1us"}), HasSubstr("-1us"));
  EXPECT_THAT(refusal({"allreduce", "--beside", "allreduce bytes=1M root=0"}), HasSubstr("root"));
  EXPECT_THAT(refusal({"allreduce", "--beside", "alltoallv bytes=1M"}), HasSubstr("needs a matrix"));
  EXPECT_THAT(refusal({"allreduce", "--beside", "barrier bytes=1M"}), HasSubstr("a barrier moves none"));
}

// GPUs 0-3 and 4-7 have no link in common; 0-3 and 2-5 do. Rings that are bound by their links: the second pair is
// twice as slow while both are under way, and a little more, as they share the SMs that add.
TEST(CollectiveGroups, WhatRunsBesideCostsWhereLinksAreShared) {
  const auto beside = [](const std::string& group) {
    return result({"allreduce", "--group", "0-3", "-b", "64M", "-e", "64M", "--strategy", "ring", "--beside",
                   "allreduce bytes=64M strategy=ring group=" + group});
  };
  const auto apart = beside("4-7"), common = beside("2-5");
  EXPECT_NEAR(apart.at("rows").at(0).at("slow_down").get<double>(), 1.0, 1e-9);
  EXPECT_NEAR(apart.at("rows").at(0).at("beside").at(0).at("slow_down").get<double>(), 1.0, 1e-9);
  EXPECT_GT(common.at("rows").at(0).at("slow_down").get<double>(), 1.5);
  EXPECT_LT(common.at("rows").at(0).at("slow_down").get<double>(), 2.1);
  EXPECT_EQ(common.at("beside").at(0).at("group"), json::parse("[2, 3, 4, 5]"));
  EXPECT_NEAR(common.at("rows").at(0).at("alone_us").get<double>(), first_time(apart), 1e-9 * first_time(apart));
}

TEST(CollectiveGroups, TheTableTellsWhatRanBeside) {
  const auto outcome =
      collective({"allgather", "--group", "0-3", "-b", "16M", "-e", "64M", "--strategy", "ring", "--beside",
                  "broadcast bytes=64M group=2-7 strategy=ring:chunks=4 root=1 start=10us count=2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("#   [1] broadcast on 6 ranks (2-7), 67108864 B, root 1, strategy ring:chunks=4, "
                                     "from 10 us on, 2 in a row\n"));
}

} // namespace
} // namespace tandem::app
