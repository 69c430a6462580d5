// A GPT of any size, as the closed forms of the literature have it: ffn 4h, biases, LayerNorm, tied embeddings.
#pragma once

#include "model/kernel.h"
#include "model/language_model.h"

#include <cstdint>

namespace tandem::workload {

inline model::LanguageModel gpt(std::int64_t hidden, std::int64_t heads, int layers, std::int64_t vocab,
                                std::int64_t positions) {
  model::LanguageModel model;
  model.name = "gpt";
  model.hidden = hidden;
  model.vocab = vocab;
  model.learned_positions = positions;
  model.tied_embeddings = true;
  model::LayerKind kind;
  kind.attention.heads = kind.attention.kv_heads = heads;
  kind.attention.head_dim = hidden / heads;
  kind.attention.qkv_bias = kind.attention.output_bias = true;
  kind.feed_forward = {.inner = 4 * hidden, .gated = false, .bias = true};
  model.kinds = {kind};
  model.layers.assign(static_cast<std::size_t>(layers), 0);
  return model;
}

/// FLOPs of all products of the steps.
inline double gemm_flops(const model::Steps& steps) {
  double sum = 0;
  for (const auto& step : steps)
    if (const auto* kernel = std::get_if<model::Kernel>(&step); kernel && kernel->gemm)
      sum += kernel->gemm->flops().value();
  return sum;
}

} // namespace tandem::workload
