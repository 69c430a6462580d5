// tandem collective as a user calls it: the table of nccl-tests, other formats, and what is refused.
#include "app/collective_command.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::app {
namespace {

using testing::HasSubstr;

// 8 GPUs, kernel launch 2 us, route 0.5 us: ring, a launch + 14 latencies + 14/8 of 64 B = 9.0003 us.
TEST(Collective, PrintsTheTableOfNcclTests) {
  const auto outcome =
      run({.arguments = collective_command({"all_reduce", "-b", "64", "-e", "128", "--strategy", "ring"})});
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
                "          64            16     float     sum      -1     9.00    0.01    0.01      0     9.00    "
                "0.01    0.01      0\n"
                "         128            32     float     sum      -1     9.00    0.01    0.02      0     9.00    "
                "0.01    0.02      0\n"
                "# Out of bounds values : 0 OK\n"));
}

// On one node all ranks do the same; on nodes of eight, so do those of one place.
TEST(Collective, PlaysOneGpuForAllThatDoTheSame) {
  const auto ring = [](const std::string& fold, const std::string& nodes) {
    const auto outcome =
        run({.arguments = collective_command({"allreduce", "-b", "1M", "-e", "1M", "--strategy", "ring", "--nodes",
                                              nodes, "--fold", fold, "--format", "json"})});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out).at("rows").at(0);
  };
  for (const auto* nodes : {"1", "4"}) {
    const auto whole = ring("off", nodes), folded = ring("auto", nodes);
    const auto time = whole.at("time_us").get<double>();
    EXPECT_NEAR(folded.at("time_us").get<double>(), time, 1e-9 * time);
    EXPECT_EQ(whole.at("fold_factor").get<double>(), 1.0);
    EXPECT_EQ(folded.at("played_gpus").get<int>(), std::string(nodes) == "1" ? 1 : 8);
  }
}

TEST(Collective, ExplainsRankClasses) {
  const auto outcome =
      run({.arguments = collective_command({"allreduce", "-b", "1M", "-e", "8M", "-f", "8", "--strategy", "ring",
                                            "--nodes", "4", "--explain-classes"})});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("ring, 1.049 MB, 8.389 MB\n  8 classes of 32 ranks"));
  EXPECT_THAT(outcome.out, HasSubstr("4 ranks, 7-31 step 8 (rank 7 sends to rank 8 over network, "));
  const auto refused = run({.arguments = collective_command({"allreduce", "--fold", "offs"})});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("did you mean 'off'"));
}

// A ring over two DGX A100 crosses from node to node by one card of 25 GB/s each way, which is all that large sizes
// see: busbw tends to 25 GB/s. Launches and 30 steps with 1.8 us of PCIe and network at 1 GiB cost less than a percent.
TEST(Collective, RunsOnSeveralNodes) {
  for (const std::string routing : {"deterministic", "ecmp", "spray"}) {
    const auto outcome =
        run({.arguments = {"collective", "allreduce", "--platform", repository("platforms/dgx-a100.xml"), "--nodes",
                           "2", "-b", "1G", "-e", "1G", "--strategy", "ring", "--set", "platform.routing=" + routing,
                           "--format", "json"}});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto result = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(result.at("settings").at("nodes"), "2");
    EXPECT_EQ(result.at("settings").at("set/platform.routing"), routing);
    const auto busbw = result.at("rows").at(0).at("busbw_gbps").get<double>();
    EXPECT_LE(busbw, 25.0);
    EXPECT_GE(busbw, 24.7);
  }
}

TEST(Collective, OneMachineHasNoNodes) {
  const auto outcome = run(
      {.arguments = {"collective", "allreduce", "--platform", repository("platforms/t3-ring-8.xml"), "--nodes", "2"}});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("states no fabric, so it describes one machine and not a cluster of nodes"));
}

/// algbw = size / time; busbw = algbw x 2 (n-1)/n for an all-reduce, x (n-1)/n for an all-gather, x 1 for a broadcast.
TEST(Collective, BandwidthsFollowFromTheTime) {
  const std::vector<std::pair<std::string, double>> factors{{"allreduce", 14.0 / 8}, {"reduce-scatter", 7.0 / 8},
                                                            {"all_gather", 7.0 / 8}, {"alltoall", 7.0 / 8},
                                                            {"broadcast", 1},        {"reduce", 1},
                                                            {"scatter", 7.0 / 8},    {"gather", 7.0 / 8},
                                                            {"sendrecv", 1}};
  for (const auto& [operation, factor] : factors) {
    const auto outcome =
        run({.arguments = collective_command({operation, "-b", "1M", "-e", "16M", "-f", "4", "--format", "json"})});
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

/// No GEMM, and no memory that adds: of the device only what moves data is assumed.
TEST(Collective, AssumesNothingOfKernels) {
  const auto outcome =
      run({.arguments = collective_command({"allreduce", "-b", "1M", "-e", "1M", "--format", "json"})});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out).at("assumed"),
            nlohmann::json({"memory_efficiency", "sm_copy_bandwidth", "kernel_launch", "copy_engines",
                            "platform: latencies in the node", "platform: links between CPUs"}));
}

/// nccl-tests rounds: whole floats, and 16 bytes for each rank's own part.
TEST(Collective, RoundsSizesAsNcclTestsDoes) {
  const auto sizes = [](const std::string& operation) {
    const auto outcome =
        run({.arguments = collective_command({operation, "-b", "100", "-e", "1100", "-i", "501", "--format", "json"})});
    std::vector<int> list;
    const auto document = nlohmann::json::parse(outcome.out);
    for (const auto& row : document.at("rows"))
      list.push_back(row.at("size_bytes").get<int>());
    return list;
  };
  EXPECT_EQ(sizes("allreduce"), (std::vector{100, 600})); // of 100, 601; 1102 is beyond the end
  EXPECT_EQ(sizes("allgather"), (std::vector{0, 512}));
  // 7, 8, ... 13: 4, 8 and 12, each once, and a word about it
  const auto odd =
      run({.arguments = collective_command({"allreduce", "-b", "7", "-e", "13", "-i", "1", "--format", "csv"})});
  EXPECT_EQ(std::count(odd.out.begin(), odd.out.end(), '\n'), 4);
  EXPECT_THAT(odd.err, HasSubstr("7 sizes are asked for and 3 run"));
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
           {{"allreduce", "-f", "-2"}, 2, "-f: "},
           {{"allreduce", "-r", "1"}, 2, "-r: all-reduce has no root"},
           {{"allreduce", "-n", "9"}, 2, "it has 8 GPUs; 9 ranks are asked for"},
           {{"broadcast", "-r", "8"}, 2, "root 8 does not exist; allowed: 0 to 7"},
           {{"allreduce", "--strategy", "rign"}, 2, "unknown strategy 'rign' (did you mean 'ring'?)"},
           {{"allreduce", "--strategy", "ring", "--strategy", "ring"}, 2, "strategy ring is given twice"},
           {{"scatter", "--strategy", "tree"}, 1, "it does no scatter, only all-reduce, broadcast, reduce"},
           {{"allreduce", "--strategy", "t3"}, 1, "it works on the output of a GEMM, and there is none"},
           {{"allreduce", "-o", "/nowhere/a.json"}, 2, "/nowhere/a.json"},
           {{"allreduce", "--strategy", "ring:sms=133"}, 2, "parameter sms: 133 is more than the 132 SMs of h100-sxm"},
           {{"allreduce", "--library", "nope"}, 2, "(searched: " + repository("platforms/libraries") + ")\n"},
       }) {
    const auto outcome = run({.arguments = collective_command(arguments)});
    EXPECT_EQ(outcome.code, code) << message << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(Collective, RunsOnOneRank) {
  for (const auto* operation :
       {"allreduce", "reducescatter", "allgather", "alltoall", "broadcast", "reduce", "scatter", "gather"}) {
    const auto outcome =
        run({.arguments = collective_command({operation, "-n", "1", "-b", "1K", "-e", "1K", "--format", "csv"})});
    EXPECT_EQ(outcome.code, 0) << operation << outcome.err;
  }
}

/// As NCCL: out of place a copy within the memory, which takes a launch (2 us), then a read and a write at 3.35 TB/s x
/// 0.92; in place nothing but the host's call (host_issue of nccl-hopper, 3.9 us).
TEST(Collective, OneRankCopiesItsBufferOutOfPlace) {
  constexpr double BYTES = 1073741824.0, COPY_US = 2.0 + 2 * BYTES / (3.35e12 * 0.92) * 1e6;
  for (const auto* operation : {"allreduce", "alltoall", "broadcast", "sendrecv"})
    for (const auto* strategy : {"auto", "direct"}) {
      const auto outcome =
          run({.arguments = collective_command({operation, "-n", "1", "-b", "1G", "-e", "1G", "--strategy", strategy,
                                                "-o", "-", "--format", "json"})});
      ASSERT_EQ(outcome.code, 0) << operation << outcome.err;
      const auto row = nlohmann::json::parse(outcome.out).at("rows").at(0);
      EXPECT_NEAR(row.at("time_us").get<double>(), COPY_US, 1e-9 * COPY_US) << operation;
      EXPECT_DOUBLE_EQ(row.at("in_place_us").get<double>(), 3.9) << operation;
      EXPECT_EQ(row.at("algorithm"), "copy");
    }
}

/// A file for 64 KiB up to 1 MiB does two of the four sizes from 16 KiB to 1 MiB.
TEST(Collective, SkipsSizesThatAFileIsNotFor) {
  const Folder folder;
  const auto file = folder.file("ring.xml"), part = folder.file("part.xml");
  ASSERT_EQ(run({.arguments = collective_command({"allreduce", "--strategy", "ring", "--export", file})}).code, 0);
  auto text = text_of(file);
  const auto root = text.find("<algo ") + 6;
  std::ofstream(part) << text.substr(0, root) + "minBytes=\"65536\" maxBytes=\"1048576\" " + text.substr(root);
  const auto sweep = [&](const std::string& largest, const std::string& format) {
    return run({.arguments = collective_command({"allreduce", "--strategy", "ring", "--strategy", part, "-b", "16K",
                                                 "-e", largest, "-f", "4", "--format", format})});
  };
  const auto outcome = sweep("1M", "json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document.at("rows").size(), 4U + 2U);
  const auto& skipped = document.at("skipped");
  ASSERT_EQ(skipped.size(), 2U);
  EXPECT_EQ(skipped[1].at("size_bytes"), 1048576);
  const std::string reason = "it is for sizes from 65536 B to less than 1048576 B, not 16384 B";
  EXPECT_THAT(skipped[0].at("reason").get<std::string>(), HasSubstr(reason));
  EXPECT_THAT(sweep("1M", "table").out, HasSubstr("# skipped 16384 B: strategy " + part + " cannot do it: " + reason));
  const auto none = sweep("16K", "json");
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr(reason));
}

/// Real files of MSCCL, where they lie beside the repository: each runs at a size of its own and is written back.
TEST(Collective, RunsTheAlgorithmsOfMscclFiles) {
  const std::string folder = repository("../shared/samples/msccl-xml/");
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "the samples are not beside the repository";
  const Folder copies;
  struct Sample {
    const char *file, *operation, *ranks, *size;
  };
  for (const auto& sample : std::vector<Sample>{{"astra-sim_ring_allreduce_8npus.xml", "allreduce", "8", "1048576"},
                                                {"azure-ncv4-ag_hier_4_Simple.xml", "allgather", "4", "1048576"},
                                                {"azure-ncv4-ar_tree_12_LL.xml", "allreduce", "4", "98304"},
                                                {"azure-ndv4-ag-1k-512k.xml", "allgather", "8", "262144"},
                                                {"azure-ndv5-ag-1k-512k.xml", "allgather", "8", "262144"},
                                                {"rccl-alltoall-8n-190kb-512kb.xml", "alltoall", "8", "262144"},
                                                {"rccl-alltoall-8n-9kb-190kb.xml", "alltoall", "8", "65536"}}) {
    const auto file = folder + sample.file;
    const auto timed = [&](const std::string& path) {
      return run({.arguments = collective_command({sample.operation, "-n", sample.ranks, "-b", sample.size, "-e",
                                                   sample.size, "--strategy", path, "--format", "csv"})});
    };
    const auto outcome = timed(file);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto copy = copies.file(sample.file);
    const auto written = run({.arguments = collective_command(
                                  {sample.operation, "-n", sample.ranks, "--strategy", file, "--export", copy})});
    ASSERT_EQ(written.code, 0) << written.err;
    const auto again = timed(copy);
    EXPECT_EQ(again.code, 0) << again.err;
    const auto too_small = run({.arguments = collective_command({sample.operation, "-n", "2", "--strategy", file})});
    EXPECT_EQ(too_small.code, 1);
    EXPECT_THAT(too_small.err, HasSubstr("ranks, not 2"));
  }
}

TEST(Collective, TakesTheSizesOfAnAllToAllVFromAFile) {
  const Folder folder({{"skew.csv", "# from each rank, to each\n0, 1MiB, 1048576\n8 0 8\n0;0;0\n"},
                       {"short.csv", "1 2\n"},
                       {"ragged.csv", "1 2\n3\n"},
                       {"gap.csv", "0,,1\n1,,0\n"},
                       {"end.csv", "0,1\n1,\n"},
                       {"words.csv", "1 x\n3 4\n"}});
  const auto file = [&](const char* name) { return (folder.path() / name).string(); };
  const auto outcome =
      run({.arguments = collective_command({"alltoallv", "--matrix", file("skew.csv"), "--format", "csv"})});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const auto& [name, message] :
       std::map<std::string, std::string>{{"short.csv", "short.csv: 1 line of sizes for 2 ranks"},
                                          {"ragged.csv", "ragged.csv:2: 1 sizes, where the first line has 2"},
                                          {"gap.csv", "gap.csv:1: a size is missing between commas"},
                                          {"end.csv", "end.csv:2: a size is missing behind the last comma"},
                                          {"words.csv", "words.csv:1: 'x'"}}) {
    const auto bad = run({.arguments = collective_command({"alltoallv", "--matrix", file(name.c_str())})});
    EXPECT_EQ(bad.code, 2);
    EXPECT_THAT(bad.err, HasSubstr(message));
  }
  const auto refused = [](const std::vector<std::string>& arguments) {
    const auto bad = run({.arguments = collective_command(arguments)});
    EXPECT_EQ(bad.code, 2);
    return bad.err;
  };
  EXPECT_THAT(refused({"alltoallv"}), HasSubstr("alltoallv needs --matrix FILE"));
  EXPECT_THAT(refused({"alltoall", "--matrix", file("skew.csv")}), HasSubstr("only alltoallv takes a matrix"));
  EXPECT_THAT(refused({"alltoallv", "--matrix", file("skew.csv"), "-b", "8"}), HasSubstr("the matrix says"));
  EXPECT_THAT(refused({"alltoallv", "--matrix", file("skew.csv"), "-n", "4"}), HasSubstr("it is for 3 ranks"));
  EXPECT_THAT(refused({"barrier", "-e", "8"}), HasSubstr("a barrier moves no bytes"));
  EXPECT_EQ(run({.arguments = collective_command({"barrier"})}).code, 0);
}

/// What nobody chose costs what the library's kernels cost. One message has the whole rate of the protocol: 370 GB/s
/// for 1 GiB are 2,902 us, and launch and latency less than 100 us more.
TEST(Collective, BarriersAndPairsHaveTheLibrarysCostsByDefault) {
  const auto row_of = [](const std::vector<std::string>& arguments) {
    auto words = arguments;
    words.insert(words.begin(), "collective");
    words.insert(words.end(), {"--platform", repository("platforms/dgx-h100.xml"), "--format", "json"});
    const auto outcome = run({.arguments = words});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out).at("rows").at(0);
  };
  EXPECT_NE(row_of({"barrier"}).at("protocol"), "");
  const auto pair = row_of({"sendrecv", "-b", "1G", "-e", "1G"});
  EXPECT_EQ(pair.at("protocol"), "Simple");
  EXPECT_NEAR(pair.at("time_us"), 2952, 50);
  EXPECT_EQ(pair.at("count"), 268435456); // floats of 1 GiB: the message is whole
}

TEST(Collective, RefusesProcessesOfMoreGpusThanThereAreAndCodecsThatAFormatHasNot) {
  const Folder folder;
  const auto refused = [](const std::vector<std::string>& arguments) {
    const auto bad = run({.arguments = collective_command(arguments)});
    EXPECT_EQ(bad.code, 2);
    return bad.err;
  };
  EXPECT_THAT(refused({"allreduce", "-g", "1000"}), HasSubstr("--ngpus 1000: there are"));
  EXPECT_THAT(refused({"allreduce", "--devices", folder.file("absent")}), HasSubstr("is no device file"));
  EXPECT_THAT(refused({"allreduce", "--strategy", "ring+zfp", "--export", folder.file("x.xml")}),
              HasSubstr("an MSCCL algorithm has no compression"));
}

} // namespace
} // namespace tandem::app
