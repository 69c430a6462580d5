// tandem sweep as a user runs it: same bytes whatever happens, what is run again and what is not, and errors.
#include "app/program.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iostream>
#include <random>
#include <sys/wait.h>
#include <unistd.h>

namespace tandem::app {
namespace {

using testing::HasSubstr;
using testing::Not;

/// 12 collectives of milliseconds each; three of them leave a rest, and are infeasible.
std::string study_text() {
  return "title: all-reduces\n"
         "command: collective\n"
         "axes:\n"
         "  strategy: [ring, tree, halving-doubling]\n"
         "  ranks: [2, 3, 4, 8]\n"
         "derive:\n"
         "  minbytes: if(ranks == 3, 1 / 2, ranks * 1024)\n"
         "  maxbytes: minbytes * 4\n"
         "fixed:\n"
         "  operation: allreduce\n"
         "  platform: ring.xml\n";
}

Files study_files() {
  return {{"s.yaml", study_text()}, {"ring.xml", text_of(repository("platforms/t3-ring-8.xml"))}};
}

struct Sweep {
  Folder folder{study_files()};

  [[nodiscard]] Outcome run(std::vector<std::string> more = {}, int interrupt_after_ms = -1) const {
    std::vector<std::string> words = {"sweep", "s.yaml"};
    words.insert(words.end(), more.begin(), more.end());
    return app::run({.arguments = words,
                     .folder = folder.path().string(),
                     .environment = {{"TANDEM_DEVICES", std::nullopt}},
                     .interrupt_after_ms = interrupt_after_ms});
  }

  /// Runs it and kills it after this time, as nobody can refuse.
  void run_and_kill(int after_ms) const {
    const pid_t pid = fork();
    if (pid == 0) {
      if (chdir(folder.path().c_str()) != 0)
        _exit(1);
      unsetenv("TANDEM_DEVICES");
      execl(TANDEM_BINARY, TANDEM_BINARY, "sweep", "s.yaml", "-j", "2", "-o", "/dev/null", nullptr);
      _exit(1);
    }
    usleep(static_cast<useconds_t>(after_ms) * 1000);
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
};

/// Points that a dry run says are still to be run.
long to_run(const Outcome& dry_run) {
  const auto& text = dry_run.out;
  const auto at = text.find(" points, ");
  return at == std::string::npos ? -1 : std::stol(text.substr(at + 9));
}

std::string csv_of_a_whole_run() {
  const Sweep sweep;
  const auto outcome = sweep.run({"--format", "csv", "-j", "1"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.out;
}

TEST(Sweep, InputsComeFirstAndInfeasiblePointsKeepTheirReason) {
  const auto csv = csv_of_a_whole_run();
  EXPECT_THAT(csv,
              testing::StartsWith("point,strategy,ranks,minbytes,maxbytes,operation,platform,status,reason,command,"
                                  "row,result_operation,result_ranks,"));
  EXPECT_THAT(csv,
              HasSubstr("\r\n1,ring,2,2048,8192,allreduce,ring.xml,ok,,tandem collective allreduce --strategy ring "
                        "--ranks 2 --minbytes 2048 --maxbytes 8192 --platform ring.xml,0,"));
  EXPECT_THAT(csv, HasSubstr("\r\n2,ring,3,,,allreduce,ring.xml,infeasible,minbytes: 1 / 2 is not a whole number,,"));
}

/// The row that the store keeps is what its command prints.
TEST(Sweep, APointsCommandReproducesIt) {
  const Sweep sweep;
  const auto csv = sweep.run({"--format", "csv"}).out;
  const auto alone = run({.arguments = {"collective", "allreduce", "--strategy", "tree", "--ranks", "8", "--minbytes",
                                        "8192", "--maxbytes", "32768", "--platform", "ring.xml", "--format", "csv"},
                          .folder = sweep.folder.path().string(),
                          .environment = {{"TANDEM_DEVICES", std::nullopt}}});
  ASSERT_EQ(alone.code, 0) << alone.err;
  const auto first_row = alone.out.substr(alone.out.find("\r\n") + 2);
  EXPECT_THAT(csv, HasSubstr(first_row.substr(0, first_row.find("\r\n"))));
}

TEST(Sweep, SameBytesForAnyNumberOfProcessesAndAgain) {
  const auto expected = csv_of_a_whole_run();
  const Sweep sweep;
  EXPECT_EQ(sweep.run({"--format", "csv", "-j", "5"}).out, expected);
  EXPECT_EQ(to_run(sweep.run({"--dry-run"})), 12 - 12);
  EXPECT_EQ(sweep.run({"--format", "csv"}).out, expected); // from the store alone
  const auto json = sweep.run({"--format", "json"}).out;
  EXPECT_EQ(sweep.run({"--format", "json", "-j", "1", "--store", "other.sqlite"}).out, json);
}

/// Another one each time; TANDEM_TEST_SEED repeats one that failed.
unsigned test_seed() {
  const char* given = std::getenv("TANDEM_TEST_SEED");
  return given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device()();
}

/// Killed at three random moments of the time that the whole takes: the next run opens what is left, and nothing is
/// lost or wrong.
TEST(Sweep, SurvivesBeingKilledAtRandom) {
  const auto begin = std::chrono::steady_clock::now();
  const auto expected = csv_of_a_whole_run();
  const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  const auto seed = test_seed();
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> moment_ms(1, std::max(2, static_cast<int>(whole.count())));
  const Sweep sweep;
  long left = 9;
  for (int kill = 0; kill < 3; ++kill) {
    const int after_ms = moment_ms(random);
    std::cout << fmt::format("killed after {} ms of {}, TANDEM_TEST_SEED={}\n", after_ms, whole.count(), seed);
    sweep.run_and_kill(after_ms);
    const auto now = to_run(sweep.run({"--dry-run"}));
    EXPECT_LE(now, left);
    left = now;
  }
  const auto outcome = sweep.run({"--format", "csv", "-j", "2"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, expected);
}

TEST(Sweep, AnInterruptKeepsWhatIsDone) {
  const auto expected = csv_of_a_whole_run();
  const Sweep sweep;
  const auto outcome = sweep.run({"-j", "1", "-o", "out.csv"}, 60);
  if (outcome.code != 0) { // a fast machine may be through
    EXPECT_TRUE(outcome.code == 130 || outcome.signal == SIGINT) << outcome.code << outcome.err;
    EXPECT_EQ(sweep.folder.read("out.csv"), "");
  }
  EXPECT_EQ(sweep.run({"--format", "csv"}).out, expected);
}

TEST(Sweep, AChangedInputRunsItsPointsAgainOnly) {
  const Sweep sweep;
  ASSERT_EQ(sweep.run().code, 0);
  auto text = study_text();
  text.replace(text.find("halving-doubling"), 16, "direct");
  sweep.folder.write("s.yaml", text);
  EXPECT_EQ(to_run(sweep.run({"--dry-run"})), 3); // of the new strategy, ranks 2, 4 and 8
  sweep.folder.write("s.yaml", study_text());
  EXPECT_EQ(to_run(sweep.run({"--dry-run"})), 0);
  sweep.folder.write("ring.xml", sweep.folder.read("ring.xml") + "<!-- changed -->\n");
  EXPECT_EQ(to_run(sweep.run({"--dry-run"})), 9); // all read it
}

TEST(Sweep, ADryRunLeavesNothingBehind) {
  const Sweep sweep;
  const auto outcome = sweep.run({"--dry-run"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(to_run(outcome), 9);
  EXPECT_THAT(outcome.out, HasSubstr("tandem collective allreduce --strategy ring --ranks 2"));
  EXPECT_THAT(sweep.folder.names(), testing::ElementsAre("ring.xml", "s.yaml"));
}

TEST(Sweep, ShardsMakeTheWhole) {
  const auto expected = csv_of_a_whole_run();
  const Sweep sweep;
  for (const std::string i : {"0", "1", "2"})
    ASSERT_EQ(sweep.run({"--shard", i + "/3", "--store", i + ".sqlite", "-q", "-o", "/dev/null"}).code, 0);
  const auto partial = sweep.run({"--merge", "0.sqlite", "2.sqlite", "--format", "csv"});
  EXPECT_EQ(partial.code, 1);
  EXPECT_THAT(partial.err, HasSubstr("of 12 points have not been run"));
  EXPECT_THAT(partial.out, HasSubstr(",pending,"));
  const auto whole = sweep.run({"--merge", "1.sqlite", "--format", "csv"});
  EXPECT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(whole.out, expected);
}

TEST(Sweep, ShardsMayShareAStore) {
  const auto expected = csv_of_a_whole_run();
  const Sweep sweep;
  for (const std::string i : {"0", "1"})
    ASSERT_EQ(sweep.run({"--shard", i + "/2"}).code, 0);
  EXPECT_EQ(to_run(sweep.run({"--dry-run"})), 0);
  EXPECT_EQ(sweep.run({"--format", "csv"}).out, expected);
}

TEST(Sweep, ShowsABarOnATerminal) {
  const Sweep sweep;
  const auto outcome = run({.arguments = {"sweep", "s.yaml", "-o", "out.csv"},
                            .folder = sweep.folder.path().string(),
                            .environment = {{"TANDEM_DEVICES", std::nullopt}},
                            .terminal = true});
  EXPECT_THAT(outcome.err, HasSubstr("0/9 points, 0 failed"));
  EXPECT_THAT(outcome.err, HasSubstr("9/9 points, 0 failed"));
}

/// A variable that stands in for a flag is part of each point's command line.
TEST(Sweep, TheEnvironmentIsInTheCommands) {
  const Sweep sweep;
  const auto outcome = run({.arguments = {"sweep", "s.yaml", "--dry-run"},
                            .folder = sweep.folder.path().string(),
                            .environment = {{"TANDEM_DEVICES", repository("platforms/devices")}}});
  EXPECT_THAT(outcome.out, HasSubstr("--devices " + repository("platforms/devices")));
}

struct Mistake {
  std::string from, to, message;
};

TEST(Sweep, MistakesAreToldBeforeAnythingRuns) {
  const std::vector<Mistake> mistakes = {
      {"ranks: [2", "rank: [2",
       "s.yaml:5:3: unknown flag of collective or name of variables 'rank' (did you mean 'ranks'?)"},
      {"[2, 3", "[2, x3", "s.yaml:7:13: 'if(ranks == 3, 1 / 2, ranks * 1024)': 'x3' is a text"},
      {"operation: allreduce", "operation: allreduces", "s.yaml:10:14: point 1 (strategy ring, ranks 2): "},
      {"platform: ring.xml", "platform: rings.xml", "s.yaml:11:13: point 1 (strategy ring, ranks 2): "},
      {"[ring, tree", "[rign, tree", "s.yaml:4:14: "},
      {"collective\n", "colective\n", "unknown command 'colective' (did you mean 'collective'?)"},
  };
  for (const auto& mistake : mistakes) {
    const Sweep sweep;
    auto text = study_text();
    text.replace(text.find(mistake.from), mistake.from.size(), mistake.to);
    sweep.folder.write("s.yaml", text);
    const auto outcome = sweep.run();
    EXPECT_EQ(outcome.code, 2) << mistake.to;
    EXPECT_THAT(outcome.err, HasSubstr(mistake.message));
    EXPECT_THAT(sweep.folder.names(), testing::ElementsAre("ring.xml", "s.yaml"));
  }
}

TEST(Sweep, OutputsAreLookedAtFirst) {
  const Sweep sweep;
  for (const auto& words : std::vector<std::vector<std::string>>{{"-o", "no/folder.csv"},
                                                                 {"--store", "no/folder.sqlite"},
                                                                 {"-o", "s.yaml"},
                                                                 {"--store", "s.yaml"},
                                                                 {"--store", "x.csv", "-o", "x.csv"},
                                                                 {"--shard", "3/3"},
                                                                 {"--shard", "1"},
                                                                 {"--shard", "0/2", "--merge", "x"},
                                                                 {"--merge", "absent.sqlite"}}) {
    const auto outcome = sweep.run(words);
    EXPECT_EQ(outcome.code, 2) << fmt::format("{}", fmt::join(words, " ")) << outcome.err;
    EXPECT_THAT(outcome.err, Not(HasSubstr("bug")));
  }
}

} // namespace
} // namespace tandem::app
