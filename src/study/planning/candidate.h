// A plan that a search may have to simulate, and what is known of it before.
#pragma once

#include "model/plan_result.h"
#include "study/planning/simulate_plan.h"
#include "workload/parallel_plan.h"

#include <cstddef>
#include <string>

namespace tandem::study {

struct Candidate {
  workload::ParallelPlan plan{};
  std::size_t machine = 0, strategies = 0;
  double memory = 0.0; ///< bytes, a bound from below
  double quick = 0.0;  ///< the quick bound, seconds
  double quick_joules = 0.0;
  double bound = 0.0;    ///< the best one known
  double joules = 0.0;   ///< least energy beyond the idle power, where that is asked for
  bool refined = false;  ///< it is the full one
  std::string refusal{}; ///< of a strategy that cannot do it
};

/// Throws Bug when what was played takes less than its bounds; `least_joules` of all, 0 where energy was not asked for.
void check_bounds(const Candidate& candidate, const PlayedPlan& played, double least_joules);

/// Why a search without a result has none.
std::string nothing_found(const model::PlanSearch& search);

} // namespace tandem::study
