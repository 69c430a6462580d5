// The least time of an iteration: the pipeline's order and messages with the least time of each passage.
#pragma once

#include "study/planning/part_book.h"

namespace tandem::study {

/// Seconds; no simulation of the plan with the book's strategies is shorter (docs/models.md, "Bounds of an iteration").
/// Precondition: workload::check_plan() accepts the plan. Throws Infeasible when a strategy cannot do what it is named
/// for.
///
/// The busiest stage from its first micro-batch to its last, what must be done before and after by the others; without
/// messages and data parallelism. Quick.
double quick_bound(PartBook& book, const model::LanguageModel& model, const workload::ParallelPlan& plan,
                   const model::Cluster& cluster);
/// All stages in the order of the pipeline schedule with their messages, gradients and the optimizer. At least as large
/// but for rounding.
double full_bound(PartBook& book, const model::LanguageModel& model, const workload::ParallelPlan& plan,
                  const model::Cluster& cluster);

} // namespace tandem::study
