// tandem collective against logs of nccl-tests and rccl-tests: what is read of them, and what is refused.
#include "app/collective_command.h"

#include <cmath>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::app {
namespace {

using testing::HasSubstr;

/// Every generation of the format, what launchers put before a line and between lines.
TEST(CollectiveLogs, ReadsLogsOfEveryGeneration) {
  const std::vector<std::string> logs{// 2.13 and later
                                      "#  Rank  0 Group  0 Pid 1 on host device  0 [0000:0f:00] NVIDIA H100 80GB HBM3\n"
                                      "#       size         count      type   redop    root     time   algbw   busbw "
                                      "#wrong     time   algbw   busbw #wrong\n"
                                      "     1048576        262144     float     sum      -1    27.37   38.31   67.04   "
                                      "   0    26.97   38.88   68.05      0\n",
                                      // before: no root, `error`; behind mpirun's tags, between NCCL's lines
                                      "[1,0]<stdout>:#       size         count    type   redop     time   algbw   "
                                      "busbw  error     time   algbw   busbw  error\n"
                                      "[1,3]<stdout>:host:27:68 [1] NCCL INFO Connected all trees\n"
                                      "[1,0]<stdout>:     1048576        262144   float     sum    27.37   38.31   "
                                      "67.04  2e-07    26.97   38.88   68.05  2e-07\n",
                                      // srun's tags; in-place times that were not taken; rows that were left out
                                      "0:      1048576        262144     float     sum      -1    27.37   38.31   "
                                      "67.04    N/A      N/A     N/A     N/A    N/A\n"
                                      "0:    ...\n"};
  for (auto log : logs) {
    for (int rank = 1; log.starts_with("#") && rank < 8; ++rank)
      log +=
          "#  Rank  " + std::to_string(rank) + " Group  0 Pid 1 on host device  0 [0000:0f:00] NVIDIA H100 80GB HBM3\n";
    const Folder folder({{"a.log", log}});
    const auto outcome = run({.arguments = collective_command(
                                  {"allreduce", "--against", (folder.path() / "a.log").string(), "--format", "json"})});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto document = nlohmann::json::parse(outcome.out);
    ASSERT_EQ(document.at("rows").size(), 1u);
    const auto& row = document.at("rows")[0];
    EXPECT_EQ(row.at("size_bytes"), 1048576);
    EXPECT_EQ(row.at("measured_us"), 27.37);
    const double error = row.at("time_us").get<double>() / 27.37 - 1.0;
    EXPECT_NEAR(row.at("error").get<double>(), error, 1e-9);
  }
}

/// What was printed is a log too: against itself the error is that of its four digits.
TEST(CollectiveLogs, ReadsItsOwnTable) {
  const Folder folder;
  const auto file = (folder.path() / "ring.log").string();
  ASSERT_EQ(run({.arguments = collective_command({"allreduce", "-o", file})}).code, 0);
  const auto outcome = run({.arguments = collective_command({"allreduce", "--against", file, "--format", "json"})});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document.at("rows").size(), 25u); // 8 B to 128 MiB
  for (const auto& row : document.at("rows"))
    EXPECT_LT(std::abs(row.at("error").get<double>()), 1e-3);
  const auto table = run({.arguments = collective_command({"allreduce", "--against", file})});
  EXPECT_THAT(table.out, HasSubstr("mean absolute error: 0.0% below 1 MiB, 0.0% from 1 MiB on\n"));
}

TEST(CollectiveLogs, RefusesLogsThatDoNotFit) {
  const std::string row = "1048576 262144 float sum -1 27.37 38.31 67.04 0 26.97 38.88 68.05 0\n";
  struct Bad {
    std::string operation, log, message;
  };
  for (const auto& [operation, log, message] : std::vector<Bad>{
           {"allreduce", "", "a.log: no row of nccl-tests in it"},
           {"allreduce", "tandem\n" + row.substr(0, 40) + "\n", "a.log:2: a row of "},
           {"allreduce", "1048576 262144 float sum -1 27.3x 38.31 67.04 0 26.97 38.88 68.05 0\n",
            "a.log:1: time '27.3x' must be a number above 0, algbw '38.31' and busbw '67.04' numbers"},
           {"allreduce", "1048576 262144 float sum -1 0 38.31 67.04 0 26.97 38.88 68.05 0\n", "a.log:1: time '0'"},
           {"allreduce", "99999999999999999999 2 float sum -1 27 38.31 67.04 0 26.97 38.88 68.05 0\n",
            "a.log:1: size '99999999999999999999' and count '2' must be whole numbers"},
           {"allreduce", "-1 262144 float sum -1 27 38.31 67.04 0 26.97 38.88 68.05 0\n", "a.log:1: size '-1'"},
           {"allreduce", "1024 zz float sum -1 27 38.31 67.04 0 26.97 38.88 68.05 0\n",
            "a.log:1: size '1024' and count 'zz'"},
           {"allreduce", row + "#  size  count  type\n" + row, "a.log:2: a second table; allowed: a log of one run"},
           {"allreduce", "1048576 262144 float sum -1 -1 38.31 67.04 0 26.97 38.88 68.05 0\n", "a.log:1: time '-1'"},
           {"allreduce", "1048576 262144 float sum -1 nan 38.31 67.04 0 26.97 38.88 68.05 0\n", "a.log:1: time 'nan'"},
           {"allreduce", "# Rank 0 Pid 1\n# Rank 1 Pid 1\n" + row, "it is of 2 ranks; 8 are simulated"},
           {"allgather", row, "its busbw / algbw is 1.75; it would be 0.875 for all-gather on 8 ranks"},
       }) {
    const Folder folder({{"a.log", log}});
    const auto outcome =
        run({.arguments = collective_command({operation, "--against", (folder.path() / "a.log").string()})});
    EXPECT_EQ(outcome.code, 2) << log;
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }
  EXPECT_EQ(run({.arguments = collective_command({"allreduce", "--against", "/nowhere.log"})}).code, 2);
  EXPECT_EQ(run({.arguments = collective_command({"allreduce", "--against", "/nowhere.log", "-b", "8"})}).code, 2);
}

/// Real logs, read where they lie.
TEST(CollectiveLogs, ReadsPublishedLogs) {
  const std::string folder = repository("../shared/samples/nccl-tests-log/");
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "the samples are not beside the repository";
  for (const auto& [file, operation] :
       std::map<std::string, std::string>{{"nvidia-dgxc-8xh100-allreduce.log", "allreduce"},
                                          {"superbench-a100x8-nccl_allgather.log", "allgather"},
                                          {"superbench-a100x8-nccl_alltoall.log", "alltoall"},
                                          {"superbench-a100x8-nccl_reduce.log", "reduce"}}) {
    const auto outcome =
        run({.arguments = collective_command({operation, "--against", folder + file, "--format", "csv"})});
    EXPECT_EQ(outcome.code, 0) << file << outcome.err;
  }
}

} // namespace
} // namespace tandem::app
