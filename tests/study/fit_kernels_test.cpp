// Kernel times: what the shipped devices predict of measured ones, and that a fit finds constants that it is given.
#include "study/fit_kernels.h"

#include "base/error.h"
#include "model/kernel_cost.h"
#include "platform/devices.h"
#include "workload/kernel_times.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::study {
namespace {

const std::string A100_MEASURED = TANDEM_SOURCE_DIR "/workloads/validation/gemm-a100.csv";
const std::string MEASURED = TANDEM_SOURCE_DIR "/workloads/validation/gemm.csv";

model::Device device(const std::string& name) {
  return platform::read_device(std::string(TANDEM_SOURCE_DIR "/platforms/devices/") + name + ".yaml");
}

/// Mean of |predicted / measured - 1| over the rows of at least `flops`.
double mape(const std::string& gpu, const std::string& name, double flops, const std::string& measured = MEASURED) {
  const auto of = device(name);
  double sum = 0;
  int count = 0;
  for (const auto& row : workload::read_kernel_times(measured, gpu)) {
    if (row.gemm.flops().value() < flops)
      continue;
    sum += std::abs(predicted_time(row, of) / row.time_s - 1);
    ++count;
  }
  return sum / count;
}

// docs/validation.md states these.
TEST(MeasuredGemms, AreWithinTheStatedErrors) {
  EXPECT_LT(mape("V100 (CUDA10.1)", "v100-sxm", 0), 0.12);
  EXPECT_LT(mape("V100 (CUDA10.1)", "v100-sxm", 2e9), 0.08);
  EXPECT_LT(mape("H800 (NVCC 12.8)", "h100-sxm", 0), 0.11);
  EXPECT_LT(mape("A100", "a100-sxm-40", 0, A100_MEASURED), 0.05);
}

// The best shapes of a search. A100's constants are those of shapes as they come.
TEST(MeasuredGemms, BestShapes) {
  EXPECT_LT(mape("A100 SXM", "a100-sxm-80", 0), 0.15);
  EXPECT_LT(mape("MI300X", "mi300x", 0), 0.05);
}

std::vector<model::KernelTime> invented(const model::Device& by) {
  std::vector<model::KernelTime> rows;
  for (const std::int64_t m : {64, 512, 4096, 8192})
    for (const std::int64_t n : {256, 2048, 7168})
      for (const std::int64_t k : {512, 4096}) {
        model::KernelTime row;
        row.gemm = {.m = m, .n = n, .k = k, .precision = "bf16"};
        row.time_s = predicted_time(row, by);
        rows.push_back(row);
      }
  return rows;
}

TEST(FitKernels, FindsTheConstantsOfInventedTimes) {
  auto truth = device("a100-sxm-80");
  truth.gemm_efficiency = 0.7;
  truth.gemm_wave_setup = base::Seconds(3e-6);
  const auto all = fit_kernels(device("a100-sxm-80"), invented(truth));
  EXPECT_LT(all.unseen_after.mape, 0.05); // setups and efficiency stand in for each other along a valley
  EXPECT_GT(all.unseen_before.mape, 0.05);
  EXPECT_EQ(all.seen_after.rows + all.unseen_after.rows, 24);
  const auto two = fit_kernels(device("a100-sxm-80"), invented(truth), {"gemm_wave_setup", "gemm_efficiency"});
  ASSERT_EQ(two.constants.size(), 2U);
  EXPECT_LT(two.unseen_after.mape, 0.005);
  EXPECT_NEAR(two.device.gemm_efficiency, 0.7, 0.005);
  EXPECT_NEAR(two.device.gemm_wave_setup.value(), 3e-6, 0.1e-6);
}

TEST(FitKernels, RefusesConstantsThatTheRowsDoNotSpeakOf) {
  const auto rows = invented(device("a100-sxm-80")); // bf16
  EXPECT_THROW((void)fit_kernels(device("a100-sxm-80"), rows, {"gemm_fp8_efficiency"}), base::UserError);
  EXPECT_THROW((void)fit_kernels(device("a100-sxm-80"), rows, {"gemm_efficency"}), base::UserError);
}

TEST(FitKernels, IsDeterministicAndPrintsWhatItUsed) {
  const auto rows = invented(device("h100-sxm"));
  const auto once = fit_kernels(device("a100-sxm-80"), rows), again = fit_kernels(device("a100-sxm-80"), rows);
  ASSERT_EQ(once.constants.size(), 4U);
  for (std::size_t i = 0; i < once.constants.size(); ++i)
    EXPECT_EQ(once.constants[i].after, again.constants[i].after);
  EXPECT_DOUBLE_EQ(once.rows[5].after_s, predicted_time(rows[5], once.device));
}

TEST(FitKernels, RefusesTooFewShapes) {
  auto rows = invented(device("a100-sxm-80"));
  rows.resize(7);
  EXPECT_THROW((void)fit_kernels(device("a100-sxm-80"), rows), base::UserError);
}

std::string complaint(const std::string& text, const std::string& gpu = "") {
  try {
    (void)workload::parse_kernel_times(text, "t.csv", gpu);
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(KernelTimes, RefusesWhatIsNoTable) {
  using ::testing::HasSubstr;
  const std::string head = "gpu,dtype,m,n,k,time_us\n";
  EXPECT_EQ(complaint(head + "a,bf16,1,2,3,4.5\n"), "accepted");
  EXPECT_EQ(complaint(head + "\"a, b\",fp16 tensor-core,1,2,3,4.5\r\n\n"), "accepted");
  EXPECT_THAT(complaint(""), HasSubstr("is empty"));
  EXPECT_THAT(complaint("gpu,m,n,k,time_us\n"), HasSubstr("t.csv:1: no column 'dtype'"));
  EXPECT_THAT(complaint(head + "a,bf16,1,2,3\n"), HasSubstr("t.csv:2: 5 fields"));
  EXPECT_THAT(complaint(head + "a,bf16,0,2,3,4\n"), HasSubstr("t.csv:2: m"));
  EXPECT_THAT(complaint(head + "a,bf16,1,2,3,0\n"), HasSubstr("time_us"));
  EXPECT_THAT(complaint(head + "a,int4,1,2,3,4\n"), HasSubstr("int4"));
  EXPECT_THAT(complaint(head + "\"a,bf16,1,2,3,4\n"), HasSubstr("double quote"));
  EXPECT_THAT(complaint(head + "a,bf16,1,2,3,4\nb,bf16,1,2,3,4\n"), HasSubstr("choose one with --gpu: a, b"));
  EXPECT_THAT(complaint(head + "a100,bf16,1,2,3,4\n", "a10"), HasSubstr("did you mean 'a100'"));
}

} // namespace
} // namespace tandem::study
