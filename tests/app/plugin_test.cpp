// Plugins from the command line: exit codes, and what the results say of them.
#include "app/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::app {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

const std::string PLUGINS = TANDEM_PLUGINS;

Outcome collective(const std::string& strategy) {
  return run({.arguments = {"collective", "allreduce", "--platform", repository("platforms/t3-ring-4.xml"), "-b", "1M",
                            "-e", "1M", "--strategy", strategy, "--format", "json"},
              .folder = PLUGINS});
}

Outcome compare(const std::string& strategy) {
  return run({.arguments = {"compare", repository("workloads/examples/one-sublayer.yaml"), "--strategy", "sequential",
                            "--strategy", strategy, "--format", "json"},
              .folder = PLUGINS});
}

TEST(Plugin, ResultNamesTheFileTheAlgorithmAndTheDigest) {
  const auto outcome = collective("./two_way_ring.so");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto result = Json::parse(outcome.out);
  EXPECT_EQ(result["rows"][0]["strategy"], "./two_way_ring.so");
  EXPECT_EQ(result["rows"][0]["algorithm"], "two-way-ring");
  EXPECT_EQ(result["inputs"]["./two_way_ring.so"].get<std::string>().size(), 16u);
  EXPECT_EQ(collective("two_way_ring.so").code, 0) << "a bare name is a file of the working directory";
}

TEST(Plugin, FollowsAGemmInCompare) {
  const auto outcome = compare("./two_way_ring.so:sms=8");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto result = Json::parse(outcome.out);
  EXPECT_EQ(result["cases"][1]["strategy"], "./two_way_ring.so:sms=8");
  EXPECT_TRUE(result["inputs"].contains("./two_way_ring.so"));
}

TEST(Plugin, ThatIsBrokenIsBadInput) {
  for (const auto& [strategy, message] : std::map<std::string, std::string>{
           {"./broken.so:how=crash", "plugin ./broken.so: it crashed: Segmentation fault"},
           {"./broken.so:how=hang:time_limit=200ms", "plugin ./broken.so: it did not answer"},
           {"./broken.so", "plugin ./broken.so: its plan is wrong: "},
           {"./no_entry.so", "plugin ./no_entry.so: it is no plugin"},
           {"./absent.so", "plugin ./absent.so: there is no such file"}})
    for (const auto& outcome : {collective(strategy), compare(strategy)}) {
      EXPECT_EQ(outcome.code, 2) << strategy;
      EXPECT_THAT(outcome.err, HasSubstr(message));
      EXPECT_EQ(outcome.out, "");
    }
  const auto refusal = collective("./broken.so:why_not=refuse");
  EXPECT_EQ(refusal.code, 1);
  EXPECT_THAT(refusal.err, HasSubstr("strategy ./broken.so:why_not=refuse cannot do it: it does not want to"));
}

TEST(Plugin, PrintsToStderr) {
  const auto outcome = collective("./broken.so:how=print");
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("noise on stdout"));
}

TEST(Plugin, IsListed) {
  const auto outcome = run({.arguments = {"list", "strategies", "--plugin", "./two_way_ring.so"}, .folder = PLUGINS});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "./two_way_ring.so  (two-way-ring)\n"
                         "    a ring each way, with half of the payload each\n"
                         "    :sms=0  SMs of the collective's kernel; 0: all\n"
                         "    :time_limit=10s  what a call of the plugin may take; then it is ended\n");
}

} // namespace
} // namespace tandem::app
