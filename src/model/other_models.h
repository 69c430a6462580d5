// Models that are no transformers, as facts: convolutional networks as lists of layers, recommendation models, and
// lists of layers whose times were measured.
#pragma once

#include "base/units.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::model {

/// A layer with weights: a convolution, or a matrix (kernel 1, one place), and what stands behind it.
struct ConvolutionalLayer {
  std::string name;
  std::int64_t in = 0, out = 0;       ///< channels
  std::int64_t kernel = 1;            ///< edge of the filter
  std::int64_t height = 1, width = 1; ///< of the output
  bool bias = false, norm = false;    ///< norm: batch norm behind it, a weight and a bias per channel
  std::int64_t stride = 1;
  bool residual = false; ///< what a shortcut brings is added behind it
  bool shortcut = false; ///< stands in a shortcut: reads what its block reads, and has no ReLU behind it
  std::int64_t pool = 1; ///< behind it, each edge is pooled so many to one
  [[nodiscard]] std::int64_t places() const { return height * width; }
  [[nodiscard]] std::int64_t parameters() const {
    return in * out * kernel * kernel + (bias ? out : 0) + (norm ? 2 * out : 0);
  }
};

struct ConvolutionalModel {
  std::string name, file, source;
  std::vector<ConvolutionalLayer> layers; ///< forward order
};

/// DLRM (arXiv 1906.00091): a bottom MLP for dense features, a table per sparse feature, pairwise dot products of all
/// vectors, a top MLP.
struct RecommendationModel {
  std::string name, file, source;
  std::int64_t dense_features = 0, vector = 0; ///< vector: width of an embedding
  std::vector<std::int64_t> tables;            ///< rows of each
  std::int64_t lookups = 1;                    ///< per table and sample, summed
  std::vector<std::int64_t> bottom, top;       ///< widths of the layers' outputs
};

/// A layer of which it is known how long it takes, not what it computes.
struct MeasuredLayer {
  std::string name;
  base::Seconds forward{}, backward{}; ///< of a micro-batch on the device that it was measured on
  double parameters = 0;               ///< that data parallelism reduces
  base::Bytes kept{};                  ///< activations of a micro-batch, until the backward pass
  base::Bytes all_reduce{};            ///< over tp, behind its forward pass
  base::Bytes backward_all_reduce{};   ///< over tp, behind its backward pass
  base::Bytes all_to_all{};            ///< that a rank sends, over all ranks of dp, behind its forward pass
  std::string
      until; ///< layer that needs what the all-to-all brings, and sends the gradients back likewise; empty: none
};

struct MeasuredModel {
  std::string name, file, source;
  std::vector<MeasuredLayer> layers; ///< forward order
};

} // namespace tandem::model
