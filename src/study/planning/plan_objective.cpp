// What a plan is the best in.
#include "base/error.h"
#include "study/plan.h"

namespace tandem::study {

PlanObjective plan_objective(const std::string& name) {
  if (name == "time")
    return PlanObjective::TIME;
  if (name == "tokens-per-gpu-hour")
    return PlanObjective::TOKENS_PER_GPU_HOUR;
  if (name == "energy")
    throw base::UserError("objective energy: there is no model of energy yet; allowed: time, tokens-per-gpu-hour");
  throw base::UserError(base::unknown_word("objective", name, {"time", "tokens-per-gpu-hour"}));
}

std::string to_string(PlanObjective objective) {
  return objective == PlanObjective::TIME ? "time" : "tokens-per-gpu-hour";
}

} // namespace tandem::study
