// Fits a device's constants of GEMMs to measured times.
#pragma once

#include "model/kernel_fit.h"

#include <vector>

namespace tandem::study {

/// Predicted time of a row, alone on the device.
double predicted_time(const model::KernelTime& row, const model::Device& device);

/// Changes gemm_efficiency (gemm_fp8_efficiency for fp8), l2_bandwidth, gemm_setup and gemm_wave_setup so that the mean
/// |ln(predicted / measured)| is least over every other shape; the others check it. Rows of one shape stay together.
/// `constants`: only these of them; empty: all. Throws UserError: fewer than eight shapes, a precision that the device
/// has no peak for, or a constant that the rows do not speak of.
model::KernelFit fit_kernels(const model::Device& device, const std::vector<model::KernelTime>& rows,
                             const std::vector<std::string>& constants = {});

} // namespace tandem::study
