// Kernels on a device: GEMMs by tile and wave, fused attention by its share of the matrix peak, the rest by traffic.
#include "model/kernel_cost.h"

#include "base/error.h"
#include "model/gemm_time.h"

#include <algorithm>
#include <array>

namespace tandem::model {

namespace {

KernelCost gemm_cost(const Kernel& kernel, const Device& device) {
  const GemmPlan plan = plan_gemm(*kernel.gemm, kernel.reads + kernel.writes, device);
  return {plan.sm_seconds, plan.reads + kernel.reads, kernel.gemm->output() + kernel.writes,
          device.kernel_launch * kernel.launches + device.gemm_setup};
}

/// With fewer workgroups than SMs the others are idle.
KernelCost attention_cost(const Kernel& kernel, const Device& device) {
  const bool backward = kernel.pass == Pass::BACKWARD;
  const double efficiency = backward ? device.attention_backward_efficiency : device.attention_efficiency;
  const Gemm product{.precision = kernel.precision};
  const FlopsPerSecond peak =
      matrix_peak(product, device) * clock_under_limit(device, efficiency / gemm_efficiency(product, device));
  const double idle = kernel.workgroups > 0 ? std::max(1.0, device.sms / kernel.workgroups) : 1.0;
  return {(kernel.flops / (peak * efficiency)).value() * idle * device.sms, kernel.reads, kernel.writes,
          device.kernel_launch * kernel.launches};
}

} // namespace

KernelCost kernel_cost(const Kernel& kernel, const Device& device) {
  if (kernel.gemm)
    return gemm_cost(kernel, device);
  if (kernel.kind == KernelKind::ATTENTION)
    return attention_cost(kernel, device);
  if (kernel.kind == KernelKind::MEASURED)
    return {0.0, {}, {}, kernel.time};
  return {(kernel.flops / device.vector_peak).value() * device.sms, kernel.reads, kernel.writes,
          device.kernel_launch * kernel.launches};
}

bool for_training_only(std::string_view key) {
  constexpr std::array KEYS{std::string_view("gemm_fp8_efficiency"),
                            std::string_view("gemm_setup"),
                            std::string_view("gemm_wave_setup"),
                            std::string_view("l2_bandwidth"),
                            std::string_view("gemm_tiles"),
                            std::string_view("attention_efficiency"),
                            std::string_view("attention_backward_efficiency")};
  return std::find(KEYS.begin(), KEYS.end(), key) != KEYS.end();
}

Seconds time_alone(const KernelCost& cost, const Device& device) {
  const Seconds memory = (cost.reads + cost.writes) / (device.hbm_bandwidth * device.memory_efficiency);
  return cost.launch + std::max(Seconds(cost.sm_seconds / device.sms), memory);
}

Seconds time_alone(const Kernel& kernel, const Device& device) {
  return time_alone(kernel_cost(kernel, device), device);
}

} // namespace tandem::model
