// A GEMM in one piece and the same GEMM cut into stages.
#include "model/gemm_time.h"
#include "model/kernel_cost.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tandem::model {
namespace {

Device a100_like() {
  Device device;
  device.name = "like-a100";
  device.sms = 108;
  device.peak["fp16"] = FlopsPerSecond(312e12);
  device.vector_peak = FlopsPerSecond(19.5e12);
  device.gemm_efficiency = 0.87;
  device.gemm_wave_setup = Seconds(1.7e-6);
  device.gemm_read_ahead = 0.7;
  device.tile_m = 128;
  device.tile_n = 256;
  device.l2_bandwidth = BytesPerSecond(7.22e12);
  device.l2 = Bytes(40.0 * 1024 * 1024);
  device.hbm_bandwidth = BytesPerSecond(2.039e12);
  device.memory_efficiency = 1.0;
  return device;
}

/// Stages one after the other, each reading while it computes, and storing when it has.
double staged_time(const Gemm& gemm, const Device& device) {
  double sum = 0.0;
  for (const Stage& stage : gemm_stages(gemm, device, device.sms, OutputPath::THROUGH_L2)) {
    const double memory = (stage.reads.value() * (1.0 - device.gemm_read_ahead)) / device.hbm_bandwidth.value();
    sum += stage.reads.value() * device.gemm_read_ahead / device.hbm_bandwidth.value() +
           std::max(stage.sm_seconds / stage.tiles, memory) + stage.writes.value() / device.hbm_bandwidth.value();
  }
  return sum;
}

double in_one_piece(const Gemm& gemm, const Device& device) {
  Kernel kernel;
  kernel.kind = KernelKind::GEMM;
  kernel.gemm = gemm;
  return time_alone(kernel, device).value();
}

// GPT-3's four matrices over tp 8, where computing is what takes the time. Stages store behind their computing, which
// one piece hides: the output over the bandwidth, and no more.
TEST(GemmPlan, stages_of_its_device_take_what_one_piece_takes) {
  const Device device = a100_like();
  for (const Gemm& gemm : {Gemm{.m = 2048, .n = 4608, .k = 12288}, Gemm{.m = 2048, .n = 12288, .k = 1536},
                           Gemm{.m = 2048, .n = 6144, .k = 12288}, Gemm{.m = 2048, .n = 12288, .k = 6144}}) {
    const double whole = in_one_piece(gemm, device);
    const double staged = staged_time(gemm, device_of_plan(gemm, device));
    EXPECT_GE(staged, whole * (1 - 1e-9)) << gemm.n << " x " << gemm.k;
    const double stores = gemm.output().value() / device.hbm_bandwidth.value();
    EXPECT_LE(staged, (whole + stores) * (1 + 1e-9)) << gemm.n << " x " << gemm.k;
    // The control: as the device file has it, with reads before each stage, it is longer.
    EXPECT_GT(staged_time(gemm, device), staged * 1.03) << gemm.n << " x " << gemm.k;
  }
}

} // namespace
} // namespace tandem::model
