// The memory that a plan's ranks hold at their peak, without a simulation.
#pragma once

#include "study/planning/part_book.h"

namespace tandem::study {

/// Bytes, of the fullest stage's first rank: what the engine's ledger finds, since tasks that change it follow each
/// other on one stream in the order of the pipeline schedule. With zero 3 a bound from below: a gathered part is held
/// while it runs, and the one after it maybe. docs/models.md, "Memory of a plan". `capacity`: stops at the first stage
/// that holds more.
double peak_memory(PartBook& book, const model::LanguageModel& model, const workload::ParallelPlan& plan,
                   double capacity);

} // namespace tandem::study
