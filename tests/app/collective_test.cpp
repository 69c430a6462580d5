// tandem collective as a user calls it: the table of nccl-tests, other formats, and what is refused.
#include "app/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::app {
namespace {

using testing::HasSubstr;

std::vector<std::string> command(const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"collective"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.insert(all.end(), {"--platform", repository("platforms/h100-nvswitch-8.xml")});
  return all;
}

// 8 GPUs, kernel launch 2 us, route 1 us: ring, 2 launches + 14 latencies + 14/8 of 64 B = 18.0003 us.
TEST(Collective, PrintsTheTableOfNcclTests) {
  const auto outcome = run({.arguments = command({"all_reduce", "-b", "64", "-e", "128"})});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(
      outcome.out,
      HasSubstr("# strategy ring\n"
                "#\n"
                "#                                                              out-of-place                       "
                "in-place          \n"
                "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   "
                "algbw   busbw #wrong\n"
                "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  "
                "(GB/s)  (GB/s)       \n"
                "          64            16     float     sum      -1    18.00    0.00    0.01      0    18.00    "
                "0.00    0.01      0\n"
                "         128            32     float     sum      -1    18.00    0.01    0.01      0    18.00    "
                "0.01    0.01      0\n"
                "# Out of bounds values : 0 OK\n"));
}

/// algbw = size / time; busbw = algbw x 2 (n-1)/n for an all-reduce, x (n-1)/n for an all-gather, x 1 for a broadcast.
TEST(Collective, BandwidthsFollowFromTheTime) {
  const std::vector<std::pair<std::string, double>> factors{{"allreduce", 14.0 / 8}, {"reduce-scatter", 7.0 / 8},
                                                            {"all_gather", 7.0 / 8}, {"alltoall", 7.0 / 8},
                                                            {"broadcast", 1},        {"reduce", 1},
                                                            {"scatter", 7.0 / 8},    {"gather", 7.0 / 8}};
  for (const auto& [operation, factor] : factors) {
    const auto outcome =
        run({.arguments = command({operation, "-b", "1M", "-e", "16M", "-f", "4", "--format", "json"})});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto rows = nlohmann::json::parse(outcome.out).at("rows");
    ASSERT_EQ(rows.size(), 3u);
    for (const auto& row : rows) {
      const double algbw = row.at("size_bytes").get<double>() / (1e3 * row.at("time_us").get<double>());
      EXPECT_NEAR(row.at("algbw_gbps").get<double>(), algbw, 1e-9 * algbw) << operation;
      EXPECT_NEAR(row.at("busbw_gbps").get<double>(), algbw * factor, 1e-9 * algbw) << operation;
      EXPECT_GE(row.at("time_us").get<double>(), row.at("lower_bound_us").get<double>()) << operation;
    }
    EXPECT_LT(rows[0].at("time_us").get<double>(), rows[2].at("time_us").get<double>()) << operation;
  }
}

/// nccl-tests rounds: whole floats, and 16 bytes for each rank's own part.
TEST(Collective, RoundsSizesAsNcclTestsDoes) {
  const auto sizes = [](const std::string& operation) {
    const auto outcome =
        run({.arguments = command({operation, "-b", "100", "-e", "1100", "-i", "501", "--format", "json"})});
    std::vector<int> list;
    const auto document = nlohmann::json::parse(outcome.out);
    for (const auto& row : document.at("rows"))
      list.push_back(row.at("size_bytes").get<int>());
    return list;
  };
  EXPECT_EQ(sizes("allreduce"), (std::vector{100, 600})); // of 100, 601; 1102 is beyond the end
  EXPECT_EQ(sizes("allgather"), (std::vector{0, 512}));
}

TEST(Collective, RefusesWhatItCannotDo) {
  struct Bad {
    std::vector<std::string> arguments;
    int code;
    std::string message;
  };
  for (const auto& [arguments, code, message] : std::vector<Bad>{
           {{"allredce"}, 2, "unknown operation 'allredce' (did you mean 'allreduce'?)"},
           {{"allreduce", "-b", "1Q"}, 2, "-b: "},
           {{"allreduce", "-b", "0.5"}, 2, "-b: "},
           {{"allreduce", "-b", "1G", "-e", "1M"}, 2, "-b 1G is more than -e 1M"},
           {{"allreduce", "-f", "1"}, 2, "-f: 1 leads nowhere"},
           {{"allreduce", "-b", "0"}, 2, "-b 0 cannot be multiplied"},
           {{"allreduce", "-i", "0"}, 2, "-i: 0 leads nowhere"},
           {{"allreduce", "-i", "1"}, 2, "more than 1000 sizes"},
           {{"allreduce", "-n", "9"}, 2, "it has 8 GPUs; 9 ranks are asked for"},
           {{"broadcast", "-r", "8"}, 2, "root 8 does not exist; allowed: 0 to 7"},
           {{"allreduce", "--strategy", "rign"}, 2, "unknown strategy 'rign' (did you mean 'ring'?)"},
           {{"allreduce", "--strategy", "ring", "--strategy", "ring"}, 2, "strategy ring is given twice"},
           {{"scatter", "--strategy", "tree"}, 1, "it does no scatter, only all-reduce, broadcast, reduce"},
           {{"allreduce", "--strategy", "t3"}, 1, "it works on the output of a GEMM, and there is none"},
           {{"allgather", "-n", "6", "--strategy", "halving-doubling"}, 1, "needs a power of two of ranks, not 6"},
           {{"allreduce", "-o", "/nowhere/a.json"}, 2, "/nowhere/a.json"},
       }) {
    const auto outcome = run({.arguments = command(arguments)});
    EXPECT_EQ(outcome.code, code) << message << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(Collective, RunsOnOneRank) {
  for (const auto* operation :
       {"allreduce", "reducescatter", "allgather", "alltoall", "broadcast", "reduce", "scatter", "gather"}) {
    const auto outcome = run({.arguments = command({operation, "-n", "1", "-b", "1K", "-e", "1K", "--format", "csv"})});
    EXPECT_EQ(outcome.code, 0) << operation << outcome.err;
  }
}

} // namespace
} // namespace tandem::app
