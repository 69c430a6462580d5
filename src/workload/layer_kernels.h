// The kernels and the communication of one rank, for a layer and for what stands before and behind the layers.
#pragma once

#include "model/kernel.h"
#include "model/language_model.h"
#include "workload/layer_plan.h"

namespace tandem::workload {

/// Throws UserError that names both numbers when the plan does not fit the model: heads, widths, vocabulary, sequence
/// or experts that do not divide; more tokens than the model has positions.
void check_plan(const model::LanguageModel& model, const LayerPlan& plan);

/// Kernels of a layer of this kind, in the order in which Megatron-Core runs them. Kernels list the tensors that they
/// save, whatever the plan recomputes.
model::Steps layer_forward(const model::LanguageModel& model, const model::LayerKind& kind, const LayerPlan& plan);

/// The mirror image; what is recomputed comes first (FULL) or right before it is needed (SELECTIVE), as
/// Pass::RECOMPUTE.
model::Steps layer_backward(const model::LanguageModel& model, const model::LayerKind& kind, const LayerPlan& plan);

/// Token, position and type embeddings (vocabulary split over tp), or patches; with embedding norm and dropout.
model::Steps embedding_forward(const model::LanguageModel& model, const LayerPlan& plan);
model::Steps embedding_backward(const model::LanguageModel& model, const LayerPlan& plan);

/// Final norm, logits and cross-entropy (vocabulary split over tp, with its all-reduces over the tokens); of a BERT its
/// heads, of a vision transformer the classifier.
model::Steps head_forward(const model::LanguageModel& model, const LayerPlan& plan);
model::Steps head_backward(const model::LanguageModel& model, const LayerPlan& plan);

/// One further layer of multi-token prediction, with embedding and output again. Precondition: prediction_layers > 0.
model::Steps prediction_forward(const model::LanguageModel& model, const LayerPlan& plan);
model::Steps prediction_backward(const model::LanguageModel& model, const LayerPlan& plan);

} // namespace tandem::workload
