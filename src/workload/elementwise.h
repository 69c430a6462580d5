// The kernels of a layer that are not GEMMs: what each reads and writes per element, those of a transformer fused as
// Megatron-LM fuses them.
#pragma once

#include "model/workload.h"

#include <string>

namespace tandem::workload {

/// The tensor over whose elements a kernel runs, on one GPU.
enum class Extent {
  HIDDEN, ///< tokens x H: every GPU holds all of it
  WIDE,   ///< tokens x 4H / tp
  QKV,    ///< tokens x 3H / tp
  HEADS,  ///< tokens x whole heads of the GPU x head size
  SCORES, ///< sequences x whole heads of the GPU x sequence x sequence
  ROUTED, ///< tokens x experts that each goes to x H
  CHOICE, ///< tokens x routed experts
  PLACES, ///< of a convolution: images x places x channels
};

/// Reads and writes count tensors of the extent's size in the workload's precision; a dropout mask has one byte per
/// element. Vectors of length H or tokens (biases, norm weights, means) are left out: less than a thousandth. Flops per
/// element count exp, tanh, a division and a comparison as one each.
struct Elementwise {
  const char* name;
  Extent extent;
  int reads, writes;
  int mask_reads, mask_writes;
  int flops;
};

/// What a random number of dropout (Philox4x32-10) takes, in flops of the vector units. The arithmetic of the generator
/// is about half of it: 10 rounds for 4 numbers, each of 2 wide products, 4 exclusive ors and 2 sums, on integer units
/// that have half as many lanes as those of fp32. From PyTorch's dropout of 64 x 2048 x 2048 scores on an A100: 1.2 ms,
/// rounded as published (docs/validation.md). Layers of T3 do without.
constexpr double RANDOM_NUMBER_FLOPS = 85;

// Forward
constexpr Elementwise LAYER_NORM{"LayerNorm", Extent::HIDDEN, 1, 1, 0, 0, 8};
constexpr Elementwise SOFTMAX{
    "scale+mask+softmax", Extent::SCORES, 1, 1, 0, 0, 6}; // the causal mask is computed, not read
constexpr Elementwise ATTENTION_DROPOUT{"attention dropout", Extent::SCORES, 1, 1, 0, 1, 2};
constexpr Elementwise MERGE_HEADS{"merge heads", Extent::HEADS, 1, 1, 0, 0, 0}; // head-major to token-major
constexpr Elementwise BIAS_DROPOUT_ADD{"bias+dropout+residual", Extent::HIDDEN, 2, 1, 0, 1, 4};
constexpr Elementwise BIAS_ADD{"bias+residual", Extent::HIDDEN, 2, 1, 0, 0, 2}; // the same without dropout
constexpr Elementwise BIAS_GELU{"bias+GeLU", Extent::WIDE, 1, 1, 0, 0, 9};
constexpr Elementwise BIAS_RELU{"bias+ReLU", Extent::WIDE, 1, 1, 0, 0, 2};
constexpr Elementwise RMS_NORM{"RMSNorm", Extent::HIDDEN, 1, 1, 0, 0, 5};
constexpr Elementwise ROTARY{"rotary", Extent::QKV, 1, 1, 0, 0, 3}; // of queries and keys
constexpr Elementwise GATED_ACTIVATION{"gated activation", Extent::WIDE, 2, 1, 0, 0, 6};
constexpr Elementwise SIGMOID_GATE{"output gate", Extent::HEADS, 2, 1, 0, 0, 5};
constexpr Elementwise SHORT_CONVOLUTION{"short convolution", Extent::QKV, 1, 1, 0, 0, 12}; // four taps and SiLU
constexpr Elementwise DROPOUT{"dropout", Extent::HIDDEN, 1, 1, 0, 1, 2};
constexpr Elementwise CAST{"cast to fp8", Extent::HIDDEN, 1, 1, 0, 0, 2};   // and its transpose: a byte each
constexpr Elementwise JOIN_KEYS{"join keys", Extent::HEADS, 1, 1, 0, 0, 0}; // rotary part and the rest, of latents
// Convolutional networks
constexpr Elementwise BATCH_NORM{"batch norm", Extent::PLACES, 2, 1, 0, 0, 8}; // mean and variance come first
constexpr Elementwise RELU{"ReLU", Extent::PLACES, 1, 1, 0, 0, 1};
constexpr Elementwise ADD_SHORTCUT{"shortcut added+ReLU", Extent::PLACES, 2, 1, 0, 0, 2};
// Experts
constexpr Elementwise ROUTE{"softmax+top-k", Extent::CHOICE, 2, 1, 0, 0, 8};
constexpr Elementwise PERMUTE{"permute tokens", Extent::ROUTED, 1, 1, 0, 0, 0};
constexpr Elementwise UNPERMUTE{"weigh and sum tokens", Extent::ROUTED, 1, 0, 0, 0, 2}; // the sum is written once

// Backward; a norm or bias gradient is a reduction over the tokens, whose result is a vector
constexpr Elementwise DROPOUT_GRADIENT{"dropout backward", Extent::HIDDEN, 1, 1, 1, 0, 2};
constexpr Elementwise HIDDEN_BIAS_GRADIENT{"bias gradient", Extent::HIDDEN, 1, 0, 0, 0, 1};
constexpr Elementwise GELU_GRADIENT{
    "GeLU backward", Extent::WIDE, 2, 1, 0, 0, 14}; // reads the gradient and the GEMM's output
constexpr Elementwise WIDE_BIAS_GRADIENT{"bias gradient", Extent::WIDE, 1, 0, 0, 0, 1};
constexpr Elementwise LAYER_NORM_GRADIENT{"LayerNorm backward", Extent::HIDDEN, 2, 1, 0, 0, 9};
constexpr Elementwise LAYER_NORM_WEIGHT_GRADIENT{"LayerNorm weight gradient", Extent::HIDDEN, 2, 0, 0, 0, 5};
constexpr Elementwise RESIDUAL_GRADIENT{"residual gradient add", Extent::HIDDEN, 2, 1, 0, 0, 1};
constexpr Elementwise ATTENTION_DROPOUT_GRADIENT{"attention dropout backward", Extent::SCORES, 1, 1, 1, 0, 2};
constexpr Elementwise SOFTMAX_GRADIENT{
    "softmax backward", Extent::SCORES, 2, 1, 0, 0, 5}; // reads the gradient and the softmax
constexpr Elementwise JOIN_QKV_GRADIENT{"join Q, K, V gradients", Extent::HEADS, 3, 3, 0, 0, 0};
constexpr Elementwise QKV_BIAS_GRADIENT{"bias gradient", Extent::QKV, 1, 0, 0, 0, 1};
constexpr Elementwise RELU_GRADIENT{"ReLU backward", Extent::WIDE, 2, 1, 0, 0, 1};
constexpr Elementwise RMS_NORM_GRADIENT{"RMSNorm backward", Extent::HIDDEN, 2, 1, 0, 0, 7};
constexpr Elementwise RMS_NORM_WEIGHT_GRADIENT{"RMSNorm weight gradient", Extent::HIDDEN, 2, 0, 0, 0, 4};
constexpr Elementwise ROTARY_GRADIENT{"rotary backward", Extent::QKV, 1, 1, 0, 0, 3};
constexpr Elementwise GATED_ACTIVATION_GRADIENT{"gated activation backward", Extent::WIDE, 3, 2, 0, 0, 12};
constexpr Elementwise SIGMOID_GATE_GRADIENT{"output gate backward", Extent::HEADS, 3, 2, 0, 0, 8};
constexpr Elementwise SHORT_CONVOLUTION_GRADIENT{"short convolution backward", Extent::QKV, 2, 1, 0, 0, 20};
constexpr Elementwise ROUTE_GRADIENT{"softmax+top-k backward", Extent::CHOICE, 2, 1, 0, 0, 6};
constexpr Elementwise UNPERMUTE_GRADIENT{"weigh tokens backward", Extent::ROUTED, 1, 1, 0, 0, 4};
constexpr Elementwise BATCH_NORM_GRADIENT{
    "batch norm backward", Extent::PLACES, 4, 1, 0, 0, 14}; // input and gradient: first their sums, then the result
constexpr Elementwise PERMUTE_GRADIENT{"permute tokens backward", Extent::ROUTED, 1, 0, 0, 0, 1};

} // namespace tandem::workload
