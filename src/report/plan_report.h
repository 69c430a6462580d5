// The results of `tandem plan` as a table with its proof, as JSON and as CSV.
#pragma once

#include "model/plan_result.h"
#include "report/table.h"

#include <string>

namespace tandem::report {

std::string plan_table(const model::PlanSearch& search, const Layout& layout);
/// Keys are described in docs/results.md.
std::string plan_json(const model::PlanSearch& search);
/// The best plans, then those of the Pareto front that are not among them.
std::string plan_csv(const model::PlanSearch& search);

} // namespace tandem::report
