// FLOPs of a training iteration as the field counts them, which is not what a GPU does: each convention by its name.
#pragma once

#include "base/units.h"
#include "model/any_model.h"

namespace tandem::workload {

/// Forward and backward, without recomputation: GEMMs of weights (6 per active parameter that a token is multiplied by)
/// and attention in full, not halved for causality, for `sequences` of `sequence` tokens. For a GPT with ffn = 4h this
/// is 72 B s l h^2 (1 + s/(6h) + V/(12 l h)) (arXiv 2205.05198). Layers of multi-token prediction do
/// not count: no iteration runs them.
base::Flops model_flops(const model::LanguageModel& model, double sequences, std::int64_t sequence);

/// Of any model: `samples` of its kind (of a transformer: sequences). Of other models three forward passes' products.
base::Flops model_flops(const model::AnyModel& model, double samples, std::int64_t sequence);

/// With the forward pass of each layer done twice: 96 B s l h^2 (1 + s/(6h) + V/(16 l h)) for that GPT (Megatron SC'21,
/// eq. 3).
base::Flops recomputed_flops(const model::LanguageModel& model, double sequences, std::int64_t sequence);

} // namespace tandem::workload
