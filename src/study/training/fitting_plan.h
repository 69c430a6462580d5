// What to change in a plan that does not fit the memory.
#pragma once

#include "model/any_model.h"
#include "model/train_result.h"
#include "workload/parallel_plan.h"

#include <string>

namespace tandem::study {

/// The first of these that makes `stage` fit `capacity` bytes by its accounts at the peak: more recomputation, sequence
/// parallelism, sharded optimizer, both recomputation and sharding, all sharded; "" when none does.
std::string change_that_fits(const model::AnyModel& model, const workload::ParallelPlan& plan,
                             const model::StageResult& stage, double capacity);

} // namespace tandem::study
