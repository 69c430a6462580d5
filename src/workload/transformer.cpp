// Builds the sub-layers and the whole layer, kernel by kernel.
#include "workload/transformer.h"

#include "workload/elementwise.h"

#include <utility>

namespace tandem::workload {

namespace {

using model::CollectiveKind;
using model::Gemm;
using model::Item;

/// Appends the kernels of one layer on one GPU. T tokens, H hidden, t GPUs, s sequence, d head size, h = ceil(heads /
/// t) heads on this GPU.
class LayerBuilder {
public:
  LayerBuilder(const TransformerShape& shape, const Slice& slice, bool dropout)
      : shape_(shape), slice_(slice), dropout_(dropout), heads_((shape.heads + slice.tp - 1) / slice.tp),
        head_size_(shape.hidden / shape.heads), part_(shape.hidden / slice.tp) {}

  void forward() {
    pass(LAYER_NORM);
    gemm("IP", shape_.tokens, 3 * part_, shape_.hidden); // its bias is added as the GEMM stores
    batched_gemm("QK^T", shape_.sequence, head_size_);
    pass(SOFTMAX);
    if (dropout_)
      pass(ATTENTION_DROPOUT);
    batched_gemm("AV", head_size_, shape_.sequence);
    pass(MERGE_HEADS);
    reduced("OP", 1);
    pass(dropout_ ? BIAS_DROPOUT_ADD : BIAS_ADD);
    pass(LAYER_NORM);
    gemm("FC-1", shape_.tokens, 4 * part_, shape_.hidden);
    pass(BIAS_GELU);
    reduced("FC-2", 4);
    pass(dropout_ ? BIAS_DROPOUT_ADD : BIAS_ADD);
  }

  /// The mirror image. The gradient of an input [T x K] is [T x N] [N x K], that of a weight [N x K] is [N x T] [T x
  /// K].
  void backward() {
    pass(DROPOUT_GRADIENT);
    pass(HIDDEN_BIAS_GRADIENT);
    gemm("FC-2 input gradient", shape_.tokens, 4 * part_, shape_.hidden);
    gemm("FC-2 weight gradient", shape_.hidden, 4 * part_, shape_.tokens);
    pass(GELU_GRADIENT);
    pass(WIDE_BIAS_GRADIENT);
    reduced("FC-1 input gradient", 4);
    gemm("FC-1 weight gradient", 4 * part_, shape_.hidden, shape_.tokens);
    layer_norm_backward();
    pass(DROPOUT_GRADIENT);
    pass(HIDDEN_BIAS_GRADIENT);
    gemm("OP input gradient", shape_.tokens, part_, shape_.hidden);
    gemm("OP weight gradient", shape_.hidden, part_, shape_.tokens);
    batched_gemm("AV gradient of A", shape_.sequence, head_size_);
    batched_gemm("AV gradient of V", head_size_, shape_.sequence);
    pass(ATTENTION_DROPOUT_GRADIENT);
    pass(SOFTMAX_GRADIENT);
    batched_gemm("QK^T gradient of Q", head_size_, shape_.sequence);
    batched_gemm("QK^T gradient of K", head_size_, shape_.sequence);
    pass(JOIN_QKV_GRADIENT);
    reduced("IP input gradient", 3);
    gemm("IP weight gradient", 3 * part_, shape_.hidden, shape_.tokens);
    pass(QKV_BIAS_GRADIENT);
    layer_norm_backward();
  }

  std::vector<Item> take() { return std::move(items_); }

private:
  void gemm(const char* name, std::int64_t m, std::int64_t n, std::int64_t k) {
    Item item;
    item.name = name;
    item.gemm = Gemm{.m = m, .n = n, .k = k, .precision = slice_.precision};
    items_.push_back(std::move(item));
  }

  /// One product per sequence and head: s x n x k.
  void batched_gemm(const char* name, std::int64_t n, std::int64_t k) {
    gemm(name, shape_.sequence, n, k);
    items_.back().gemm->batch = shape_.tokens / shape_.sequence * heads_;
  }

  void reduced(const char* name, std::int64_t width) {
    items_.push_back(sublayer_item({name, "", width}, shape_, slice_));
  }

  /// The two paths into a block meet in the last addition.
  void layer_norm_backward() {
    pass(LAYER_NORM_GRADIENT);
    pass(LAYER_NORM_WEIGHT_GRADIENT);
    pass(RESIDUAL_GRADIENT);
  }

  [[nodiscard]] double elements(Extent extent) const {
    const auto tokens = static_cast<double>(shape_.tokens);
    switch (extent) {
    case Extent::HIDDEN:
      return tokens * static_cast<double>(shape_.hidden);
    case Extent::WIDE:
      return tokens * static_cast<double>(4 * part_);
    case Extent::QKV:
      return tokens * static_cast<double>(3 * part_);
    case Extent::HEADS:
      return tokens * static_cast<double>(heads_ * head_size_);
    case Extent::SCORES:
      return tokens * static_cast<double>(heads_) * static_cast<double>(shape_.sequence); // T/s sequences x h x s x s
    case Extent::ROUTED:
    case Extent::CHOICE:
    case Extent::PLACES:
      break; // T3's layers have neither experts nor convolutions
    }
    throw base::Bug("a tensor of a transformer layer without a size");
  }

  void pass(const Elementwise& kernel) {
    const double count = elements(kernel.extent);
    const int element = Gemm{.precision = slice_.precision}.element_bytes();
    Item item;
    item.name = kernel.name;
    item.kernel = model::VectorKernel{model::Flops(count * kernel.flops),
                                      model::Bytes(count * (kernel.reads * element + kernel.mask_reads)),
                                      model::Bytes(count * (kernel.writes * element + kernel.mask_writes))};
    items_.push_back(std::move(item));
  }

  TransformerShape shape_;
  Slice slice_;
  bool dropout_;
  std::int64_t heads_, head_size_;
  std::int64_t part_; ///< H / t
  std::vector<Item> items_;
};

} // namespace

const std::vector<Sublayer>& sublayers() {
  static const std::vector<Sublayer> table = {
      {"OP", "forward", 1}, {"FC-2", "forward", 4}, {"FC-1", "backward", 4}, {"IP", "backward", 3}};
  return table;
}

Item sublayer_item(const Sublayer& sublayer, const TransformerShape& shape, const Slice& slice) {
  Item item;
  item.name = sublayer.name;
  item.gemm = Gemm{.m = shape.tokens,
                   .n = shape.hidden,
                   .k = sublayer.width * (shape.hidden / slice.tp),
                   .precision = slice.precision};
  item.collective = CollectiveKind::ALL_REDUCE;
  return item;
}

std::vector<Item> layer_items(const TransformerShape& shape, const Slice& slice, LayerPhase phase) {
  const bool training = phase == LayerPhase::TRAINING;
  LayerBuilder builder(shape, slice, training);
  builder.forward();
  if (training)
    builder.backward();
  return builder.take();
}

} // namespace tandem::workload
