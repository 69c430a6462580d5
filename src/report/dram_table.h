// DRAM traffic by category: who reads and writes how much, per strategy.
#pragma once

#include "report/summary.h"
#include "report/table.h"

#include <string>
#include <vector>

namespace tandem::report {

/// One row per strategy: bytes per GPU of GEMM, RS and AG, reads and writes, mean over `groups`; other kernels' where
/// there are any.
std::string dram_table(const std::vector<CaseGroup>& groups, const std::vector<StrategySummary>& strategies,
                       const Layout& layout);

} // namespace tandem::report
