// Memory facts of a rank: what a layer keeps of a micro-batch, and what it needs while it runs.
#pragma once

#include "model/kernel.h"
#include "model/language_model.h"
#include "workload/layer_plan.h"

#include <vector>

namespace tandem::workload {

struct ActivationMemory {
  base::Bytes kept{};       ///< from the forward to the backward pass of a micro-batch
  base::Bytes recomputed{}; ///< that the backward pass makes again, and holds while it runs
  base::Bytes temporary{};  ///< largest sum of one kernel's reads and writes: inputs and outputs that nobody keeps
  std::vector<model::SavedTensor> tensors; ///< that `kept` is made of
};

/// Of the steps of a forward pass.
ActivationMemory activation_memory(const model::Steps& forward, Recompute recompute);

ActivationMemory layer_memory(const model::LanguageModel& model, const model::LayerKind& kind, const LayerPlan& plan);
ActivationMemory embedding_memory(const model::LanguageModel& model, const LayerPlan& plan);
ActivationMemory head_memory(const model::LanguageModel& model, const LayerPlan& plan);

} // namespace tandem::workload
