// Why an iteration takes as long as it does: the chain of tasks, each of which began when the one before it had ended.
#pragma once

#include "model/recording.h"
#include "model/train_result.h"
#include "study/training/training_job.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace tandem::study {

struct CriticalPath {
  std::vector<model::PathTerm> terms;                         ///< the longest first
  std::vector<std::pair<std::uint32_t, std::uint32_t>> tasks; ///< class of ranks and task, from the end to the begin
};

/// The critical path of the last iteration, from its end back to its begin: on a rank to the task that was awaited
/// last, in a collective or a message to the member that came last. Terms of one name are summed up, the longest
/// first; together they are the time from the end of the iteration before (of the run's start) to the run's end.
/// Kernels that are played as one share its time as they would alone. Precondition: tasks and times were recorded.
CriticalPath critical_path(const TrainingJob& made, const model::Recording& recording);

} // namespace tandem::study
