// What a sweep would run, and about how long that takes: --dry-run.
#pragma once

#include "report/table.h"
#include "study/sweep/sweep.h"

#include <string>
#include <vector>

namespace tandem::study {

struct SweepPlan {
  model::SweepResult study;    ///< with the status that each point has now
  std::vector<double> seconds; ///< by point: estimate for one core; 0 for what is not run
  double total_s = 0.0;        ///< of all, on one core
  double elapsed_s = 0.0;      ///< on as many as are used
};

/// `store` need not be there, and is not made. Estimates are corrected by what the store's points took. `jobs` 0: as
/// many as there are cores.
SweepPlan plan_of(const PreparedStudy& study, const std::string& store, int jobs);

std::string plan_table(const SweepPlan& plan, const report::Layout& layout);
/// Columns: point, the inputs, status, reason, command, estimated_s.
std::string plan_csv(const SweepPlan& plan);
std::string plan_json(const SweepPlan& plan);

} // namespace tandem::study
