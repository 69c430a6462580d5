// Parameters of a model, matrix by matrix: how many there are, and how many of them a rank holds.
#pragma once

#include "model/any_model.h"
#include "workload/layer_plan.h"

#include <vector>

namespace tandem::workload {

enum class Split {
  NONE,    ///< every rank of tp has it all
  TP,      ///< cut over tp, into at most `parts` (0: as many as there are ranks)
  EXPERTS, ///< whole experts, over ep; each cut over tp
};

struct Weight {
  const char* name;
  std::int64_t elements = 0;
  Split split = Split::NONE;
  std::int64_t parts = 0;
};

std::vector<Weight> layer_weights(const model::LanguageModel& model, const model::LayerKind& kind);
/// Tables, positions and the norm behind them.
std::vector<Weight> embedding_weights(const model::LanguageModel& model);
/// Final norm, output matrix (none when it is tied), biases and further heads.
std::vector<Weight> head_weights(const model::LanguageModel& model);
/// One layer of multi-token prediction, without the embedding and output that it shares.
std::vector<Weight> prediction_weights(const model::LanguageModel& model);

struct ParameterCount {
  std::int64_t total = 0;      ///< without prediction layers, as models are published
  std::int64_t active = 0;     ///< that a token meets: top_k of the routed experts
  std::int64_t prediction = 0; ///< of all prediction layers
};
ParameterCount count_parameters(const model::LanguageModel& model);

std::int64_t count_parameters(const model::ConvolutionalModel& model);
std::int64_t count_parameters(const model::RecommendationModel& model);
/// Of a rank, as they were given.
std::int64_t count_parameters(const model::MeasuredModel& model);
/// All that a model of any kind has, as it is published.
std::int64_t total_parameters(const model::AnyModel& model);

std::int64_t elements(const std::vector<Weight>& weights);

/// Of these weights on one rank: those that data parallelism reduces over all its ranks, and the experts, whose
/// data-parallel group is smaller by ep.
struct RankParameters {
  double shared = 0, expert = 0;
  double tables = 0; ///< of embeddings that no other rank has: only rows that were looked up have gradients
  [[nodiscard]] double total() const { return shared + expert; } ///< of those that have gradients
  [[nodiscard]] double held() const { return total() + tables; }
};
RankParameters on_rank(const std::vector<Weight>& weights, int tp, int ep);

} // namespace tandem::workload
