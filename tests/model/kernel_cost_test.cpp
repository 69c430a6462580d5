// Costs of kernels against closed forms, and what must hold of any of them.
#include "model/kernel_cost.h"

#include "base/error.h"
#include "model/gemm_time.h"

#include <gtest/gtest.h>

namespace tandem::model {
namespace {

/// 100 SMs of 1 TFLOP/s each, an L2 that feeds without a limit and holds nothing, 1 TB/s.
Device machine() {
  Device device;
  device.name = "test";
  device.sms = 100;
  device.peak = {{"fp16", FlopsPerSecond(100e12)}, {"bf16", FlopsPerSecond(100e12)}, {"fp8", FlopsPerSecond(200e12)}};
  device.vector_peak = FlopsPerSecond(10e12);
  device.hbm_bandwidth = BytesPerSecond(1e12);
  device.memory_efficiency = 0.5;
  device.l2 = Bytes(64e6);
  device.kernel_launch = Seconds(2e-6);
  return device;
}

Kernel product(std::int64_t m, std::int64_t n, std::int64_t k) {
  Kernel kernel;
  kernel.kind = KernelKind::GEMM;
  kernel.gemm = Gemm{.m = m, .n = n, .k = k, .precision = "bf16"};
  return kernel;
}

// 2560 x 2560 in 200 tiles of 256 x 128: two full waves, 2 m n k / 100 TFLOP/s = 2 x 2560 x 2560 x 8192 / 1e14 s
// = 1.074 ms.
TEST(KernelCost, AFullWaveRunsAtTheRateOfAllSms) {
  const Device device = machine();
  const auto cost = kernel_cost(product(2560, 2560, 8192), device);
  EXPECT_DOUBLE_EQ(cost.sm_seconds, 2.0 * 2560 * 2560 * 8192 / 1e12);
  // Inputs and the output once: 84 MB. At 0.5 TB/s this takes 0.19 ms: the product is bound by its SMs.
  EXPECT_DOUBLE_EQ(cost.writes.value(), 2.0 * 2560 * 2560);
  EXPECT_GE(cost.reads.value(), 2.0 * 2 * 2560 * 8192);
  EXPECT_DOUBLE_EQ(time_alone(cost, device).value(), 2e-6 + cost.sm_seconds / 100);
}

// The setup of a wave counts once for each, that of the product once: 200 tiles of 256 x 128 are two waves.
TEST(KernelCost, SetupsAreAdded) {
  Device device = machine();
  const double bare = time_alone(product(2560, 2560, 8192), device).value();
  device.gemm_setup = Seconds(3e-6);
  device.gemm_wave_setup = Seconds(5e-6);
  EXPECT_NEAR(time_alone(product(2560, 2560, 8192), device).value(), bare + 13e-6, 1e-12);
}

// A tile of 256 x 128 needs (256 + 128) x 2 B per step of k, in which an SM does 2 x 256 x 128 FLOP. With 25.6 TB/s of
// L2, 256 GB/s per SM: 3 ns against 66 ns. With a hundredth of that the L2 is the limit: 300 ns, in each of two waves.
TEST(KernelCost, ANarrowL2IsTheLimit) {
  Device device = machine();
  device.l2_bandwidth = BytesPerSecond(25.6e12 / 100);
  const auto plan = plan_gemm({.m = 2560, .n = 2560, .k = 8192, .precision = "bf16"}, Bytes(0), device);
  EXPECT_EQ(plan.tile_m, 256);
  EXPECT_EQ(plan.tile_n, 128);
  const double feed = 384 * 2.0 * 8192 / 2.56e9, store = 256 * 128 * 2.0 / 2.56e9;
  EXPECT_NEAR(plan.sm_seconds, 2 * 100 * (feed + store), 1e-9);
}

// With 16 rows there is one row of tiles; k is cut so that more SMs have work.
TEST(KernelCost, ALongKIsSplit) {
  const auto plan = plan_gemm({.m = 16, .n = 256, .k = 65536, .precision = "bf16"}, Bytes(0), machine());
  EXPECT_GT(plan.splits, 1);
}

TEST(KernelCost, MoreOfAnythingNeverTakesLess) {
  const Device device = machine();
  double before = 0;
  for (std::int64_t size = 64; size <= 16384; size *= 2) {
    const double time = time_alone(product(size, size, size), device).value();
    EXPECT_GE(time, before) << size;
    before = time;
  }
  Device faster = device;
  faster.sms = 200;
  faster.peak["bf16"] = FlopsPerSecond(200e12);
  for (const std::int64_t m : {100, 1000, 10000})
    EXPECT_LE(time_alone(product(m, 5000, 700), faster).value(), time_alone(product(m, 5000, 700), device).value());
}

// A kernel of traffic: (3 + 1) MB at 0.5 TB/s is 8 us, behind a launch of 2 us; 10 MFLOP at 10 TFLOP/s are 1 us.
TEST(KernelCost, TrafficOrFlops) {
  Kernel kernel;
  kernel.reads = Bytes(3e6);
  kernel.writes = Bytes(1e6);
  kernel.flops = Flops(10e6);
  EXPECT_NEAR(time_alone(kernel, machine()).value(), 10e-6, 1e-15);
  kernel.flops = Flops(1e9); // 100 us
  EXPECT_NEAR(time_alone(kernel, machine()).value(), 102e-6, 1e-15);
  kernel.launches = 3;
  EXPECT_NEAR(time_alone(kernel, machine()).value(), 106e-6, 1e-15);
}

// 1 TFLOP at 0.5 of 100 TFLOP/s is 20 ms; with 50 workgroups half of the SMs are idle.
TEST(KernelCost, AttentionByItsShareOfThePeak) {
  Device device = machine();
  device.attention_efficiency = 0.5;
  device.attention_backward_efficiency = 0.25;
  Kernel kernel;
  kernel.kind = KernelKind::ATTENTION;
  kernel.flops = Flops(1e12);
  EXPECT_NEAR(kernel_cost(kernel, device).sm_seconds / device.sms, 20e-3, 1e-12);
  kernel.workgroups = 50;
  EXPECT_NEAR(kernel_cost(kernel, device).sm_seconds / device.sms, 40e-3, 1e-12);
  kernel.workgroups = 1000;
  kernel.pass = Pass::BACKWARD;
  EXPECT_NEAR(kernel_cost(kernel, device).sm_seconds / device.sms, 40e-3, 1e-12);
}

TEST(KernelCost, APrecisionThatTheDeviceLacks) {
  Kernel kernel = product(64, 64, 64);
  kernel.gemm->precision = "fp32";
  EXPECT_THROW((void)kernel_cost(kernel, machine()), base::UserError);
}

} // namespace
} // namespace tandem::model
