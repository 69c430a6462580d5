// A fit of a device's GEMM constants as text, JSON and CSV.
#pragma once

#include "model/kernel_fit.h"
#include "report/table.h"

#include <string>

namespace tandem::report {

/// Constants before and after, errors of the rows that the fit saw and of the others, the worst rows, and the lines to
/// paste into the device file.
std::string kernel_fit_table(const model::KernelFit& fit, const Layout& layout);
std::string kernel_fit_json(const model::KernelFit& fit, const std::string& version);
/// A line per measured row.
std::string kernel_fit_csv(const model::KernelFit& fit);

} // namespace tandem::report
