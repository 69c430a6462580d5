// All plans of a model on a number of GPUs.
#pragma once

#include "model/language_model.h"
#include "workload/parallel_plan.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tandem::study {

/// What a search may choose from; empty: everything that there is.
struct PlanChoices {
  std::vector<std::int64_t> tp, cp, ep, pp, dp, vpp, micro_batch, zero;
  std::vector<bool> sequence_parallel;
  std::vector<workload::Recompute> recompute;
  std::vector<workload::PipelineSchedule> schedule;
};

struct PlanCount {
  std::uint64_t enumerated = 0;
  std::map<std::string, std::uint64_t> refused; ///< by what check_plan() says, numbers as N
};

/// Calls `found` for each plan that check_plan() accepts, always in the same order: all ways to write `gpus` as tp x cp
/// x pp x dp; micro-batches that divide a rank's share of base.global_batch; ep with experts, sequence parallelism with
/// tp, schedules with pp; model chunks per stage that cut the layers evenly (Megatron-LM's rule), or those that are
/// asked for; ZeRO where there are copies to shard over; recomputation. All else is as `base` has it.
PlanCount each_plan(const model::LanguageModel& model, const workload::ParallelPlan& base, int gpus,
                    const PlanChoices& choices, const std::function<void(const workload::ParallelPlan&)>& found);

/// Numbers become N: "tp N does not divide the attention heads, N".
std::string without_numbers(const std::string& text);

/// The flags of `tandem train` that give this plan, beside model, sequence, precision and optimizer.
std::string flags_of(const workload::ParallelPlan& plan);

std::string to_string(workload::Recompute recompute);

} // namespace tandem::study
