// A tensor-parallel transformer layer, as Megatron-LM splits it (arXiv 1909.08053), as kernels and collectives of one
// GPU.
#pragma once

#include "model/workload.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::workload {

/// Sizes of a model. `heads` and `sequence` are 0 when they are not known; layer_items() needs them.
struct TransformerShape {
  std::int64_t hidden = 0, heads = 0, sequence = 0;
  std::int64_t tokens = 0; ///< sequence length x batch
};

/// How one GPU of `tp` runs it.
struct Slice {
  int tp = 1;
  std::string precision = "fp16";
};

/// One of T3's four sub-layers: a GEMM sliced along K, and the all-reduce of its output.
struct Sublayer {
  std::string name;
  std::string phase;  ///< "forward" or "backward"
  std::int64_t width; ///< K in multiples of hidden / tp
};
const std::vector<Sublayer>& sublayers();

/// M x N x K = tokens x hidden x width * hidden / tp, then an all-reduce. Precondition: tp divides hidden.
model::Item sublayer_item(const Sublayer& sublayer, const TransformerShape& shape, const Slice& slice);

enum class LayerPhase {
  TRAINING, ///< forward and backward, with dropout, without recomputation
  PROMPT,   ///< forward only, without dropout
};

/// All kernels of a layer in the order in which they run, without the optimizer's step.
/// Precondition: tp divides hidden, heads divide hidden, sequence divides tokens.
/// Where tp does not divide the heads, the GEMMs still split the hidden size evenly but attention counts whole heads:
/// the GPU with most of them, ceil(heads / tp), sets the pace.
std::vector<model::Item> layer_items(const TransformerShape& shape, const Slice& slice, LayerPhase phase);

} // namespace tandem::workload
