// What a training job's recording says: iteration, breakdown by stage and on average, memory.
#pragma once

#include "model/cluster.h"
#include "model/recording.h"
#include "model/train_result.h"
#include "study/training/training_job.h"

#include <string>
#include <vector>

namespace tandem::study {

/// The mean iteration after `warmup` of them. Tokens and model FLOPs are left to the caller.
model::TrainCase summarize_training(const TrainingJob& made, const workload::ParallelPlan& plan,
                                    const model::AnyModel& model, const model::Recording& recording, int warmup);

/// Of an iteration of the job that `result` sums up. Throws as model::energy_costs().
void add_energy(model::TrainCase& result, const model::Recording& recording, const model::Cluster& cluster);

void add_links(model::TrainCase& result, const model::Recording& recording, const model::Cluster& cluster);

/// All products of the busiest stage at the matrix peak of the plan's precision, in seconds: no iteration is shorter.
double training_bound(const TrainingJob& made, const workload::ParallelPlan& plan, const model::Device& device);

/// Between the process that simulates and the one that reports, with every digit.
std::string to_wire(const model::TrainCase& result);
model::TrainCase from_training_wire(const std::string& text);

} // namespace tandem::study
