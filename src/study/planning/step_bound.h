// One micro-batch's passage through a chunk of a stage, forward or backward: how long the stage is at it at least, and
// what it leaves to the stream of data parallelism.
#pragma once

#include "study/planning/part_book.h"
#include "workload/pipeline_order.h"

#include <optional>
#include <vector>

namespace tandem::study {

/// A collective of data parallelism.
struct DataStep {
  std::optional<double> released; ///< seconds after the step's begin; none: it may have begun before the step
  double seconds = 0.0;
};

struct StepBound {
  double seconds = 0.0;         ///< until the next step or message may begin
  double computed = 0.0;        ///< until the last computing has ended
  double joules = 0.0;          ///< beyond the idle power, of a rank; where the book tells them
  std::vector<DataStep> data{}; ///< in the order of their stream
};

/// What the passage is made of, beside the parts.
struct StepTask {
  const workload::ParallelPlan& plan;
  const RankGroups& groups;
  workload::PipelineStep::Kind kind = workload::PipelineStep::Kind::FORWARD;
  bool last = false;      ///< of the stage's micro-batches
  bool with_data = false; ///< ask for the collectives of data parallelism as well
};

/// `parts` in the model's order. Throws as PartBook::part().
StepBound step_bound(PartBook& book, const std::vector<const BoundPart*>& parts, const StepTask& task);

} // namespace tandem::study
