// What surrounds the program: permissions, locale, variables, signals, full disks, where it is started.
#include "app/hostile.h"

#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace tandem::app {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr uid_t NOBODY = 65534;

/// The sound input in a folder that its user may not write to.
class ReadOnlyFolder {
public:
  ReadOnlyFolder() : folder_({{"w.yaml", sound_workload()}, {"p.xml", sound_platform()}}) {
    namespace fs = std::filesystem;
    fs::permissions(folder_.path(), fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read |
                                        fs::perms::others_exec | fs::perms::group_read | fs::perms::group_exec);
  }
  ~ReadOnlyFolder() { std::filesystem::permissions(folder_.path(), std::filesystem::perms::owner_all); }
  ReadOnlyFolder(const ReadOnlyFolder&) = delete;
  ReadOnlyFolder& operator=(const ReadOnlyFolder&) = delete;
  [[nodiscard]] std::string name() const { return folder_.path().string(); }
  /// Root may write anywhere: the program runs as somebody else then, if that user can reach it.
  [[nodiscard]] static std::optional<uid_t> user() { return geteuid() == 0 ? std::optional(NOBODY) : std::nullopt; }
  [[nodiscard]] static bool reachable() { return run({.arguments = {"--version"}, .user = user()}).code == 0; }

private:
  Folder folder_;
};

TEST(Environment, AReadOnlyWorkingDirectoryIsFine) {
  if (!ReadOnlyFolder::reachable())
    GTEST_SKIP() << "no other user can run " << TANDEM_BINARY;
  const ReadOnlyFolder folder;
  const auto outcome = run({.arguments = {"compare", "w.yaml"}, .folder = folder.name(), .user = folder.user()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("sound"));
}

TEST(Environment, AnOutputThatCannotBeWrittenIsToldBeforeTheRun) {
  if (!ReadOnlyFolder::reachable())
    GTEST_SKIP() << "no other user can run " << TANDEM_BINARY;
  const ReadOnlyFolder folder;
  for (const std::string flag : {"-o", "--timeline", "--stats"}) {
    const auto outcome =
        run({.arguments = {"compare", "w.yaml", flag, "r.json"}, .folder = folder.name(), .user = folder.user()});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, StartsWith("error: r.json: cannot be written: Permission denied"));
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(Environment, AFileThatMayNotBeReadIsNamed) {
  if (!ReadOnlyFolder::reachable())
    GTEST_SKIP() << "no other user can run " << TANDEM_BINARY;
  const Folder folder({{"w.yaml", sound_workload()}, {"p.xml", sound_platform()}});
  std::filesystem::permissions(folder.path() / "p.xml", std::filesystem::perms::none);
  const auto outcome =
      run({.arguments = {"compare", "w.yaml"}, .folder = folder.path().string(), .user = ReadOnlyFolder::user()});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("'p.xml': Permission denied"));
}

TEST(Environment, NothingIsReadFromHome) {
  const Folder folder({{"w.yaml", sound_workload()}, {"p.xml", sound_platform()}});
  for (const auto& home : {std::optional<std::string>(), std::optional<std::string>("/nowhere")}) {
    const auto outcome = run({.arguments = {"compare", "w.yaml"},
                              .folder = folder.path().string(),
                              .environment = {{"HOME", home}, {"XDG_CONFIG_HOME", std::nullopt}}});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
  }
}

TEST(Environment, AFullDiskUnderStdoutIsAnError) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--help"},
                                                {"--version"},
                                                {"compare", "--help"},
                                                {"list", "strategies"},
                                                {"list", "device-keys"},
                                                {"compare", repository("workloads/examples/one-sublayer.yaml")},
                                                {"platform", "show", repository("platforms/t3-ring-8.xml")}}) {
    const auto outcome = run({.arguments = words, .output = "/dev/full"});
    EXPECT_EQ(outcome.code, 2) << words.front();
    EXPECT_THAT(outcome.err, StartsWith("error: standard output cannot be written"));
  }
}

TEST(Environment, TheLocaleChangesNothing) {
  const Folder folder({{"w.yaml", sound_workload()}, {"p.xml", sound_platform()}});
  const auto in_locale = [&](const std::string& locale) {
    return run({.arguments = {"compare", "w.yaml", "--format", "json", "--set", "device.gemm_efficiency=0.9"},
                .folder = folder.path().string(),
                .environment = {{"LC_ALL", locale}, {"LANG", locale}}});
  };
  const auto plain = in_locale("C");
  ASSERT_EQ(plain.code, 0) << plain.err;
  // de_DE has a decimal comma where it is installed; where it is not, its name must still do no harm
  for (const std::string locale : {"de_DE.UTF-8", "C.UTF-8", "nonsense"})
    EXPECT_EQ(in_locale(locale).out, plain.out) << locale;
}

TEST(Environment, TheWorkingDirectoryDecidesNothingButNames) {
  const auto outcome = run({.arguments = {"compare", repository("workloads/examples/one-sublayer.yaml")},
                            .folder = "/",
                            .environment = {{"TANDEM_DEVICES", std::nullopt}}});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

struct BadVariable {
  std::string name, value, message;
};

TEST(Environment, VariablesThatAreWrongAreNamed) {
  const Folder folder({{"w.yaml", sound_workload()}, {"p.xml", sound_platform()}});
  const std::vector<BadVariable> rows = {
      {"TANDEM_JOBS", "two", "TANDEM_JOBS, which stands in for --jobs: 'two' is not a whole number"},
      {"TANDEM_JOBS", "-1", "TANDEM_JOBS, which stands in for --jobs: '-1' is not a whole number"},
      {"TANDEM_SEED", "1.5", "TANDEM_SEED, which stands in for --seed: '1.5' is not a whole number"},
      {"TANDEM_FORMAT", "xml", "TANDEM_FORMAT, which stands in for --format: unknown format 'xml'"},
      {"TANDEM_PLATFORM", "nope.xml", "nope.xml"},
      {"TANDEM_JOB", "2", "unknown environment variable 'TANDEM_JOB' (did you mean 'TANDEM_JOBS'?)"},
      {"TANDEM_CONTEXT_FACTORY", "thred", "TANDEM_CONTEXT_FACTORY: unknown word 'thred' (did you mean 'thread'?)"},
  };
  for (const auto& row : rows) {
    const auto outcome = run(
        {.arguments = {"compare", "w.yaml"}, .folder = folder.path().string(), .environment = {{row.name, row.value}}});
    EXPECT_EQ(outcome.code, 2) << row.name;
    EXPECT_THAT(outcome.err, HasSubstr(row.message));
  }
}

TEST(Environment, VariablesOfOtherCommandsDoNoHarm) {
  const auto outcome = run({.arguments = {"list", "strategies"}, .environment = {{"TANDEM_JOBS", "two"}}});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

/// Eight simulations one after the other, some seconds in all.
const std::vector<std::string> LONG_RUN = {"compare",    repository("workloads/t3.yaml"),
                                           "-j",         "1",
                                           "--only",     "tp=16",
                                           "--only",     "model=T-NLG",
                                           "--fold",     "off",
                                           "--strategy", "t3:block=1",
                                           "--strategy", "t3-mca:block=1"};

void expect_interrupted(const Outcome& outcome, const Folder& folder) {
  EXPECT_FALSE(outcome.too_long);
  EXPECT_EQ(outcome.signal, 0);
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("interrupted"));
  // the old result, or the part that was simulated: whole JSON that says that it is a part
  EXPECT_THAT(folder.names(), testing::ElementsAre("out.json"));
  const auto text = folder.read("out.json");
  if (text != "old\n") {
    EXPECT_EQ(nlohmann::json::parse(text).value("interrupted", false), true);
  }
}

TEST(Environment, AnInterruptEndsTheRunAndLeavesNoHalfFile) {
  for (const bool group : {false, true}) {
    const Folder folder(Files{{"out.json", "old\n"}});
    auto words = LONG_RUN;
    words.insert(words.end(), {"-o", "out.json"});
    const auto outcome = run(
        {.arguments = words, .folder = folder.path().string(), .interrupt_after_ms = 400, .interrupt_group = group});
    expect_interrupted(outcome, folder);
  }
}

TEST(Environment, ProgressShowsOnATerminalOnly) {
  const auto shown = run({.arguments = LONG_RUN, .terminal = true});
  EXPECT_THAT(shown.err, testing::ContainsRegex("/8 simulations, [0-9.]+ [nmu]?s simulated, [0-9]+ s left"));
  EXPECT_THAT(shown.err, testing::EndsWith("\r\033[K")) << "the bar is still there";
  const auto caught = run({.arguments = LONG_RUN});
  EXPECT_EQ(caught.err, "");
  EXPECT_EQ(shown.out, caught.out);
  auto quiet = LONG_RUN;
  quiet.emplace_back("-q");
  EXPECT_EQ(run({.arguments = quiet, .terminal = true}).err, "");
}

} // namespace
} // namespace tandem::app
