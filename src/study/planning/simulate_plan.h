// One plan played in a process of its own.
#pragma once

#include "model/cluster.h"
#include "model/language_model.h"
#include "study/training/schedule_book.h"
#include "workload/parallel_plan.h"

#include <string>

namespace tandem::study {

struct PlayedPlan {
  double iteration_s = 0.0, peak_memory_bytes = 0.0;
  double energy_j = 0.0; ///< of all ranks and links; 0 where it was not asked for
};

/// Call once per process. `energy`: tell it as well. Throws as make_training_job() and engine::play(); Bug when a check
/// of the result fails.
PlayedPlan play_plan(const model::LanguageModel& model, const workload::ParallelPlan& plan,
                     const model::Cluster& cluster, const std::string& strategies, bool energy = false);

/// Between the processes, with every digit.
std::string to_wire(const PlayedPlan& played);
PlayedPlan from_played_wire(const std::string& text);

} // namespace tandem::study
