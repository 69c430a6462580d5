// `tandem train`: one model and plan, side by side under several choices of strategies, each in a process of its own.
#pragma once

#include "model/any_model.h"
#include "model/cluster.h"
#include "model/train_result.h"
#include "study/fold_choice.h"
#include "study/run_limit.h"
#include "study/run_progress.h"
#include "study/training/schedule_book.h"
#include "workload/parallel_plan.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tandem::study {

struct TrainOptions {
  std::vector<std::string> strategies; ///< each a case, as read_dimension_strategies() reads them; empty: the defaults
  Granularity granularity = Granularity::FLOW;
  engine::Fold fold = engine::Fold::AUTO;
  CostLimits limits{};                       ///< a simulation that is estimated to cost more is refused (Infeasible)
  int iterations = 1, warmup = 0;            ///< the mean of those after the warm-up is reported
  bool energy = false;                       ///< tell it as well
  std::string timeline;                      ///< file for the timeline of the only case; empty: none
  std::vector<std::uint32_t> timeline_ranks; ///< that it shows; empty: the first of each pipeline stage
  int jobs = 0;
  std::string version;
  ProgressBoard::Show progress; ///< may be empty
};

/// Throws UserError for what the user can mend, Infeasible when a strategy cannot do what it is named for, Bug when a
/// check fails. Digests of the inputs are left to the caller. The results do not say whether the states fit the memory:
/// does_not_fit() does.
model::TrainRun run_training(const model::AnyModel& model, const workload::ParallelPlan& plan,
                             const model::Cluster& cluster, const TrainOptions& options);

/// The rank classes of each case in words. Throws like run_training().
std::vector<ExplainedRun> explain_training(const model::AnyModel& model, const workload::ParallelPlan& plan,
                                           const model::Cluster& cluster, const TrainOptions& options);

/// Empty: every stage of every case fits its GPU's memory. Otherwise what is missing, and the smallest change of the
/// plan that would make it fit.
std::string does_not_fit(const model::AnyModel& model, const workload::ParallelPlan& plan, const model::TrainRun& run);

/// The plan in words: "tp 8 (sequence parallel), pp 8 (interleaved, vpp 2), dp 16, zero 1".
std::string to_string(const workload::ParallelPlan& plan);

} // namespace tandem::study
