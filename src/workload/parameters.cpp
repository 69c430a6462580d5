// Every matrix and vector of a transformer, by the shapes that its facts give.
#include "workload/parameters.h"

#include <algorithm>
#include <cmath>

namespace tandem::workload {

namespace {

using model::Attention;
using model::AttentionKind;
using model::LanguageModel;
using model::LayerKind;
using model::QkNorm;

void add(std::vector<Weight>& weights, const char* name, std::int64_t elements, Split split = Split::NONE,
         std::int64_t parts = 0) {
  if (elements > 0)
    weights.push_back({name, elements, split, parts});
}

/// Parameters of one norm over `width`.
std::int64_t norm(const LanguageModel& model, std::int64_t width) {
  switch (model.norm) {
  case model::NormKind::LAYER:
    return model.norm_bias ? 2 * width : width;
  case model::NormKind::RMS:
    return width;
  case model::NormKind::PLAIN:
    break;
  }
  return 0;
}

void add_heads(std::vector<Weight>& weights, const LanguageModel& model, const Attention& attention) {
  const std::int64_t queries = attention.heads * attention.head_dim;
  const std::int64_t keys = attention.kv_heads * attention.head_dim;
  add(weights, "queries", model.hidden * queries * (attention.output_gate ? 2 : 1), Split::TP);
  add(weights, "keys and values", model.hidden * 2 * keys, Split::TP, attention.kv_heads);
  if (attention.qkv_bias) {
    add(weights, "bias of queries", queries, Split::TP);
    add(weights, "bias of keys and values", 2 * keys, Split::TP, attention.kv_heads);
  }
  add(weights, "attention output", queries * model.hidden, Split::TP);
  if (attention.output_bias)
    add(weights, "bias of attention output", model.hidden);
  if (attention.qk_norm == QkNorm::PER_HEAD)
    add(weights, "norms of queries and keys", 2 * attention.head_dim);
  if (attention.qk_norm == QkNorm::WHOLE)
    add(weights, "norms of queries and keys", queries + keys);
}

void add_latent(std::vector<Weight>& weights, const LanguageModel& model, const Attention& attention) {
  const auto& latent = attention.latent;
  const std::int64_t query_head = latent.qk_nope_head_dim + latent.qk_rope_head_dim;
  const std::int64_t query_rank = latent.q_lora_rank > 0 ? latent.q_lora_rank : model.hidden;
  if (latent.q_lora_rank > 0) {
    add(weights, "queries, down", model.hidden * latent.q_lora_rank);
    add(weights, "norm of queries", latent.q_lora_rank);
  }
  add(weights, "queries, up", query_rank * attention.heads * query_head, Split::TP);
  add(weights, "keys and values, down", model.hidden * (latent.kv_lora_rank + latent.qk_rope_head_dim));
  add(weights, "norm of keys and values", latent.kv_lora_rank);
  add(weights, "keys and values, up",
      latent.kv_lora_rank * attention.heads * (latent.qk_nope_head_dim + latent.v_head_dim), Split::TP);
  add(weights, "attention output", attention.heads * latent.v_head_dim * model.hidden, Split::TP);
}

void add_linear(std::vector<Weight>& weights, const LanguageModel& model, const Attention& attention) {
  const auto& linear = attention.linear;
  const std::int64_t keys = linear.key_heads * linear.key_head_dim;
  const std::int64_t values = linear.value_heads * linear.value_head_dim;
  add(weights, "queries, keys, values and gate", model.hidden * (2 * keys + 2 * values), Split::TP);
  add(weights, "decay and step", model.hidden * 2 * linear.value_heads, Split::TP);
  add(weights, "short convolution", (2 * keys + values) * linear.conv_kernel, Split::TP);
  add(weights, "decay rates and biases", 2 * linear.value_heads, Split::TP);
  add(weights, "norm of the output", linear.value_head_dim);
  add(weights, "attention output", values * model.hidden, Split::TP);
}

void add_feed_forward(std::vector<Weight>& weights, const LanguageModel& model, const model::FeedForward& block) {
  const std::int64_t in = block.gated ? 2 : 1;
  add(weights, "feed-forward", model.hidden * block.inner * (in + 1), Split::TP);
  if (!block.bias)
    return;
  add(weights, "bias of feed-forward", in * block.inner, Split::TP);
  add(weights, "bias of feed-forward output", model.hidden);
}

void add_experts(std::vector<Weight>& weights, const LanguageModel& model, const model::Experts& experts) {
  const std::int64_t in = experts.gated ? 2 : 1;
  const std::int64_t biases = experts.bias ? in * experts.inner + model.hidden : 0;
  add(weights, "router", model.hidden * experts.routed);
  if (experts.router_bias)
    add(weights, "bias of the router", experts.routed);
  add(weights, "experts", experts.routed * (model.hidden * experts.inner * (in + 1) + biases), Split::EXPERTS);
  add(weights, "shared experts", model.hidden * experts.shared_inner * (in + 1), Split::TP);
  if (experts.shared_gate)
    add(weights, "gate of the shared expert", model.hidden);
}

std::int64_t inactive(const LanguageModel& model, const LayerKind& kind) {
  if (!kind.experts)
    return 0;
  std::int64_t all = 0;
  for (const Weight& weight : layer_weights(model, kind))
    if (weight.split == Split::EXPERTS)
      all += weight.elements;
  return all / kind.experts->routed * (kind.experts->routed - kind.experts->top_k);
}

} // namespace

std::vector<Weight> layer_weights(const LanguageModel& model, const LayerKind& kind) {
  std::vector<Weight> weights;
  add(weights, "norms", model.norms_per_layer * norm(model, model.hidden));
  switch (kind.attention.kind) {
  case AttentionKind::HEADS:
    add_heads(weights, model, kind.attention);
    break;
  case AttentionKind::LATENT:
    add_latent(weights, model, kind.attention);
    break;
  case AttentionKind::LINEAR:
    add_linear(weights, model, kind.attention);
    break;
  }
  if (kind.experts)
    add_experts(weights, model, *kind.experts);
  else
    add_feed_forward(weights, model, kind.feed_forward);
  return weights;
}

std::vector<Weight> embedding_weights(const LanguageModel& model) {
  std::vector<Weight> weights;
  if (model.patches) {
    const auto& patches = *model.patches;
    add(weights, "patches", (patches.channels * patches.patch * patches.patch + 1) * model.hidden);
    add(weights, "class token", model.hidden);
  }
  add(weights, "tokens", model.vocab * model.hidden, Split::TP);
  add(weights, "positions", model.learned_positions * model.hidden);
  add(weights, "token types", model.token_types * model.hidden);
  if (model.embedding_norm)
    add(weights, "norm of embeddings", norm(model, model.hidden));
  return weights;
}

std::vector<Weight> head_weights(const LanguageModel& model) {
  std::vector<Weight> weights;
  if (model.final_norm)
    add(weights, "final norm", norm(model, model.hidden));
  if (model.head_transform)
    add(weights, "output transform", model.hidden * model.hidden + model.hidden + norm(model, model.hidden));
  if (!model.tied_embeddings)
    add(weights, "output", model.vocab * model.hidden, Split::TP);
  if (model.head_bias)
    add(weights, "bias of output", model.vocab, Split::TP);
  if (model.pooler)
    add(weights, "pooler and its classifier", model.hidden * model.hidden + model.hidden + 2 * (model.hidden + 1));
  if (model.patches)
    add(weights, "classifier", model.patches->classes * (model.hidden + 1));
  return weights;
}

std::vector<Weight> prediction_weights(const LanguageModel& model) {
  if (model.prediction_layers == 0)
    return {};
  std::vector<Weight> weights = layer_weights(model, model.kind_of(model.layers.size() - 1));
  add(weights, "prediction norms", 3 * norm(model, model.hidden)); // of the state, the next token and the output
  add(weights, "prediction projection", 2 * model.hidden * model.hidden);
  return weights;
}

std::int64_t elements(const std::vector<Weight>& weights) {
  std::int64_t sum = 0;
  for (const Weight& weight : weights)
    sum += weight.elements;
  return sum;
}

ParameterCount count_parameters(const LanguageModel& model) {
  ParameterCount count;
  count.total = elements(embedding_weights(model)) + elements(head_weights(model));
  std::int64_t sleeping = 0;
  for (std::size_t layer = 0; layer < model.layers.size(); ++layer) {
    count.total += elements(layer_weights(model, model.kind_of(layer)));
    sleeping += inactive(model, model.kind_of(layer));
  }
  count.active = count.total - sleeping;
  count.prediction = model.prediction_layers * elements(prediction_weights(model));
  return count;
}

std::int64_t count_parameters(const model::ConvolutionalModel& model) {
  std::int64_t sum = 0;
  for (const auto& layer : model.layers)
    sum += layer.parameters();
  return sum;
}

std::int64_t count_parameters(const model::RecommendationModel& model) {
  std::int64_t sum = 0;
  for (const std::int64_t rows : model.tables)
    sum += rows * model.vector;
  const auto dense = [&sum](std::int64_t in, const std::vector<std::int64_t>& widths) {
    for (const std::int64_t out : widths) {
      sum += in * out + out;
      in = out;
    }
  };
  dense(model.dense_features, model.bottom);
  const auto vectors = static_cast<std::int64_t>(model.tables.size()) + 1;
  dense(model.vector + vectors * (vectors - 1) / 2, model.top); // the dense vector, and each pair's dot product
  return sum;
}

std::int64_t count_parameters(const model::MeasuredModel& model) {
  double sum = 0;
  for (const auto& layer : model.layers)
    sum += layer.parameters;
  return std::llround(sum);
}

std::int64_t total_parameters(const model::AnyModel& model) {
  if (const auto* transformer = std::get_if<LanguageModel>(&model))
    return count_parameters(*transformer).total;
  if (const auto* convolutional = std::get_if<model::ConvolutionalModel>(&model))
    return count_parameters(*convolutional);
  if (const auto* recommendation = std::get_if<model::RecommendationModel>(&model))
    return count_parameters(*recommendation);
  return count_parameters(std::get<model::MeasuredModel>(model));
}

RankParameters on_rank(const std::vector<Weight>& weights, int tp, int ep) {
  RankParameters sum;
  for (const Weight& weight : weights) {
    const auto all = static_cast<double>(weight.elements);
    if (weight.split == Split::EXPERTS)
      sum.expert += all / tp / ep;
    else if (weight.split == Split::NONE)
      sum.shared += all;
    else
      sum.shared += all / static_cast<double>(weight.parts > 0 ? std::min<std::int64_t>(tp, weight.parts) : tp);
  }
  return sum;
}

} // namespace tandem::workload
