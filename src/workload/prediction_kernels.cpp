// A layer of multi-token prediction (DeepSeek-V3, arXiv 2412.19437, section 2.2): the state and the next token's
// embedding, normed and joined, are projected to the hidden size, pass a layer, and meet the output again.
#include "workload/layer_kernels.h"
#include "workload/layer_parts.h"

namespace tandem::workload {

namespace {

using model::LanguageModel;
using model::Pass;
using model::Steps;

const model::LayerKind& last_kind(const LanguageModel& model) {
  return model.kind_of(model.layers.size() - 1);
}

} // namespace

Steps prediction_forward(const LanguageModel& model, const LayerPlan& plan) {
  StepList list(model, plan, Pass::FORWARD);
  list.append(embedding_forward(model, plan));
  list.norm(list.own_hidden(), "prediction: state");
  list.norm(list.own_hidden(), "prediction: next token");
  list.gemm("prediction projection", list.own_tokens(), list.hidden(), 2 * list.hidden());
  list.save_input("prediction: joined", 2 * list.own_hidden());
  list.append(layer_forward(model, last_kind(model), plan));
  list.append(head_forward(model, plan));
  return list.take();
}

Steps prediction_backward(const LanguageModel& model, const LayerPlan& plan) {
  StepList list(model, plan, Pass::BACKWARD);
  list.append(head_backward(model, plan));
  list.append(layer_backward(model, last_kind(model), plan));
  list.data_gradient("prediction projection", list.own_tokens(), list.hidden(), 2 * list.hidden());
  list.weight_gradient("prediction projection", list.own_tokens(), list.hidden(), 2 * list.hidden());
  list.norm_gradient(list.own_hidden());
  list.norm_gradient(list.own_hidden());
  list.append(embedding_backward(model, plan));
  return list.take();
}

} // namespace tandem::workload
