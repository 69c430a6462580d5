// The attention half of a layer: projections of queries, keys and values, the core, the output projection.
#include "workload/layer_parts.h"

#include <algorithm>

namespace tandem::workload {

namespace {

using model::Attention;
using model::AttentionKind;
using model::Pass;
using model::QkNorm;

/// Widths on a rank.
struct Widths {
  std::int64_t queries = 0, keys = 0, projected = 0, output = 0;
  Widths(const Attention& attention, int tp) {
    if (attention.kind == AttentionKind::LINEAR) {
      const auto& linear = attention.linear;
      output = linear.value_heads * linear.value_head_dim / tp;
      projected = 2 * linear.key_heads * linear.key_head_dim / tp + 2 * output + 2 * linear.value_heads / tp;
      return;
    }
    if (attention.kind == AttentionKind::LATENT) {
      output = attention.heads / tp * attention.latent.v_head_dim;
      return;
    }
    queries = output = attention.heads / tp * attention.head_dim;
    keys = std::max<std::int64_t>(1, attention.kv_heads / tp) * attention.head_dim;
    projected = queries * (attention.output_gate ? 2 : 1) + 2 * keys;
  }
};

bool rotary(const model::LanguageModel& model) {
  return model.learned_positions == 0;
}

void project(StepList& list, const Attention& attention, const Widths& widths) {
  list.gather_input("attention input");
  list.gemm("IP", list.tokens(), widths.projected, list.hidden()); // its bias is added as the GEMM stores
  list.save_input("attention input", list.own_hidden());
  const double rotated = times(list.tokens(), widths.queries + widths.keys);
  if (attention.qk_norm != QkNorm::NONE)
    list.norm(rotated, "queries and keys before their norm");
  if (attention.kind == AttentionKind::HEADS && rotary(list.model()))
    list.pass(ROTARY, rotated);
}

void project_backward(StepList& list, const Attention& attention, const Widths& widths) {
  const double rotated = times(list.tokens(), widths.queries + widths.keys);
  if (attention.kind == AttentionKind::HEADS && rotary(list.model()))
    list.pass(ROTARY_GRADIENT, rotated);
  if (attention.qk_norm != QkNorm::NONE)
    list.norm_gradient(rotated);
  list.gather_input("attention input", list.data_gradient_kernels());
  list.data_gradient("IP", list.tokens(), widths.projected, list.hidden());
  list.reduce_output("IP input gradient", attention.qkv_bias ? 2 : 1);
  list.weight_gradient("IP", list.tokens(), widths.projected, list.hidden());
  if (attention.qkv_bias) {
    list.pass(QKV_BIAS_GRADIENT, times(list.tokens(), widths.projected));
    list.vectors(1);
  }
}

void core(StepList& list, const Attention& attention) {
  if (attention.kind == AttentionKind::LINEAR)
    linear_core_forward(list, attention.linear);
  else
    core_forward(list, core_shape(attention, list.plan()));
}

} // namespace

void attention_forward(StepList& list, const Attention& attention) {
  const Widths widths(attention, list.plan().tp);
  if (attention.kind == AttentionKind::LATENT)
    latent_projections(list, attention);
  else
    project(list, attention, widths);
  core(list, attention);
  const double output = times(list.tokens(), widths.output);
  if (attention.output_gate) {
    list.pass(SIGMOID_GATE, output);
    list.save("output gate", output * list.element());
    list.save("gated output", output * list.element());
  }
  list.gemm("OP", list.tokens(), list.hidden(), widths.output);
  list.save_input(attention.output_gate ? "gated output" : "attention output", output);
  list.reduce_output("OP output");
}

void attention_backward(StepList& list, const Attention& attention) {
  const Widths widths(attention, list.plan().tp);
  if (attention.output_bias) {
    list.pass(HIDDEN_BIAS_GRADIENT, list.own_hidden());
    list.vectors(1);
  }
  list.gather_input("OP output gradient");
  list.data_gradient("OP", list.tokens(), list.hidden(), widths.output);
  list.weight_gradient("OP", list.tokens(), list.hidden(), widths.output);
  if (list.plan().recompute == Recompute::SELECTIVE) {
    list.enter(Pass::RECOMPUTE);
    core(list, attention);
    list.enter(Pass::BACKWARD);
  }
  if (attention.output_gate)
    list.pass(SIGMOID_GATE_GRADIENT, times(list.tokens(), widths.output));
  if (attention.kind == AttentionKind::LINEAR)
    linear_core_backward(list, attention.linear);
  else
    core_backward(list, core_shape(attention, list.plan()));
  if (attention.kind == AttentionKind::LATENT)
    latent_projections_backward(list, attention);
  else
    project_backward(list, attention, widths);
}

} // namespace tandem::workload
