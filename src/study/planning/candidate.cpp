// Bounds against what was simulated, and what a search without a result says.
#include "study/planning/candidate.h"

#include "base/error.h"
#include "study/train.h"

#include <fmt/format.h>

namespace tandem::study {

void check_bounds(const Candidate& candidate, const PlayedPlan& played, double least_joules) {
  constexpr double ROUNDING = 1.0 - 1e-9;
  const auto check = [&](double found, double bound, const char* unit) {
    if (found < bound)
      throw base::Bug(
          fmt::format("{} takes {} {}, less than its bound of {}", to_string(candidate.plan), found, unit, bound));
  };
  check(played.iteration_s, candidate.bound, "s");
  check(played.energy_j, least_joules, "J");
  check(played.peak_memory_bytes, candidate.memory * ROUNDING, "B");
}

std::string nothing_found(const model::PlanSearch& search) {
  std::string text = fmt::format("no plan can run: {} enumerated, {} do not fit the memory", search.enumerated,
                                 search.out_of_memory + search.out_of_memory_simulated);
  for (const auto& [reason, plans] : search.refused)
    text += fmt::format("; {}: {}", plans, reason);
  return text;
}

} // namespace tandem::study
