// How one rank runs a layer: its share of the batch and of the matrices, and what it keeps for the backward pass.
#pragma once

#include <cstdint>
#include <string>

namespace tandem::workload {

enum class Recompute {
  NONE,
  SELECTIVE, ///< the attention core (scores, softmax, dropout, weighting) is done again in the backward pass
  FULL,      ///< the whole layer, from its input
};

enum class AttentionKernel { FLASH, UNFUSED };

enum class ContextParallel {
  RING,       ///< keys and values go round, one block of attention beside each hop
  ALL_GATHER, ///< keys and values are gathered first (Llama 3)
};

/// Preconditions of everything that takes a plan: tp divides the heads and the widths that it splits, and kv_heads or
/// kv_heads divide it; tp divides the sequence with sequence_parallel; cp divides the sequence; ep divides the experts.
/// check_plan() says so to a user.
struct LayerPlan {
  std::int64_t micro_batch = 1;
  std::int64_t sequence = 0; ///< of the whole sequence; a rank has sequence / cp
  int tp = 1;
  bool sequence_parallel = false;
  int cp = 1;
  ContextParallel context = ContextParallel::RING;
  int ep = 1;
  std::string precision = "bf16"; ///< of the matrix units; fp8: GEMMs of weights only, tensors stay bf16
  Recompute recompute = Recompute::NONE;
  AttentionKernel attention = AttentionKernel::FLASH;
  bool dropout = false; ///< behind embedding, attention and feed-forward, and on the attention's weights
  /// Tokens that this rank's experts get over their even share: 1 when all get the same. docs/models.md, "Experts".
  double expert_load = 1.0;
  bool fp32_gradients = true; ///< weight gradients accumulate in fp32 (Megatron's main gradients)

  /// Tokens of a micro-batch that this rank has before tp splits them.
  [[nodiscard]] std::int64_t tokens() const { return micro_batch * sequence / cp; }
};

} // namespace tandem::workload
