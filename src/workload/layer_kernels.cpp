// A layer: norm, attention and residual addition; norm, feed-forward or experts, and residual addition; and backwards.
#include "workload/layer_kernels.h"

#include "workload/layer_parts.h"

namespace tandem::workload {

namespace {

using model::LanguageModel;
using model::LayerKind;
using model::Pass;
using model::Steps;

/// Into the residual stream, with the norm behind the block where the model has one.
void join(StepList& list, const std::string& block) {
  if (list.model().norms_per_layer > 2)
    list.norm(list.own_hidden(), block + " output");
  list.pass(list.plan().dropout ? BIAS_DROPOUT_ADD : BIAS_ADD, list.own_hidden());
  if (list.plan().dropout)
    list.save("mask of dropout behind " + block, list.own_hidden()); // a byte per element
}

void join_backward(StepList& list) {
  if (list.plan().dropout)
    list.pass(DROPOUT_GRADIENT, list.own_hidden());
  if (list.model().norms_per_layer > 2)
    list.norm_gradient(list.own_hidden());
}

/// The block's input comes from its norm, and beside it along the residual stream: both gradients meet.
void leave_backward(StepList& list) {
  list.norm_gradient(list.own_hidden());
  list.pass(RESIDUAL_GRADIENT, list.own_hidden());
}

void forward(StepList& list, const LayerKind& kind) {
  list.norm(list.own_hidden(), "layer input");
  attention_forward(list, kind.attention);
  join(list, "attention");
  list.norm(list.own_hidden(), "second norm's input");
  if (kind.experts)
    experts_forward(list, *kind.experts);
  else
    feed_forward_forward(list, kind.feed_forward);
  join(list, "feed-forward");
}

} // namespace

Steps layer_forward(const LanguageModel& model, const LayerKind& kind, const LayerPlan& plan) {
  StepList list(model, plan, Pass::FORWARD);
  forward(list, kind);
  return list.take();
}

Steps layer_backward(const LanguageModel& model, const LayerKind& kind, const LayerPlan& plan) {
  StepList list(model, plan, Pass::BACKWARD);
  if (plan.recompute == Recompute::FULL) {
    list.enter(Pass::RECOMPUTE);
    forward(list, kind);
    list.enter(Pass::BACKWARD);
  }
  join_backward(list);
  if (kind.experts)
    experts_backward(list, *kind.experts);
  else
    feed_forward_backward(list, kind.feed_forward);
  leave_backward(list);
  join_backward(list);
  attention_backward(list, kind.attention);
  leave_backward(list);
  return list.take();
}

} // namespace tandem::workload
