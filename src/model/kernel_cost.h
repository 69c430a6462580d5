// What a kernel costs on a device: work of its SMs, DRAM traffic and launches.
#pragma once

#include "model/kernel.h"

#include <string_view>

namespace tandem::model {

/// One lumped operation. The SM work includes the idle SMs of incomplete waves: sm_seconds / sms is the time that the
/// kernel holds the SMs when the memory is no limit.
struct KernelCost {
  double sm_seconds = 0;
  Bytes reads{}, writes{}; ///< after the L2
  Seconds launch{};        ///< of all its launches; of a MEASURED kernel all its time
};

/// docs/models.md, "Kernels of a training step". Throws UserError when the device has no peak for the precision.
KernelCost kernel_cost(const Kernel& kernel, const Device& device);

/// launch + max(sm_seconds / sms, traffic / (hbm_bandwidth memory_efficiency)): alone on the device.
Seconds time_alone(const KernelCost& cost, const Device& device);
Seconds time_alone(const Kernel& kernel, const Device& device);

/// Whether only kernel_cost() reads this key of a device file: results without a training step do not rest on it.
bool for_training_only(std::string_view key);

} // namespace tandem::model
