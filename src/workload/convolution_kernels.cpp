// A convolutional network as kernels: convolutions as implicit GEMMs, batch norm, ReLU and pooling by their traffic.
#include "workload/kernel_list.h"
#include "workload/model_parts.h"

#include <algorithm>
#include <cmath>

namespace tandem::workload {

namespace {

using model::ConvolutionalLayer;
using model::KernelKind;
using model::Pass;

constexpr double PLACE = 8; ///< bytes of a pooled maximum's place

/// A layer's tensors for one micro-batch, in elements, and its products.
struct Shape {
  std::int64_t rows, inner;       ///< of the implicit GEMM [rows x inner] [inner x out]
  std::int64_t in_rows, in_inner; ///< of its input's gradient, [in_rows x in_inner] [in_inner x in]
  double input, output, pooled;
  /// How many filters' places cover an element of the input, and of the output's gradient.
  double covers;
  Shape(const ConvolutionalLayer& layer, std::int64_t images)
      : rows(images * layer.places()), inner(layer.in * layer.kernel * layer.kernel),
        in_rows(rows * layer.stride * layer.stride),
        in_inner(std::max<std::int64_t>(
            1, std::llround(times(layer.out, layer.kernel * layer.kernel) / times(layer.stride, layer.stride)))),
        input(times(in_rows, layer.in)), output(times(rows, layer.out)),
        pooled(times(images * (layer.height / layer.pool) * (layer.width / layer.pool), layer.out)),
        covers(std::max(1.0, times(layer.kernel, layer.kernel) / times(layer.stride, layer.stride))) {}
};

model::Steps forward(const ConvolutionalLayer& layer, const LayerPlan& plan, bool last) {
  KernelList list(plan, Pass::FORWARD);
  const Shape shape(layer, plan.micro_batch);
  list.gemm(layer.name, shape.rows, layer.out, shape.inner);
  list.gathers(shape.covers);
  if (!layer.shortcut) // that of its block is kept already
    list.save_input("input", shape.input);
  if (layer.norm) {
    list.pass(BATCH_NORM, shape.output, KernelKind::NORM);
    list.save("batch norm's input", shape.output * list.element());
  }
  if (last) {
    list.kernel("loss", KernelKind::LOSS, 6 * shape.output, 2 * shape.output * list.element(),
                shape.output * list.element());
    list.save("softmax of logits", shape.output * list.element());
  } else if (layer.residual) {
    list.pass(ADD_SHORTCUT, shape.output);
  } else if (!layer.shortcut) {
    list.pass(layer.bias ? BIAS_RELU : RELU, shape.output); // in place: the next layer keeps it
  }
  if (layer.pool > 1) {
    list.save("pooling's input", shape.output * list.element());
    list.kernel("pooling", KernelKind::VECTOR, shape.output, shape.output * list.element(),
                shape.pooled * (list.element() + PLACE));
    list.save("places of maxima", shape.pooled * PLACE);
  }
  return list.take();
}

model::Steps backward(const ConvolutionalLayer& layer, const LayerPlan& plan, bool first, bool last) {
  KernelList list(plan, Pass::BACKWARD);
  const Shape shape(layer, plan.micro_batch);
  if (layer.pool > 1)
    list.kernel("pooling backward", KernelKind::VECTOR, shape.pooled, shape.pooled * (list.element() + PLACE),
                shape.output * list.element());
  if (last)
    list.kernel("loss backward", KernelKind::LOSS, 2 * shape.output, shape.output * list.element(),
                shape.output * list.element());
  else if (!layer.shortcut)
    list.pass(RELU_GRADIENT, shape.output);
  if (layer.residual)
    list.pass(RESIDUAL_GRADIENT, shape.output); // of the shortcut and of the block, where the block begins
  if (layer.norm)
    list.pass(BATCH_NORM_GRADIENT, shape.output, KernelKind::NORM);
  if (layer.bias) {
    list.kernel("bias gradient", KernelKind::VECTOR, shape.output, shape.output * list.element(), 0);
    list.weight();
  }
  if (!first) { // nobody asks for the gradient of an image
    list.data_gradient(layer.name, shape.in_rows, shape.in_inner, layer.in);
    list.gathers(shape.covers);
  }
  list.weight_gradient(layer.name, shape.rows, layer.out, shape.inner);
  list.gathers(shape.covers);
  return list.take();
}

} // namespace

std::vector<ModelPart> convolutional_parts(const model::ConvolutionalModel& model, const LayerPlan& plan) {
  std::vector<ModelPart> parts;
  for (const auto& layer : model.layers) {
    const bool first = &layer == &model.layers.front(), last = &layer == &model.layers.back();
    auto steps = forward(layer, plan, last);
    const auto memory = activation_memory(steps, Recompute::NONE);
    parts.push_back({layer.name, std::move(steps), backward(layer, plan, first, last), memory,
                     RankParameters{.shared = static_cast<double>(layer.parameters())}});
  }
  return parts;
}

} // namespace tandem::workload
