// What a plan is the best in.
#include "base/error.h"
#include "study/plan.h"

#include <array>
#include <utility>

namespace tandem::study {

namespace {

constexpr std::array OBJECTIVES{std::pair{PlanObjective::TIME, "time"},
                                std::pair{PlanObjective::TOKENS_PER_GPU_HOUR, "tokens-per-gpu-hour"},
                                std::pair{PlanObjective::ENERGY, "energy"}};

} // namespace

PlanObjective plan_objective(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [objective, known] : OBJECTIVES) {
    if (name == known)
      return objective;
    names.emplace_back(known);
  }
  throw base::UserError(base::unknown_word("objective", name, names));
}

std::string to_string(PlanObjective objective) {
  for (const auto& [known, name] : OBJECTIVES)
    if (objective == known)
      return name;
  throw base::Bug("an objective without a name");
}

} // namespace tandem::study
