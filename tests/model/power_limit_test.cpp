// A limit of power below the TDP: clocks of matrix products fall (docs/models.md, "Limits of power").
#include "base/error.h"
#include "model/gemm.h"
#include "model/kernel_cost.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tandem::model {
namespace {

/// Idle 100 W, TDP 900 W: 800 W of dynamic power.
Device device_of(double limit_w) {
  Device device;
  device.sms = 132;
  device.peak["bf16"] = base::FlopsPerSecond(989e12);
  device.gemm_efficiency = 0.8;
  device.power.idle = base::Watts(100);
  device.power.tdp = base::Watts(900);
  if (limit_w > 0)
    device.power.limit = base::Watts(limit_w);
  return device;
}

constexpr auto RATE = [](double limit_w) { return gemm_rate(Gemm{.precision = "bf16"}, device_of(limit_w)).value(); };

// 200 W leave 100 of 800 W: an eighth of the dynamic power, half the clock.
TEST(PowerLimit, RateOfProductsGoesWithTheCubeRootOfDynamicPower) {
  EXPECT_NEAR(RATE(200) / RATE(0), 0.5, 1e-12);
  EXPECT_DOUBLE_EQ(RATE(900), RATE(0));
  EXPECT_DOUBLE_EQ(RATE(1000), RATE(0));
}

// Attention at half of a GEMM's efficiency draws half of its 800 W: at 500 W it keeps its clock, at 300 W it has 200 of
// 400 W.
TEST(PowerLimit, AKernelThatDrawsLessKeepsItsClockLonger) {
  const auto attention_s = [](double limit_w) {
    auto device = device_of(limit_w);
    device.attention_efficiency = device.gemm_efficiency / 2;
    Kernel kernel;
    kernel.kind = KernelKind::ATTENTION;
    kernel.flops = base::Flops(1e12);
    kernel.precision = "bf16";
    return kernel_cost(kernel, device).sm_seconds;
  };
  EXPECT_DOUBLE_EQ(attention_s(500), attention_s(0));
  EXPECT_NEAR(attention_s(300) / attention_s(0), std::cbrt(2.0), 1e-12);
}

TEST(PowerLimit, NeedsTheDrawsAndRoomAboveIdling) {
  EXPECT_THROW(RATE(100), base::UserError);
  auto device = device_of(500);
  device.power.tdp.reset();
  EXPECT_THROW((void)gemm_rate(Gemm{.precision = "bf16"}, device), base::UserError);
}

} // namespace
} // namespace tandem::model
