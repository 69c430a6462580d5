// A simulated plan in numbers and words.
#pragma once

#include "model/device.h"
#include "model/language_model.h"
#include "model/plan_result.h"
#include "study/planning/simulate_plan.h"

namespace tandem::study {

/// All but its words, strategies, bound and command.
model::PlannedCase planned_case(const model::LanguageModel& model, const workload::ParallelPlan& plan,
                                const model::Device& device, const PlayedPlan& played);

} // namespace tandem::study
