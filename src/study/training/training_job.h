// From a model, a plan and a machine to the job of its ranks.
#pragma once

#include "model/any_model.h"
#include "model/cluster.h"
#include "model/job.h"
#include "study/training/schedule_book.h"
#include "workload/parallel_plan.h"

#include <string>
#include <vector>

namespace tandem::study {

struct TrainingJob {
  /// Of each program.
  struct Stage {
    int stage = 0;
    std::uint32_t rank = 0; ///< the first that runs it
    std::uint32_t ranks = 0;
    double parameters = 0.0;     ///< of a rank, before they are sharded
    double hardware_flops = 0.0; ///< of a rank in an iteration
  };
  model::Job job;
  std::vector<Stage> stages;
  std::vector<ScheduleParts> parts; ///< of each of the job's schedules
  std::vector<std::string> used, assumed;
};

/// Precondition: workload::check_plan() accepts the plan for the cluster's GPUs. Ranks of a stage share one program;
/// where their groups lie differently in the nodes, those that lie alike do. Throws Infeasible when a strategy cannot
/// do what it is named for.
TrainingJob make_training_job(const model::AnyModel& model, const workload::ParallelPlan& plan,
                              const model::Cluster& cluster, const DimensionStrategies& strategies,
                              Granularity granularity, int iterations);

} // namespace tandem::study
