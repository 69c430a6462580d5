// What the commands print, that their examples run, and that whatever ships with the program can be used.
#include "app/program.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iomanip>
#include <sstream>

namespace tandem::app {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

/// A folder that looks like the root of the repository to the examples, and takes what they write.
class ExampleFolder {
public:
  ExampleFolder() {
    for (const std::string name : {"workloads", "platforms"})
      fs::create_directory_symlink(repository(name), folder_.path() / name);
  }
  [[nodiscard]] std::string name() const { return folder_.path().string(); }
  [[nodiscard]] const Folder& folder() const { return folder_; }

private:
  Folder folder_;
};

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> std::quoted(word);)
    words.push_back(word);
  return words;
}

/// The lines "  tandem ..." of a help text, without the program's name.
std::vector<std::vector<std::string>> examples_in(const std::string& help) {
  std::vector<std::vector<std::string>> examples;
  std::istringstream in(help);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("  tandem ")) {
      auto words = words_of(line);
      words.erase(words.begin());
      examples.push_back(words);
    }
  return examples;
}

const std::vector<std::vector<std::string>> COMMANDS = {{},
                                                        {"compare"},
                                                        {"collective"},
                                                        {"sweep"},
                                                        {"list"},
                                                        {"list", "strategies"},
                                                        {"list", "devices"},
                                                        {"list", "device-keys"},
                                                        {"list", "platforms"},
                                                        {"list", "workloads"},
                                                        {"diff"},
                                                        {"report"},
                                                        {"platform"},
                                                        {"platform", "check"},
                                                        {"platform", "show"},
                                                        {"docs"}};

TEST(Commands, EveryHelpExplainsAndItsExamplesRun) {
  std::size_t ran = 0;
  for (auto words : COMMANDS) {
    words.emplace_back("--help");
    const auto help = run({.arguments = words});
    EXPECT_EQ(help.code, 0) << words.front();
    EXPECT_EQ(help.err, "");
    EXPECT_THAT(help.out, HasSubstr("Usage: tandem"));
    const ExampleFolder folder; // one for all of a help text: an example may read what the last one wrote
    for (const auto& example : examples_in(help.out)) {
      const auto before = folder.folder().names().size();
      const auto outcome = run({.arguments = example, .folder = folder.name()});
      EXPECT_EQ(outcome.code, 0) << fmt::format("{}", fmt::join(example, " ")) << '\n' << outcome.err;
      EXPECT_TRUE(!outcome.out.empty() || folder.folder().names().size() > before) << "no result";
      ++ran;
    }
  }
  EXPECT_GE(ran, 15U);
}

TEST(Commands, AMissingPageIsToldWithThoseThatThereAre) {
  EXPECT_THAT(run({.arguments = {"docs"}}).err, HasSubstr("a command is missing; allowed: inputs"));
  EXPECT_THAT(run({.arguments = {"docs", "--help"}}).out, HasSubstr("docs/inputs.md"));
}

TEST(Commands, TheVersionIsOneLine) {
  EXPECT_THAT(run({.arguments = {"--version"}}).out, ContainsRegex("^tandem [0-9]+\\.[0-9]+\\.[0-9]+\n$"));
}

TEST(Commands, ListsFindWhatShipsFromAnyFolder) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"strategies", "t3-mca\n    "},
      {"devices", "h100-sxm"},
      {"device-keys", "queue.depth  \\(whole number"},
      {"platforms", "t3-ring-8.xml  \\(8 GPUs, t3-gpu\\)"},
      {"workloads", "t3.yaml  \\(16 cases, 8 strategies\\)"}};
  // where the program does not lie in the repository, its folders are found from the repository's root only
  const bool at_home = fs::exists(fs::path(TANDEM_BINARY).parent_path().parent_path() / "platforms");
  for (const auto& [what, pattern] : rows)
    for (const std::string& folder : {std::string("/"), repository("")}) {
      if (!at_home && folder == "/")
        continue;
      const auto outcome = run({.arguments = {"list", what}, .folder = folder});
      EXPECT_EQ(outcome.code, 0) << outcome.err;
      EXPECT_THAT(outcome.out, ContainsRegex(pattern));
    }
}

TEST(Commands, EveryShippedPlatformIsSound) {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(repository("platforms"))) {
    if (entry.path().extension() != ".xml")
      continue;
    ++files;
    const auto checked = run({.arguments = {"platform", "check", entry.path().string()}});
    EXPECT_EQ(checked.code, 0) << checked.err;
    EXPECT_THAT(checked.out, StartsWith("ok: ")) << checked.out;
    const auto shown = run({.arguments = {"platform", "show", entry.path().string()}});
    EXPECT_EQ(shown.code, 0) << shown.err;
    for (const char* part : {"Links", "Ring neighbours", "Routes from GPU 0", "hbm_bandwidth"})
      EXPECT_THAT(shown.out, HasSubstr(part)) << entry.path();
  }
  EXPECT_GE(files, 5U);
}

TEST(Commands, EveryExampleWorkloadRunsAsItIs) {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(repository("workloads/examples"))) {
    if (entry.path().extension() != ".yaml")
      continue;
    ++files;
    const auto outcome = run({.arguments = {"compare", entry.path().string()}});
    EXPECT_EQ(outcome.code, 0) << entry.path() << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("checks: "));
  }
  EXPECT_GE(files, 3U);
}

TEST(Commands, AStrategyThatCannotRunSaysWhy) {
  for (const std::string strategy : {"t3", "t3-mca"}) {
    const auto outcome =
        run({.arguments = {"compare", repository("workloads/examples/h100-node.yaml"), "--strategy", strategy}});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err,
                HasSubstr("strategy " + strategy + " cannot do OP: device h100-sxm has no near-memory reduction"));
  }
}

TEST(Commands, VerboseTellsWhatIsReadOnStderrOnly) {
  const std::vector<std::string> words = {"compare", repository("workloads/examples/one-sublayer.yaml")};
  const auto plain = run({.arguments = words});
  EXPECT_EQ(plain.err, "");
  auto verbose_words = words;
  verbose_words.emplace_back("-v");
  const auto verbose = run({.arguments = verbose_words});
  EXPECT_THAT(verbose.err, HasSubstr("info: "));
  EXPECT_THAT(verbose.err, HasSubstr("t3-ring-8.xml: 8 hosts, 8 GPUs, "));
  EXPECT_EQ(verbose.out, plain.out);
}

TEST(Commands, QuietKeepsWarningsBack) {
  const Folder folder(
      Files{{"p.xml", "<platform version='4.1'><config><prop id='network/model' value='CM02'/></config>"
                      "<zone id='z' routing='Full'><host id='a' speed='1f'/></zone></platform>\n"},
            {"w.yaml", "platform: p.xml\nstrategies: [sequential]\ngemms: [{name: g, m: 1, n: 1, k: 1, tp: 1}]\n"}});
  const std::vector<std::string> words = {"compare", "w.yaml"};
  EXPECT_THAT(run({.arguments = words, .folder = folder.path().string()}).err, StartsWith("warning: p.xml:1:"));
  EXPECT_THAT(run({.arguments = {"compare", "w.yaml", "-q"}, .folder = folder.path().string()}).err,
              StartsWith("error: p.xml: no GPU"));
}

} // namespace
} // namespace tandem::app
