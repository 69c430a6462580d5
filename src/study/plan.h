// `tandem plan`: the best parallel plans of a model on a machine, with a proof.
#pragma once

#include "model/cluster.h"
#include "model/language_model.h"
#include "model/plan_result.h"
#include "study/planning/plan_space.h"
#include "study/training/schedule_book.h"

#include <functional>
#include <string>
#include <vector>

namespace tandem::study {

enum class PlanObjective {
  TIME,                ///< of the iteration
  TOKENS_PER_GPU_HOUR, ///< differs from TIME where several numbers of GPUs are compared
  ENERGY,              ///< joules of the iteration, GPUs and links
};
/// Throws UserError for an unknown one, with the nearest.
PlanObjective plan_objective(const std::string& name);
std::string to_string(PlanObjective objective);

struct PlanOptions {
  PlanChoices choices;
  std::vector<int> gpus;               ///< numbers of the cluster's first GPUs; empty: all
  std::vector<std::string> strategies; ///< to choose from, as read_dimension_strategies() reads them; empty: defaults
  PlanObjective objective = PlanObjective::TIME;
  int top = 1;            ///< as many best plans are proven
  double tolerance = 0.0; ///< a plan that may be better by no more than this share is not simulated
  bool front = false;     ///< go on until the Pareto front is proven too
  std::uint64_t most = 0; ///< simulations, after which the search stops without a proof; 0: no limit
  int jobs = 0;           ///< simulations at a time; 0: one per core. The answer does not depend on it
  std::string version;
  /// The command that `flags_of()` of a plan on so many GPUs follows.
  std::function<std::string(int gpus)> command;
  std::function<void(const std::string&)> progress; ///< what is going on, in words; may be empty
};

/// Enumerates, discards what does not fit the memory or cannot run, and simulates in the order of the bounds until the
/// best times found are below every bound that remains (docs/models.md, "Search for a plan"). `base`: what all plans
/// have in common, the global batch among it. Throws UserError; Infeasible when no plan can run.
model::PlanSearch find_plans(const model::LanguageModel& model, const workload::ParallelPlan& base,
                             const model::Cluster& cluster, const PlanOptions& options);

} // namespace tandem::study
