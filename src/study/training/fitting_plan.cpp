// Scales the accounts of a stage at its peak to other plans.
#include "study/training/fitting_plan.h"

#include "study/training/job_maker.h"
#include "workload/layer_memory.h"

#include <functional>
#include <utility>
#include <vector>

namespace tandem::study {

namespace {

using workload::ParallelPlan;
using workload::Recompute;

/// Bytes that a layer of the first kind keeps of a micro-batch. Other models: 1, whatever the plan.
double kept(const model::AnyModel& model, const ParallelPlan& plan) {
  const auto* transformer = std::get_if<model::LanguageModel>(&model);
  return transformer == nullptr
             ? 1.0
             : workload::layer_memory(*transformer, transformer->kinds.front(), plan.layer).kept.value();
}

double held(const model::AnyModel& model, const ParallelPlan& plan, const ParallelPlan& changed,
            const model::StageResult& stage) {
  const auto sharded = [&](model::MemoryAccount account, int from_zero) {
    const bool before = plan.zero >= from_zero, after = changed.zero >= from_zero;
    return stage.memory.at_peak[account] * (before ? plan.shards() : 1) / (after ? changed.shards() : 1);
  };
  return sharded(model::PARAMETERS, 3) + sharded(model::GRADIENTS, 2) + sharded(model::OPTIMIZER_STATES, 1) +
         stage.memory.at_peak[model::ACTIVATIONS] * kept(model, changed) / kept(model, plan) +
         stage.memory.at_peak[model::BUFFERS];
}

} // namespace

std::string change_that_fits(const model::AnyModel& model, const ParallelPlan& plan, const model::StageResult& stage,
                             double capacity) {
  if (std::holds_alternative<model::RecommendationModel>(model))
    return {}; // tables are spread over all ranks already
  using Change = std::function<void(ParallelPlan&)>;
  const Change selective = [](ParallelPlan& made) { made.layer.recompute = Recompute::SELECTIVE; };
  const Change full = [](ParallelPlan& made) { made.layer.recompute = Recompute::FULL; };
  const Change sequence = [](ParallelPlan& made) { made.layer.sequence_parallel = true; };
  const auto zero = [](int stages) { return [stages](ParallelPlan& made) { made.zero = stages; }; };
  const bool can_cut = plan.layer.tp > 1 && plan.layer.sequence / plan.layer.cp % plan.layer.tp == 0;
  std::vector<std::pair<std::string, std::vector<Change>>> changes;
  const bool recomputes = std::holds_alternative<model::LanguageModel>(model);
  if (recomputes && plan.layer.recompute == Recompute::NONE)
    changes.push_back({"--recompute selective", {selective}});
  if (can_cut && !plan.layer.sequence_parallel)
    changes.push_back({"--sp", {sequence}});
  if (recomputes && plan.layer.recompute != Recompute::FULL)
    changes.push_back({"--recompute full", {full}});
  if (plan.zero < 1)
    changes.push_back({"--zero 1", {zero(1)}});
  if (recomputes && plan.zero < 1)
    changes.push_back({"--zero 1 --recompute full", {zero(1), full}});
  if (plan.zero < 3 && plan.pp == 1) {
    changes.push_back({"--zero 3", {zero(3)}});
    if (recomputes)
      changes.push_back({"--zero 3 --recompute full", {zero(3), full}});
  }
  for (const auto& [name, steps] : changes) {
    auto made = plan;
    for (const auto& change : steps)
      change(made);
    if (held(model, plan, made, stage) <= capacity)
      return name;
  }
  return {};
}

} // namespace tandem::study
