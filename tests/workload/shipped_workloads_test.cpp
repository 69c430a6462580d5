// The workload files that ship with the program: T3's cases with sizes worked out by hand, and that every file reads.
#include "workload/workload_reader.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tandem::workload {
namespace {

const std::string FOLDER = std::string(TANDEM_SOURCE_DIR) + "/workloads/";

struct Expected {
  const char* model;
  int tp;
  const char* sublayer;
  const char* phase;
  std::int64_t m, n, k;
};

void expect_cases(const model::Workload& workload, const std::vector<Expected>& expected) {
  ASSERT_EQ(workload.cases.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const model::Case& found = workload.cases[i];
    SCOPED_TRACE(std::string(expected[i].model) + " " + expected[i].sublayer + " tp " + std::to_string(expected[i].tp));
    EXPECT_EQ(found.model, expected[i].model);
    EXPECT_EQ(found.tp, expected[i].tp);
    EXPECT_EQ(found.sublayer, expected[i].sublayer);
    EXPECT_EQ(found.phase, expected[i].phase);
    ASSERT_EQ(found.items.size(), 1U);
    ASSERT_TRUE(found.items[0].gemm.has_value());
    EXPECT_EQ(found.items[0].gemm->m, expected[i].m);
    EXPECT_EQ(found.items[0].gemm->n, expected[i].n);
    EXPECT_EQ(found.items[0].gemm->k, expected[i].k);
    EXPECT_EQ(found.items[0].gemm->precision, "fp16");
    EXPECT_EQ(found.items[0].gemm->batch, 1);
    EXPECT_EQ(found.items[0].collective, model::CollectiveKind::ALL_REDUCE);
  }
}

// M = tokens, N = H, K = k/TP with k = H (OP), 4H (FC-2, FC-1), 3H (IP).
// Mega-GPT-2, H 3072: H/8 = 384, 4H/8 = 1536, 3H/8 = 1152; half of each at TP 16.
// T-NLG, H 4256: H/8 = 532, 4H/8 = 2128, 3H/8 = 1596; half of each at TP 16.
const std::vector<Expected> T3_CASES = {
    {"Mega-GPT-2", 8, "OP", "forward", 16384, 3072, 384},     {"Mega-GPT-2", 8, "FC-2", "forward", 16384, 3072, 1536},
    {"Mega-GPT-2", 8, "FC-1", "backward", 16384, 3072, 1536}, {"Mega-GPT-2", 8, "IP", "backward", 16384, 3072, 1152},
    {"Mega-GPT-2", 16, "OP", "forward", 16384, 3072, 192},    {"Mega-GPT-2", 16, "FC-2", "forward", 16384, 3072, 768},
    {"Mega-GPT-2", 16, "FC-1", "backward", 16384, 3072, 768}, {"Mega-GPT-2", 16, "IP", "backward", 16384, 3072, 576},
    {"T-NLG", 8, "OP", "forward", 8192, 4256, 532},           {"T-NLG", 8, "FC-2", "forward", 8192, 4256, 2128},
    {"T-NLG", 8, "FC-1", "backward", 8192, 4256, 2128},       {"T-NLG", 8, "IP", "backward", 8192, 4256, 1596},
    {"T-NLG", 16, "OP", "forward", 8192, 4256, 266},          {"T-NLG", 16, "FC-2", "forward", 8192, 4256, 1064},
    {"T-NLG", 16, "FC-1", "backward", 8192, 4256, 1064},      {"T-NLG", 16, "IP", "backward", 8192, 4256, 798},
};

TEST(ShippedWorkloads, T3HasItsSixteenCases) {
  const model::Workload workload = read_workload(FOLDER + "t3.yaml");
  expect_cases(workload, T3_CASES);
  EXPECT_EQ(workload.baseline, "sequential");
  EXPECT_EQ(workload.strategies, (std::vector<std::string>{"sequential", "ideal-overlap", "ideal-rs-nmc", "concurrent",
                                                           "decomposed", "tile-fused", "t3", "t3-mca"}));
}

TEST(ShippedWorkloads, PlatformIsRelativeToTheWorkloadAndNamesTheDegree) {
  const model::Workload workload = read_workload(FOLDER + "t3.yaml");
  const std::string platforms = std::string(TANDEM_SOURCE_DIR) + "/platforms/";
  EXPECT_EQ(workload.cases.front().platform, platforms + "t3-ring-8.xml");
  EXPECT_EQ(workload.cases.back().platform, platforms + "t3-ring-16.xml");
}

TEST(ShippedWorkloads, TwiceTheComputeHasTheSameCasesOnAnotherMachine) {
  const model::Workload workload = read_workload(FOLDER + "t3-2x-cu.yaml");
  expect_cases(workload, T3_CASES);
  EXPECT_EQ(workload.cases.front().platform, std::string(TANDEM_SOURCE_DIR) + "/platforms/t3-ring-8-2x-cu.xml");
}

TEST(ShippedWorkloads, LargeModels) {
  // H/32 = 384, 576, 640 for GPT-3 (12288), PALM (18432), MT-NLG (20480); times 1, 4, 4, 3.
  expect_cases(read_workload(FOLDER + "t3-large.yaml"), {
                                                            {"GPT-3", 32, "OP", "forward", 2048, 12288, 384},
                                                            {"GPT-3", 32, "FC-2", "forward", 2048, 12288, 1536},
                                                            {"GPT-3", 32, "FC-1", "backward", 2048, 12288, 1536},
                                                            {"GPT-3", 32, "IP", "backward", 2048, 12288, 1152},
                                                            {"PALM", 32, "OP", "forward", 2048, 18432, 576},
                                                            {"PALM", 32, "FC-2", "forward", 2048, 18432, 2304},
                                                            {"PALM", 32, "FC-1", "backward", 2048, 18432, 2304},
                                                            {"PALM", 32, "IP", "backward", 2048, 18432, 1728},
                                                            {"MT-NLG", 32, "OP", "forward", 2048, 20480, 640},
                                                            {"MT-NLG", 32, "FC-2", "forward", 2048, 20480, 2560},
                                                            {"MT-NLG", 32, "FC-1", "backward", 2048, 20480, 2560},
                                                            {"MT-NLG", 32, "IP", "backward", 2048, 20480, 1920},
                                                        });
}

TEST(ShippedWorkloads, EndToEndHasALayerPerModelDegreeAndPhase) {
  const model::Workload workload = read_workload(FOLDER + "t3-end-to-end.yaml");
  ASSERT_EQ(workload.cases.size(), 8U); // 2 models x 2 degrees x 2 phases
  for (std::size_t i = 0; i < workload.cases.size(); ++i) {
    EXPECT_EQ(workload.cases[i].sublayer, "layer");
    EXPECT_EQ(workload.cases[i].phase, i % 2 == 0 ? "training" : "prompt");
  }
}

TEST(ShippedWorkloads, EveryFileReads) {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(FOLDER)) {
    const auto folder = entry.path().parent_path().filename();
    if (entry.path().extension() != ".yaml" || folder == "models" || folder == "validation" || folder == "studies" ||
        folder == "seeds")
      continue;
    SCOPED_TRACE(entry.path().string());
    EXPECT_FALSE(read_workload(entry.path().string()).cases.empty());
    ++files;
  }
  EXPECT_GE(files, 7);
}

} // namespace
} // namespace tandem::workload
