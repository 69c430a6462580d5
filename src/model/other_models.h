// Models that are no transformers, as facts: convolutional networks as lists of layers, and recommendation models.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::model {

/// A layer with weights: a convolution, or a matrix (kernel 1, one place). Others (pooling, activation) have none.
struct ConvolutionalLayer {
  std::string name;
  std::int64_t in = 0, out = 0;       ///< channels
  std::int64_t kernel = 1;            ///< edge of the filter
  std::int64_t height = 1, width = 1; ///< of the output
  bool bias = false, norm = false;    ///< norm: batch norm behind it, a weight and a bias per channel
  std::int64_t stride = 1;
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

} // namespace tandem::model
