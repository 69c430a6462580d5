// The two halves of a layer, each between its norm and its residual addition, as layer_kernels.cpp joins them.
#pragma once

#include "workload/step_list.h"

namespace tandem::workload {

/// Queries, keys and values of a rank, as the core of attention sees them.
struct CoreShape {
  std::int64_t sequences = 0, sequence = 0; ///< of whole sequences
  std::int64_t heads = 0, kv_heads = 0;     ///< of the rank
  std::int64_t qk_dim = 0, v_dim = 0;
  bool causal = true;
  std::int64_t window = 0;
};

/// Rows of queries that a workgroup of fused attention takes, and the width of its blocks of keys (FlashAttention-2).
constexpr std::int64_t ATTENTION_BLOCK = 128;

/// Pairs of a query and a key of one sequence and head that fused attention computes: all, a triangle, or a band of it,
/// in whole blocks on the diagonal.
double computed_pairs(const CoreShape& shape);
/// As the FLOP conventions count them: a causal triangle in full.
double nominal_pairs(const CoreShape& shape);

CoreShape core_shape(const model::Attention& attention, const LayerPlan& plan);

// Scores, softmax and weighting, with the exchanges of context parallelism.
void core_forward(StepList& list, const CoreShape& shape);
void core_backward(StepList& list, const CoreShape& shape);
// The same of gated DeltaNet.
void linear_core_forward(StepList& list, const model::LinearAttention& linear);
void linear_core_backward(StepList& list, const model::LinearAttention& linear);

// From the norm's output to the reduced output of the block, and back.
void attention_forward(StepList& list, const model::Attention& attention);
void attention_backward(StepList& list, const model::Attention& attention);
void latent_projections(StepList& list, const model::Attention& attention);
void latent_projections_backward(StepList& list, const model::Attention& attention);

void feed_forward_forward(StepList& list, const model::FeedForward& block, const std::string& prefix = "");
void feed_forward_backward(StepList& list, const model::FeedForward& block, const std::string& prefix = "");
/// `rows` products with each of `count` pairs of matrices, cut over tp; `saved_input` elements are kept of the input.
void matrices_forward(StepList& list, const model::FeedForward& block, const std::string& prefix, std::int64_t rows,
                      std::int64_t count, double saved_input);
/// `own_exchange`: the input is gathered, and its gradient reduced, over tp between the products.
void matrices_backward(StepList& list, const model::FeedForward& block, const std::string& prefix, std::int64_t rows,
                       std::int64_t count, bool own_exchange);

void experts_forward(StepList& list, const model::Experts& experts);
void experts_backward(StepList& list, const model::Experts& experts);

} // namespace tandem::workload
