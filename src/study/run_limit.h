// How long a simulation will take, told before it begins, and refused where nobody would wait for it.
#pragma once

#include "engine/play.h"

#include <functional>
#include <string>

namespace tandem::study {

/// Seconds of one core: operations x what one cost on the machine that docs/models.md, "What a simulation costs", tells
/// of.
double estimated_run_s(const engine::Load& load);

/// For engine::PlayOptions: logs the estimate of playing `what`, and throws Infeasible, with `advice`, where it is more
/// than `most_s`; 0: it is never refused.
std::function<void(const engine::Load&)> run_limit(double most_s, const std::string& what, const std::string& advice);

} // namespace tandem::study
