// The least time of an iteration: the pipeline's order and messages with the least time of each passage.
#pragma once

#include "study/planning/part_book.h"

namespace tandem::study {

struct IterationLeast {
  double seconds = 0.0;
  double joules = 0.0; ///< of all ranks and links, beyond the idle power; where the book tells them
};

/// No simulation of the plan with the book's strategies takes less (docs/models.md, "Bounds of an iteration").
/// Precondition: workload::check_plan() accepts the plan. Throws Infeasible when a strategy cannot do what it is named
/// for.
///
/// The busiest stage from its first micro-batch to its last, what must be done before and after by the others; without
/// messages and data parallelism. Quick.
IterationLeast quick_bound(PartBook& book, const model::LanguageModel& model, const workload::ParallelPlan& plan);
/// All stages in the order of the pipeline schedule with their messages, gradients and the optimizer. At least as large
/// but for rounding.
IterationLeast full_bound(PartBook& book, const model::LanguageModel& model, const workload::ParallelPlan& plan);

} // namespace tandem::study
