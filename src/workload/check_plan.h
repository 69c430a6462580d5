// What plans of all kinds of models must fulfil. Each throws UserError with both numbers.
#pragma once

#include "workload/parallel_plan.h"

namespace tandem::workload {

void check_ranks(const ParallelPlan& plan, int gpus);
void check_batch(const ParallelPlan& plan);
void check_shards(const ParallelPlan& plan);
void check_streams(const ParallelPlan& plan);

} // namespace tandem::workload
