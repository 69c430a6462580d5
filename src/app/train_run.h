// From the flags of `tandem train` to its results.
#pragma once

#include "app/train_flags.h"
#include "model/train_result.h"
#include "study/run_progress.h"
#include "study/sweep/sweep.h"

#include <string>

namespace tandem::app {

/// --explain-classes instead of a run. Throws UserError.
std::string explained_train(const TrainFlags& flags);

/// What a run would read, and about how long it takes. Throws UserError.
study::PointInputs train_inputs(const TrainFlags& flags);

/// Throws UserError; Infeasible when a case does not fit the memory and --ignore-memory is not given.
model::TrainRun train_run(const TrainFlags& flags, study::ProgressBoard::Show progress = {});

} // namespace tandem::app
