// Where settings come from: defaults below the workload file, the environment, and flags; formats, overrides, --stats.
#include "app/hostile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tandem::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

using Environment = std::map<std::string, std::optional<std::string>>;

class Settings : public testing::Test {
protected:
  Settings() : folder_({{"w.yaml", sound_workload()}, {"p.xml", sound_platform()}, {"q.xml", ring(3)}}) {}

  /// `compare w.yaml` with more words.
  Outcome compare(std::vector<std::string> words, Environment environment = {}) const {
    words.insert(words.begin(), {"compare", "w.yaml"});
    environment.emplace("TANDEM_DEVICES", repository("platforms/devices"));
    auto outcome = run({.arguments = words, .folder = folder_.path().string(), .environment = environment});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome;
  }
  json result(std::vector<std::string> words, const Environment& environment = {}) const {
    words.insert(words.end(), {"--format", "json"});
    return json::parse(compare(words, environment).out);
  }
  /// The line of --print-config that begins with `key`.
  std::string config(const std::string& key, std::vector<std::string> words,
                     const Environment& environment = {}) const {
    words.emplace_back("--print-config");
    std::istringstream text(compare(words, environment).out);
    for (std::string line; std::getline(text, line);)
      if (line.starts_with(key + ":"))
        return line;
    return "";
  }

  Folder folder_;
};

TEST_F(Settings, FlagsBeatTheEnvironmentWhichBeatsTheDefault) {
  EXPECT_EQ(config("jobs", {}), "jobs: 0  # default");
  EXPECT_EQ(config("jobs", {}, {{"TANDEM_JOBS", "3"}}), "jobs: 3  # environment: TANDEM_JOBS");
  EXPECT_EQ(config("jobs", {"-j", "2"}, {{"TANDEM_JOBS", "3"}}), "jobs: 2  # flag");
  EXPECT_EQ(config("jobs", {}, {{"TANDEM_JOBS", ""}}), "jobs: 0  # default"); // empty counts as absent
  EXPECT_EQ(config("seed", {}, {{"TANDEM_SEED", "9223372036854775807"}}),
            "seed: 9223372036854775807  # environment: TANDEM_SEED");
  EXPECT_EQ(config("platform", {}), "platform: as each case says  # workload file");
  EXPECT_EQ(config("platform", {}, {{"TANDEM_PLATFORM", "q.xml"}}), "platform: q.xml  # environment: TANDEM_PLATFORM");
  EXPECT_EQ(config("platform", {"--platform", "p.xml"}, {{"TANDEM_PLATFORM", "q.xml"}}), "platform: p.xml  # flag");
  // ... and they do take effect
  EXPECT_EQ(result({}, {{"TANDEM_PLATFORM", "q.xml"}}).at("cases").at(0).at("platform"), "q.xml");
  EXPECT_EQ(result({"--platform", "p.xml"}, {{"TANDEM_PLATFORM", "q.xml"}}).at("cases").at(0).at("platform"), "p.xml");
  EXPECT_EQ(result({}, {{"TANDEM_SEED", "7"}}).at("seed"), 7);
}

TEST_F(Settings, TheWorkloadFileStandsBetweenDefaultsAndFlags) {
  EXPECT_EQ(config("title", {}), "title: sound  # workload file");
  EXPECT_EQ(config("baseline", {}), "baseline: sequential  # default");
  EXPECT_EQ(config("strategies", {}), "strategies:  # workload file");
  EXPECT_EQ(config("strategies", {"--strategy", "t3"}), "strategies:  # flag");
  EXPECT_EQ(config("set", {}), "set: []  # default");
  const auto text = compare({"--print-config", "--strategy", "t3:block=32"}).out;
  EXPECT_THAT(text, HasSubstr("  - {name: t3, algorithm: ring, block: 32, inter: ring, intra: ring}  # given: block; "
                              "other parameters: default"));
  EXPECT_THAT(text, HasSubstr("  - {model: a, tp: 2, sublayer: OP, phase: forward, platform: p.xml}"));
}

TEST_F(Settings, PrintingTheConfigurationRunsAndWritesNothing) {
  const auto before = folder_.names();
  const auto outcome = compare({"--print-config", "-o", "r.json", "--stats", "s.json"});
  EXPECT_THAT(outcome.out, HasSubstr("\noutput: r.json  # flag\n"));
  EXPECT_EQ(folder_.names(), before);
}

TEST_F(Settings, TheFormatIsTheFlagsTheSuffixesOrTheEnvironments) {
  const auto kind_of = [](const std::string& text) {
    return text.starts_with("{") ? "json" : text.starts_with("model,") ? "csv" : "table";
  };
  EXPECT_STREQ(kind_of(compare({}).out), "table");
  EXPECT_STREQ(kind_of(compare({}, {{"TANDEM_FORMAT", "csv"}}).out), "csv");
  EXPECT_STREQ(kind_of(compare({"--format", "json"}, {{"TANDEM_FORMAT", "csv"}}).out), "json");
  for (const auto& [file, format] :
       {std::pair("r.json", "json"), std::pair("r.csv", "csv"), std::pair("r.txt", "table"), std::pair("r", "table")}) {
    EXPECT_EQ(compare({"-o", file}).out, "") << "data went to stdout as well";
    EXPECT_STREQ(kind_of(folder_.read(file)), format);
  }
  compare({"-o", "r.json"}, {{"TANDEM_FORMAT", "csv"}});
  EXPECT_STREQ(kind_of(folder_.read("r.json")), "json"); // the suffix is a flag's
  compare({"-o", "r.json", "--format", "csv"});
  EXPECT_STREQ(kind_of(folder_.read("r.json")), "csv");
  EXPECT_EQ(compare({"-o", "-", "--format", "csv"}).out, compare({"--format", "csv"}).out);
}

TEST_F(Settings, OverridesChangeTheResultAndStandInIt) {
  const auto plain = result({});
  const auto fast = result({"--set", "device.kernel_launch=0us", "--only", "sublayer=OP"});
  EXPECT_LT(fast.at("cases").at(0).at("time_s"), plain.at("cases").at(0).at("time_s"));
  EXPECT_EQ(fast.at("settings").at("set/device.kernel_launch"), "0us");
  EXPECT_EQ(fast.at("settings").at("only/sublayer"), "OP");
  // what the user sets has a source
  const auto assumed = [](const json& document) { return document.at("cases").at(0).at("assumed"); };
  EXPECT_THAT(assumed(plain), testing::Contains("kernel_launch"));
  EXPECT_THAT(assumed(fast), testing::Not(testing::Contains("kernel_launch")));
}

TEST_F(Settings, AnOwnDeviceFileComesBeforeTheCatalogue) {
  auto text = text_of(repository("platforms/devices/t3-gpu.yaml"));
  const auto at = text.find("l2: 16MiB");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 9, "l2: 64MiB");
  folder_.write("mine/t3-gpu.yaml", text);
  for (const std::string path : {"mine", "mine/t3-gpu.yaml"}) {
    const auto shown =
        run({.arguments = {"platform", "show", "p.xml", "--devices", path}, .folder = folder_.path().string()});
    EXPECT_THAT(shown.out, HasSubstr("67.11 MB")) << shown.err; // 64 x 2^20 bytes
  }
  EXPECT_THAT(run({.arguments = {"platform", "show", "p.xml"},
                   .folder = folder_.path().string(),
                   .environment = {{"TANDEM_DEVICES", "mine"}}})
                  .out,
              HasSubstr("67.11 MB"));
}

TEST_F(Settings, TheResultDependsOnNoNumberOfProcesses) {
  const auto one = compare({"--format", "json", "-j", "1"}).out;
  EXPECT_EQ(compare({"--format", "json", "-j", "8"}).out, one);
  EXPECT_EQ(compare({"--format", "json"}).out, one);
  EXPECT_EQ(compare({"--format", "json", "--stats", "s.json"}).out, one); // what differs goes to a file of its own
}

} // namespace
} // namespace tandem::app
