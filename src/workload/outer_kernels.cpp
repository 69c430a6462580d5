// What stands before and behind the layers: embeddings or patches, and norm, logits and loss.
#include "workload/layer_kernels.h"
#include "workload/layer_parts.h"

namespace tandem::workload {

namespace {

using model::CollectiveKind;
using model::KernelKind;
using model::LanguageModel;
using model::Pass;
using model::Steps;

constexpr double INDEX = 8; ///< bytes of a token's number

std::int64_t patch_width(const model::Patches& patches) {
  return patches.channels * patches.patch * patches.patch;
}

double all_tokens(const StepList& list) {
  return static_cast<double>(list.tokens());
}

/// Megatron-LM's vocabulary is padded so that tp divides it; the padding is less than a row per rank here.
std::int64_t vocabulary(const StepList& list) {
  return (list.model().vocab + list.plan().tp - 1) / list.plan().tp;
}

/// One fp32 number of each token, over the ranks that share the vocabulary.
void reduce_tokens(StepList& list, const std::string& name) {
  if (list.plan().tp > 1)
    list.communicate(name, "tp", CollectiveKind::ALL_REDUCE, all_tokens(list) * FP32);
}

/// The passes of Megatron-LM's vocab_parallel_cross_entropy, none of which is fused with another.
void loss_forward(StepList& list) {
  const double logits = all_tokens(list) * static_cast<double>(vocabulary(list));
  list.kernel("loss: cast", KernelKind::LOSS, logits, logits * list.element(), logits * FP32);
  list.kernel("loss: maximum", KernelKind::LOSS, logits, logits * FP32, 0);
  reduce_tokens(list, "maximum of logits");
  list.kernel("loss: minus maximum", KernelKind::LOSS, logits, logits * FP32, logits * FP32);
  list.kernel("loss: exponentials", KernelKind::LOSS, logits, logits * FP32, logits * FP32);
  list.kernel("loss: sum", KernelKind::LOSS, logits, logits * FP32, 0);
  reduce_tokens(list, "logit of the target");
  reduce_tokens(list, "sum of exponentials");
  list.kernel("loss: softmax", KernelKind::LOSS, logits, logits * FP32, logits * FP32);
  list.save("softmax of logits", logits * FP32);
}

/// The softmax times the loss' gradient, in place, and back to the precision of the logits.
void loss_backward(StepList& list, double logits) {
  list.kernel("loss backward", KernelKind::LOSS, logits, logits * FP32, logits * FP32);
  list.kernel("loss backward: cast", KernelKind::LOSS, logits, logits * FP32, logits * list.element());
}

void transform(StepList& list) {
  const std::int64_t tokens = list.own_tokens();
  list.gemm("output transform", tokens, list.hidden(), list.hidden());
  list.save_input("transform input", list.own_hidden());
  list.pass(BIAS_GELU, list.own_hidden());
  list.save("transform output", list.own_hidden() * list.element());
  list.norm(list.own_hidden(), "norm of output transform, input");
}

void transform_backward(StepList& list) {
  list.norm_gradient(list.own_hidden());
  list.pass(GELU_GRADIENT, list.own_hidden());
  list.data_gradient("output transform", list.own_tokens(), list.hidden(), list.hidden());
  list.weight_gradient("output transform", list.own_tokens(), list.hidden(), list.hidden());
}

} // namespace

Steps embedding_forward(const LanguageModel& model, const LayerPlan& plan) {
  StepList list(model, plan, Pass::FORWARD);
  if (model.patches) {
    const std::int64_t width = patch_width(*model.patches);
    list.gemm("patches", list.tokens(), list.hidden(), width);
    list.save_input("patches", all_tokens(list) * static_cast<double>(width));
  } else {
    const double rows = all_tokens(list) * static_cast<double>(list.hidden()) * list.element();
    list.kernel("embedding", KernelKind::EMBEDDING, 0, rows + all_tokens(list) * INDEX, rows);
    list.save("token numbers", all_tokens(list) * INDEX);
    list.reduce_output("embedding");
  }
  if (model.learned_positions > 0 || model.token_types > 0)
    list.pass(BIAS_ADD, list.own_hidden());
  if (model.embedding_norm)
    list.norm(list.own_hidden(), "norm of embeddings, input");
  if (plan.dropout) {
    list.pass(DROPOUT, list.own_hidden());
    list.save("mask of embedding dropout", list.own_hidden());
  }
  return list.take();
}

Steps embedding_backward(const LanguageModel& model, const LayerPlan& plan) {
  StepList list(model, plan, Pass::BACKWARD);
  if (plan.dropout)
    list.pass(DROPOUT_GRADIENT, list.own_hidden());
  if (model.embedding_norm)
    list.norm_gradient(list.own_hidden());
  if (model.patches) {
    list.weight_gradient("patches", list.tokens(), list.hidden(), patch_width(*model.patches));
    return list.take();
  }
  list.gather_input("embedding gradient");
  const double rows = all_tokens(list) * static_cast<double>(list.hidden()) * list.element();
  const double table = static_cast<double>(vocabulary(list)) * static_cast<double>(list.hidden());
  list.kernel("embedding gradient", KernelKind::EMBEDDING, 0, rows, table * list.element()); // zeroed, then rows added
  list.weight();
  const double sum = plan.fp32_gradients ? FP32 : list.element();
  list.kernel("embedding gradient, accumulated", KernelKind::EMBEDDING, table, table * (list.element() + sum),
              table * sum);
  list.weight();
  return list.take();
}

Steps head_forward(const LanguageModel& model, const LayerPlan& plan) {
  StepList list(model, plan, Pass::FORWARD);
  if (model.final_norm)
    list.norm(list.own_hidden(), "final norm's input");
  if (model.patches) {
    list.gemm("classifier", plan.micro_batch, model.patches->classes, list.hidden());
    list.save_input("classifier input", static_cast<double>(plan.micro_batch * list.hidden()));
    return list.take();
  }
  if (model.head_transform)
    transform(list);
  list.gather_input("logits' input");
  // bf16 even with fp8: the output matrix is left in it
  list.product("logits", list.tokens(), vocabulary(list), list.hidden(), 1);
  list.save("logits' input", list.own_hidden() * list.element());
  loss_forward(list);
  return list.take();
}

Steps head_backward(const LanguageModel& model, const LayerPlan& plan) {
  StepList list(model, plan, Pass::BACKWARD);
  if (model.patches) {
    list.data_gradient("classifier", plan.micro_batch, model.patches->classes, list.hidden());
    list.weight_gradient("classifier", plan.micro_batch, model.patches->classes, list.hidden());
  } else {
    const std::int64_t vocab = vocabulary(list);
    const double logits = all_tokens(list) * static_cast<double>(vocab);
    loss_backward(list, logits);
    list.gather_input("logits' input", 1);
    list.product("logits input gradient", list.tokens(), list.hidden(), vocab, 1);
    list.reduce_output("logits input gradient", 1);
    list.product("logits weight gradient", vocab, list.hidden(), list.tokens(), 1);
    list.accumulate("logits weight", times(vocab, list.hidden()));
    if (model.head_transform)
      transform_backward(list);
  }
  if (model.final_norm)
    list.norm_gradient(list.own_hidden());
  return list.take();
}

} // namespace tandem::workload
