// The feed-forward half of a layer: matrices around an activation, cut by columns and then by rows over tp.
#include "workload/layer_parts.h"

namespace tandem::workload {

void matrices_forward(StepList& list, const model::FeedForward& block, const std::string& prefix, std::int64_t rows,
                      std::int64_t count, double saved_input) {
  const std::int64_t inner = block.inner / list.plan().tp;
  const double activated = times(rows * count, inner);
  list.gemm(prefix + "FC-1", rows, inner * (block.gated ? 2 : 1), list.hidden(), count);
  list.save_input(prefix + "feed-forward input", saved_input);
  list.pass(block.gated ? GATED_ACTIVATION : BIAS_GELU, activated);
  list.save(prefix + "FC-1 output", activated * (block.gated ? 2 : 1) * list.element());
  list.gemm(prefix + "FC-2", rows, list.hidden(), inner, count);
  list.save_input(prefix + "FC-2 input", activated);
}

void matrices_backward(StepList& list, const model::FeedForward& block, const std::string& prefix, std::int64_t rows,
                       std::int64_t count, bool own_exchange) {
  const std::int64_t inner = block.inner / list.plan().tp;
  const std::int64_t wide = inner * (block.gated ? 2 : 1);
  list.data_gradient(prefix + "FC-2", rows, list.hidden(), inner, count);
  list.weight_gradient(prefix + "FC-2", rows, list.hidden(), inner, count);
  list.pass(block.gated ? GATED_ACTIVATION_GRADIENT : GELU_GRADIENT, times(rows * count, inner));
  if (block.bias) {
    list.pass(WIDE_BIAS_GRADIENT, times(rows * count, wide));
    list.vectors(1);
  }
  if (own_exchange)
    list.gather_input(prefix + "feed-forward input", list.data_gradient_kernels());
  list.data_gradient(prefix + "FC-1", rows, wide, list.hidden(), count);
  if (own_exchange)
    list.reduce_output(prefix + "FC-1 input gradient", 1);
  list.weight_gradient(prefix + "FC-1", rows, wide, list.hidden(), count);
}

void feed_forward_forward(StepList& list, const model::FeedForward& block, const std::string& prefix) {
  list.gather_input(prefix + "feed-forward input");
  matrices_forward(list, block, prefix, list.tokens(), 1, list.own_hidden());
  list.reduce_output(prefix + "FC-2 output");
}

void feed_forward_backward(StepList& list, const model::FeedForward& block, const std::string& prefix) {
  if (block.bias) {
    list.pass(HIDDEN_BIAS_GRADIENT, list.own_hidden());
    list.vectors(1);
  }
  list.gather_input(prefix + "FC-2 output gradient");
  matrices_backward(list, block, prefix, list.tokens(), 1, true);
}

} // namespace tandem::workload
