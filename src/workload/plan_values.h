// Every value of a plan in words, as results state it.
#pragma once

#include "workload/parallel_plan.h"

#include <string>
#include <utility>
#include <vector>

namespace tandem::workload {

/// Name (as the flags of `tandem train`, with underscores) and value, defaults included.
std::vector<std::pair<std::string, std::string>> plan_values(const ParallelPlan& plan);

} // namespace tandem::workload
