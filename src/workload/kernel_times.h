// Reads a table of measured GEMM times (CSV).
#pragma once

#include "model/kernel_fit.h"

#include <string>
#include <vector>

namespace tandem::workload {

/// Needs the columns gpu, dtype, m, n, k and time_us, in any order; others are not read. The first word of a dtype is
/// its precision ("fp16 tensor-core" is fp16). Only rows of `gpu` are taken; empty: the file must have one GPU only.
/// Throws UserError with file:line: a column or a GPU that is not there, a row that is no measurement.
std::vector<model::KernelTime> read_kernel_times(const std::string& path, const std::string& gpu);
std::vector<model::KernelTime> parse_kernel_times(const std::string& text, const std::string& file,
                                                  const std::string& gpu);

} // namespace tandem::workload
