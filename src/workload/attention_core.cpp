// The core of attention: fused or unfused, over whole sequences or around a ring of context-parallel ranks.
#include "workload/layer_parts.h"

#include "base/error.h"

#include <algorithm>

namespace tandem::workload {

namespace {

using model::CollectiveKind;
using model::KernelKind;

/// Tensors of the core on one rank, in elements.
struct CoreTensors {
  double queries, keys_values, output;
  explicit CoreTensors(const CoreShape& shape, int cp) {
    const double tokens = static_cast<double>(shape.sequences * shape.sequence) / cp;
    queries = tokens * static_cast<double>(shape.heads * shape.qk_dim);
    keys_values = tokens * static_cast<double>(shape.kv_heads * (shape.qk_dim + shape.v_dim));
    output = tokens * static_cast<double>(shape.heads * shape.v_dim);
  }
};

double workgroups(const CoreShape& shape, int cp) {
  const std::int64_t blocks = (shape.sequence / cp + ATTENTION_BLOCK - 1) / ATTENTION_BLOCK;
  return static_cast<double>(shape.sequences * shape.heads * blocks);
}

double scores(const CoreShape& shape) {
  return static_cast<double>(shape.sequences * shape.heads) * static_cast<double>(shape.sequence * shape.sequence);
}

void unfused_forward(StepList& list, const CoreShape& shape) {
  const CoreTensors tensors(shape, 1);
  const std::int64_t batch = shape.sequences * shape.heads;
  list.product("QK^T", shape.sequence, shape.sequence, shape.qk_dim, batch);
  list.save("queries", tensors.queries * list.element());
  list.save("keys and values", tensors.keys_values * list.element());
  list.pass(SOFTMAX, scores(shape), KernelKind::SOFTMAX);
  list.save("softmax", scores(shape) * list.element());
  if (list.plan().dropout) {
    list.pass(ATTENTION_DROPOUT, scores(shape));
    list.save("mask of attention dropout", scores(shape));
    list.save("attention weights behind dropout", scores(shape) * list.element());
  }
  list.product("AV", shape.sequence, shape.v_dim, shape.sequence, batch);
  list.pass(MERGE_HEADS, tensors.output);
}

void unfused_backward(StepList& list, const CoreShape& shape) {
  const CoreTensors tensors(shape, 1);
  const std::int64_t batch = shape.sequences * shape.heads;
  list.product("AV gradient of A", shape.sequence, shape.sequence, shape.v_dim, batch);
  list.product("AV gradient of V", shape.sequence, shape.v_dim, shape.sequence, batch);
  if (list.plan().dropout)
    list.pass(ATTENTION_DROPOUT_GRADIENT, scores(shape));
  list.pass(SOFTMAX_GRADIENT, scores(shape), KernelKind::SOFTMAX);
  list.product("QK^T gradient of Q", shape.sequence, shape.qk_dim, shape.sequence, batch);
  list.product("QK^T gradient of K", shape.sequence, shape.qk_dim, shape.sequence, batch);
  list.pass(JOIN_QKV_GRADIENT, tensors.output);
}

/// The blocks of keys and values that a rank works on, one after the other, and the exchange beside each.
template <class Block> void over_ranks(StepList& list, const std::string& what, double bytes, const Block& block) {
  const int cp = list.plan().cp;
  if (cp > 1 && list.plan().context == ContextParallel::ALL_GATHER) {
    list.communicate(what, "cp", CollectiveKind::ALL_GATHER, bytes * cp);
    block("", 1.0, cp);
    return;
  }
  for (int i = 0; i < cp; ++i) {
    if (i + 1 < cp)
      list.communicate(what, "cp", CollectiveKind::SEND_RECV, bytes, 1);
    block(cp > 1 ? ", block " + std::to_string(i + 1) : std::string(), 1.0 / cp, 1);
  }
}

} // namespace

double computed_pairs(const CoreShape& shape) {
  const auto s = static_cast<double>(shape.sequence);
  if (!shape.causal)
    return s * s;
  const double w = shape.window > 0 ? std::min(static_cast<double>(shape.window), s) : s;
  const auto block = static_cast<double>(std::min(ATTENTION_BLOCK, shape.sequence));
  return w * (w + block) / 2 + (s - w) * w;
}

double nominal_pairs(const CoreShape& shape) {
  const auto s = static_cast<double>(shape.sequence);
  return s * (shape.window > 0 ? std::min(static_cast<double>(shape.window), s) : s);
}

CoreShape core_shape(const model::Attention& attention, const LayerPlan& plan) {
  CoreShape shape{.sequences = plan.micro_batch,
                  .sequence = plan.sequence,
                  .heads = attention.heads / plan.tp,
                  .kv_heads = std::max<std::int64_t>(1, attention.kv_heads / plan.tp),
                  .qk_dim = attention.head_dim,
                  .v_dim = attention.head_dim,
                  .causal = attention.causal,
                  .window = attention.window};
  if (attention.kind == model::AttentionKind::LATENT) {
    shape.kv_heads = shape.heads;
    shape.qk_dim = attention.latent.qk_nope_head_dim + attention.latent.qk_rope_head_dim;
    shape.v_dim = attention.latent.v_head_dim;
  }
  return shape;
}

void core_forward(StepList& list, const CoreShape& shape) {
  if (list.plan().attention == AttentionKernel::UNFUSED) {
    unfused_forward(list, shape);
    return;
  }
  const int cp = list.plan().cp;
  const CoreTensors tensors(shape, cp);
  const double per_pair = 2.0 * static_cast<double>(shape.sequences * shape.heads * (shape.qk_dim + shape.v_dim)) / cp;
  over_ranks(list, "keys and values", tensors.keys_values * list.element(),
             [&](const std::string& suffix, double share, int blocks) {
               list.attention(workgroups(shape, cp), "attention" + suffix, share * per_pair * computed_pairs(shape),
                              share * per_pair * nominal_pairs(shape), tensors.queries + blocks * tensors.keys_values,
                              tensors.output);
             });
  list.save("queries", tensors.queries * list.element());
  list.save("keys and values", tensors.keys_values * list.element());
  list.save("attention output", tensors.output * list.element());
  list.save("log-sum-exp", tensors.output / static_cast<double>(shape.v_dim) * 4); // fp32, one of each row and head
}

void core_backward(StepList& list, const CoreShape& shape) {
  if (list.plan().attention == AttentionKernel::UNFUSED) {
    unfused_backward(list, shape);
    return;
  }
  const int cp = list.plan().cp;
  const CoreTensors tensors(shape, cp);
  // S = Q K^T again, then dV = P^T dO, dP = dO V^T, dQ = dS K, dK = dS^T Q: 3 products over qk_dim, 2 over v_dim.
  const auto rows = static_cast<double>(shape.sequences * shape.heads) / cp;
  const double per_pair = 2.0 * rows * static_cast<double>(3 * shape.qk_dim + 2 * shape.v_dim);
  const double nominal = 4.0 * rows * static_cast<double>(shape.qk_dim + shape.v_dim);
  const bool gather = cp > 1 && list.plan().context == ContextParallel::ALL_GATHER;
  // Around a ring the gradients of keys and values travel with them.
  const double bytes = tensors.keys_values * list.element() * (cp > 1 && !gather ? 2 : 1);
  over_ranks(list, gather ? "keys and values" : "keys, values and their gradients", bytes,
             [&](const std::string& suffix, double share, int blocks) {
               list.attention(workgroups(shape, cp), "attention backward" + suffix,
                              share * per_pair * computed_pairs(shape), share * nominal * nominal_pairs(shape),
                              tensors.queries + blocks * tensors.keys_values + 2 * tensors.output,
                              tensors.queries + blocks * tensors.keys_values);
             });
  if (gather)
    list.communicate("gradients of keys and values", "cp", CollectiveKind::REDUCE_SCATTER, bytes * cp);
}

} // namespace tandem::workload
