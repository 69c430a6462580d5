// The core of gated DeltaNet (arXiv 2412.06464) in chunks, as flash-linear-attention computes it.
#include "workload/layer_parts.h"

namespace tandem::workload {

namespace {

constexpr double CHUNK = 64; ///< tokens; the default of flash-linear-attention

struct Sizes {
  double tokens, keys, values, state; ///< elements: of queries or keys, of values, and value heads x chunk
  double flops, workgroups;
  Sizes(const StepList& list, const model::LinearAttention& linear) {
    const auto tp = static_cast<double>(list.plan().tp);
    const auto dk = static_cast<double>(linear.key_head_dim);
    const auto dv = static_cast<double>(linear.value_head_dim);
    const double heads = static_cast<double>(linear.value_heads) / tp;
    tokens = static_cast<double>(list.tokens());
    keys = tokens * static_cast<double>(linear.key_heads) / tp * dk;
    values = tokens * heads * dv;
    state = tokens * heads * CHUNK;
    workgroups = static_cast<double>(list.plan().micro_batch) * heads; // chunks of a head follow each other
    // Per token and head within a chunk: K K^T and Q K^T (dk each), the inverse applied to keys and values (dk + dv),
    // the weighted values (dv); across chunks: state read by queries and by keys, and updated (dk dv each).
    flops = tokens * heads * 2 * (CHUNK * (3 * dk + 2 * dv) + 3 * dk * dv);
  }
};

} // namespace

void linear_core_forward(StepList& list, const model::LinearAttention& linear) {
  const Sizes sizes(list, linear);
  list.pass(SHORT_CONVOLUTION, 2 * sizes.keys + sizes.values);
  list.save("convolution input", (2 * sizes.keys + sizes.values) * list.element());
  list.attention(sizes.workgroups, "gated delta rule", sizes.flops, sizes.flops, 2 * sizes.keys + sizes.values,
                 sizes.values);
  list.save("queries, keys and values", (2 * sizes.keys + sizes.values) * list.element());
  list.save("inverses of chunks", sizes.state * list.element());
  list.norm(sizes.values, "delta rule output");
  list.pass(SIGMOID_GATE, sizes.values);
  list.save("gate and normed output", 2 * sizes.values * list.element());
}

void linear_core_backward(StepList& list, const model::LinearAttention& linear) {
  const Sizes sizes(list, linear);
  list.pass(SIGMOID_GATE_GRADIENT, sizes.values);
  list.norm_gradient(sizes.values);
  // What the forward pass did, again, and two products for each of its own.
  list.attention(sizes.workgroups, "gated delta rule backward", 3 * sizes.flops, 2 * sizes.flops,
                 2 * sizes.keys + 2 * sizes.values + sizes.state, 2 * sizes.keys + sizes.values);
  list.pass(SHORT_CONVOLUTION_GRADIENT, 2 * sizes.keys + sizes.values);
}

} // namespace tandem::workload
