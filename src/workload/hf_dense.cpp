// Families like Llama: RMSNorm, rotary positions, grouped-query attention, a gated feed-forward block.
#include "workload/hf_families.h"

#include <fmt/format.h>

namespace tandem::workload {

namespace {

using model::Attention;
using model::FeedForward;
using model::LanguageModel;
using model::LayerKind;
using model::NormKind;
using model::QkNorm;

FeedForward read_gated(JsonConfig& config) {
  check_activation(config);
  return {.inner = config.integer("intermediate_size"), .gated = true, .bias = config.boolean_or("mlp_bias", false)};
}

void bias_of_attention(JsonConfig& config, Attention& attention) {
  attention.qkv_bias = attention.output_bias = config.boolean_or("attention_bias", false);
}

void add_equal_layers(JsonConfig& config, LanguageModel& model, const Attention& attention, const FeedForward& block) {
  const std::size_t layers = layer_count(config);
  for (std::size_t i = 0; i < layers; ++i)
    add_layer(model, {.name = "dense", .attention = attention, .feed_forward = block});
}

/// Layers that differ in their window: `windowed(i)` of layer i, unless layer_types says it.
template <class Rule>
void add_windowed_layers(JsonConfig& config, LanguageModel& model, const Attention& attention, const FeedForward& block,
                         std::int64_t window, const Rule& windowed) {
  const std::size_t layers = layer_count(config);
  const auto types = config.words("layer_types");
  if (!types.empty() && types.size() != layers)
    config.fail("layer_types", fmt::format("{} entries for {} layers", types.size(), layers));
  for (std::size_t i = 0; i < layers; ++i) {
    bool local = window > 0 && windowed(i);
    if (!types.empty()) {
      if (types[i] != "full_attention" && types[i] != "sliding_attention")
        config.fail("layer_types",
                    base::unknown_word("kind of layer", types[i], {"full_attention", "sliding_attention"}));
      local = types[i] == "sliding_attention";
      if (local && window == 0)
        config.fail("layer_types", "sliding_attention without a sliding_window");
    }
    LayerKind kind{.name = local ? "dense, sliding" : "dense", .attention = attention, .feed_forward = block};
    kind.attention.window = local ? window : 0;
    add_layer(model, kind);
  }
}

} // namespace

void check_activation(JsonConfig& config, const std::string& key) {
  (void)config.one_of(key, "silu",
                      {"silu", "swish", "gelu", "gelu_new", "gelu_fast", "gelu_pytorch_tanh", "quick_gelu", "relu"});
}

void read_frame(JsonConfig& config, LanguageModel& model, bool tied_by_default) {
  model.hidden = config.integer("hidden_size");
  model.vocab = config.integer("vocab_size");
  model.max_positions = config.integer_or("max_position_embeddings", 0);
  model.tied_embeddings = config.boolean_or("tie_word_embeddings", tied_by_default);
  model.norm = NormKind::RMS;
  model.norm_bias = false;
}

Attention read_heads(JsonConfig& config, const LanguageModel& model) {
  Attention attention;
  attention.heads = config.integer("num_attention_heads");
  attention.kv_heads = config.integer_or("num_key_value_heads", attention.heads);
  if (attention.heads % attention.kv_heads != 0)
    config.fail("num_key_value_heads",
                fmt::format("{} does not divide the {} of num_attention_heads", attention.kv_heads, attention.heads));
  attention.head_dim = config.integer_or("head_dim", 0);
  if (attention.head_dim == 0 && model.hidden % attention.heads != 0)
    config.fail("num_attention_heads", fmt::format("{} does not divide the {} of hidden_size, and there is no head_dim",
                                                   attention.heads, model.hidden));
  if (attention.head_dim == 0)
    attention.head_dim = model.hidden / attention.heads;
  return attention;
}

void read_llama(JsonConfig& config, LanguageModel& model) {
  read_frame(config, model);
  Attention attention = read_heads(config, model);
  bias_of_attention(config, attention);
  add_equal_layers(config, model, attention, read_gated(config));
}

void read_mistral(JsonConfig& config, LanguageModel& model) {
  read_frame(config, model);
  Attention attention = read_heads(config, model);
  const std::int64_t window = config.integer_or("sliding_window", 0);
  add_windowed_layers(config, model, attention, read_gated(config), window, [](std::size_t) { return true; });
}

/// Behind the first max_window_layers, attention sees a window where the model is told to use it.
void add_layers_of_qwen(JsonConfig& config, LanguageModel& model, const Attention& attention) {
  const bool sliding = config.boolean_or("use_sliding_window", false);
  const std::int64_t window = config.integer_or("sliding_window", 0);
  const auto first = static_cast<std::size_t>(config.integer_or("max_window_layers", 0, 0));
  add_windowed_layers(config, model, attention, read_gated(config), sliding ? window : 0,
                      [first](std::size_t i) { return i >= first; });
}

void read_qwen2(JsonConfig& config, LanguageModel& model) {
  read_frame(config, model);
  Attention attention = read_heads(config, model);
  attention.qkv_bias = true;
  add_layers_of_qwen(config, model, attention);
}

void read_qwen3(JsonConfig& config, LanguageModel& model) {
  read_frame(config, model);
  Attention attention = read_heads(config, model);
  bias_of_attention(config, attention);
  attention.qk_norm = QkNorm::PER_HEAD;
  add_layers_of_qwen(config, model, attention);
}

void read_phi3(JsonConfig& config, LanguageModel& model) {
  read_frame(config, model);
  Attention attention = read_heads(config, model);
  bias_of_attention(config, attention);
  const std::int64_t window = config.integer_or("sliding_window", 0);
  add_windowed_layers(config, model, attention, read_gated(config), window, [](std::size_t) { return true; });
}

void read_gemma(JsonConfig& config, LanguageModel& model) {
  read_frame(config, model, true);
  Attention attention = read_heads(config, model);
  bias_of_attention(config, attention);
  check_activation(config, "hidden_activation");
  add_equal_layers(config, model, attention, read_gated(config));
}

void read_gemma2(JsonConfig& config, LanguageModel& model) {
  read_frame(config, model, true);
  model.norms_per_layer = 4;
  Attention attention = read_heads(config, model);
  bias_of_attention(config, attention);
  check_activation(config, "hidden_activation");
  const std::int64_t window = config.integer_or("sliding_window", 0);
  add_windowed_layers(config, model, attention, read_gated(config), window, [](std::size_t i) { return i % 2 == 0; });
}

void read_gemma3(JsonConfig& config, LanguageModel& model) {
  read_frame(config, model, true);
  model.norms_per_layer = 4;
  Attention attention = read_heads(config, model);
  bias_of_attention(config, attention);
  attention.qk_norm = QkNorm::PER_HEAD;
  check_activation(config, "hidden_activation");
  // Two spellings are about: transformers' own, and ExecuTorch's.
  const std::int64_t window = config.has("sliding_window") ? config.integer("sliding_window")
                                                           : config.integer_or("sliding_window_attention_size", 0);
  const auto pattern = static_cast<std::size_t>(config.integer_or("sliding_window_pattern", 6));
  const auto rule = config.words("global_local_attention_pattern");
  for (std::size_t i = 0; i < rule.size(); ++i)
    if (rule.size() != pattern || rule[i] != (i + 1 == pattern ? "GLOBAL" : "SLIDING_LOCAL"))
      config.fail("global_local_attention_pattern",
                  fmt::format("is not {} SLIDING_LOCAL and one GLOBAL, as sliding_window_pattern {} says", pattern - 1,
                              pattern));
  add_windowed_layers(config, model, attention, read_gated(config), window,
                      [pattern](std::size_t i) { return (i + 1) % pattern != 0; });
}

void read_olmo(JsonConfig& config, LanguageModel& model) {
  read_frame(config, model);
  model.norm = NormKind::PLAIN;
  Attention attention = read_heads(config, model);
  bias_of_attention(config, attention);
  add_equal_layers(config, model, attention, read_gated(config));
}

void read_olmo2(JsonConfig& config, LanguageModel& model) {
  read_frame(config, model);
  Attention attention = read_heads(config, model);
  bias_of_attention(config, attention);
  attention.qk_norm = QkNorm::WHOLE;
  add_equal_layers(config, model, attention, read_gated(config));
}

void read_exaone(JsonConfig& config, LanguageModel& model) {
  read_frame(config, model);
  const Attention attention = read_heads(config, model);
  check_activation(config, "activation_function");
  const FeedForward block{.inner = config.integer("intermediate_size"), .gated = true};
  const std::size_t layers = layer_count(config, "num_layers");
  for (std::size_t i = 0; i < layers; ++i)
    add_layer(model, {.name = "dense", .attention = attention, .feed_forward = block});
}

} // namespace tandem::workload
