// Families with experts: Mixtral, Phi-MoE, DBRX, Qwen's, DeepSeek's.
#include "workload/hf_families.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::workload {

namespace {

using model::Attention;
using model::AttentionKind;
using model::Experts;
using model::FeedForward;
using model::LanguageModel;
using model::LayerKind;
using model::NormKind;
using model::QkNorm;

void check_top_k(const JsonConfig& config, const Experts& experts, const std::string& key) {
  if (experts.top_k > experts.routed)
    config.fail(key, fmt::format("{} of {} experts", experts.top_k, experts.routed));
}

void add_expert_layers(LanguageModel& model, std::size_t layers, const Attention& attention, const Experts& experts) {
  for (std::size_t i = 0; i < layers; ++i)
    add_layer(model, {.name = "moe", .attention = attention, .experts = experts});
}

Experts read_local_experts(JsonConfig& config) {
  Experts experts;
  experts.routed = config.integer("num_local_experts");
  experts.top_k = config.integer("num_experts_per_tok");
  experts.inner = config.integer("intermediate_size");
  check_top_k(config, experts, "num_experts_per_tok");
  check_activation(config);
  return experts;
}

Experts read_qwen_experts(JsonConfig& config) {
  Experts experts;
  experts.routed = config.integer("num_experts");
  experts.top_k = config.integer("num_experts_per_tok");
  experts.inner = config.integer("moe_intermediate_size");
  experts.shared_inner = config.integer_or("shared_expert_intermediate_size", 0, 0);
  experts.shared_gate = experts.shared_inner > 0;
  check_top_k(config, experts, "num_experts_per_tok");
  return experts;
}

/// Layers of experts but for those that mlp_only_layers and decoder_sparse_step leave dense.
template <class AttentionOf>
void add_qwen_layers(JsonConfig& config, LanguageModel& model, const Experts& experts, const AttentionOf& attention) {
  check_activation(config);
  const std::size_t layers = layer_count(config);
  const auto step = static_cast<std::size_t>(config.integer_or("decoder_sparse_step", 1));
  const auto dense = config.integers("mlp_only_layers");
  const FeedForward block{.inner = config.integer("intermediate_size"), .gated = true};
  for (std::size_t i = 0; i < layers; ++i) {
    const bool only = std::find(dense.begin(), dense.end(), static_cast<std::int64_t>(i)) != dense.end();
    const bool sparse = !only && experts.routed > 0 && (i + 1) % step == 0;
    LayerKind kind = attention(i);
    kind.name = (sparse ? "moe" : "dense") + kind.name;
    if (sparse)
      kind.experts = experts;
    else
      kind.feed_forward = block;
    add_layer(model, kind);
  }
}

void read_qwen_moe(JsonConfig& config, LanguageModel& model, bool third) {
  read_frame(config, model);
  Attention attention = read_heads(config, model);
  attention.qkv_bias = config.boolean_or("qkv_bias", !third);
  if (config.boolean_or("attention_bias", false))
    attention.qkv_bias = attention.output_bias = true;
  if (config.boolean_or("use_qk_norm", third))
    attention.qk_norm = QkNorm::PER_HEAD;
  const bool sliding = config.boolean_or("use_sliding_window", false);
  const std::int64_t window = config.integer_or("sliding_window", 0);
  const auto first = static_cast<std::size_t>(config.integer_or("max_window_layers", 0, 0));
  add_qwen_layers(config, model, read_qwen_experts(config), [&](std::size_t i) {
    LayerKind kind{.attention = attention};
    if (sliding && window > 0 && i >= first) {
      kind.attention.window = window;
      kind.name = ", sliding";
    }
    return kind;
  });
}

model::LinearAttention read_linear(JsonConfig& config) {
  return {.key_heads = config.integer("linear_num_key_heads"),
          .value_heads = config.integer("linear_num_value_heads"),
          .key_head_dim = config.integer("linear_key_head_dim"),
          .value_head_dim = config.integer("linear_value_head_dim"),
          .conv_kernel = config.integer("linear_conv_kernel_dim")};
}

/// Every full_attention_interval-th layer has full attention with an output gate, the others gated DeltaNet.
void read_hybrid(JsonConfig& config, LanguageModel& model, const Experts& experts) {
  Attention full = read_heads(config, model);
  full.qkv_bias = full.output_bias = config.boolean_or("attention_bias", false);
  full.output_gate = config.boolean_or("attn_output_gate", true);
  full.qk_norm = QkNorm::PER_HEAD;
  const Attention linear{.kind = AttentionKind::LINEAR, .linear = read_linear(config)};
  if (config.boolean_or("use_sliding_window", false))
    config.fail("use_sliding_window", "a window is not understood for this kind of model");
  const auto interval = static_cast<std::size_t>(config.integer_or("full_attention_interval", 4));
  const auto types = config.words("layer_types");
  const std::size_t layers = layer_count(config);
  if (!types.empty() && types.size() != layers)
    config.fail("layer_types", fmt::format("{} entries for {} layers", types.size(), layers));
  add_qwen_layers(config, model, experts, [&](std::size_t i) {
    bool is_full = (i + 1) % interval == 0;
    if (!types.empty()) {
      if (types[i] != "full_attention" && types[i] != "linear_attention")
        config.fail("layer_types",
                    base::unknown_word("kind of layer", types[i], {"full_attention", "linear_attention"}));
      is_full = types[i] == "full_attention";
    }
    return LayerKind{.name = is_full ? "" : ", linear attention", .attention = is_full ? full : linear};
  });
}

struct DeepseekKeys {
  const char* inner;
  const char* expert_inner;
  const char* dense_layers;
  const char* routed;
  const char* shared;
  const char* top_k;
};

void read_deepseek_layers(JsonConfig& config, LanguageModel& model, const DeepseekKeys& keys, std::int64_t heads,
                          std::size_t layers, std::size_t frequency, bool router_bias) {
  Attention attention{.kind = AttentionKind::LATENT, .heads = heads};
  attention.latent = {.q_lora_rank = config.integer_or("q_lora_rank", 0, 0),
                      .kv_lora_rank = config.integer("kv_lora_rank"),
                      .qk_nope_head_dim = config.integer("qk_nope_head_dim"),
                      .qk_rope_head_dim = config.integer("qk_rope_head_dim"),
                      .v_head_dim = config.integer("v_head_dim")};
  const FeedForward block{.inner = config.integer(keys.inner), .gated = true};
  Experts experts;
  experts.routed = config.integer(keys.routed);
  experts.top_k = config.integer(keys.top_k);
  experts.inner = config.integer(keys.expert_inner);
  experts.shared_inner = config.integer_or(keys.shared, 0, 0) * experts.inner;
  experts.router_bias = router_bias;
  check_top_k(config, experts, keys.top_k);
  const auto dense = static_cast<std::size_t>(config.integer_or(keys.dense_layers, 0, 0));
  for (std::size_t i = 0; i < layers; ++i) {
    if (i < dense || i % frequency != 0)
      add_layer(model, {.name = "dense", .attention = attention, .feed_forward = block});
    else
      add_layer(model, {.name = "moe", .attention = attention, .experts = experts});
  }
}

void read_deepseek(JsonConfig& config, LanguageModel& model, bool router_bias) {
  read_frame(config, model);
  check_activation(config);
  if (config.boolean_or("attention_bias", false))
    config.fail("attention_bias", "biases are not understood for latent attention");
  const std::int64_t heads = config.integer("num_attention_heads");
  if (config.integer_or("num_key_value_heads", heads) != heads)
    config.fail("num_key_value_heads", fmt::format("latent attention has one for each of its {} heads", heads));
  model.prediction_layers =
      static_cast<int>(std::min<std::int64_t>(config.integer_or("num_nextn_predict_layers", 0, 0), 1000));
  read_deepseek_layers(config, model,
                       {"intermediate_size", "moe_intermediate_size", "first_k_dense_replace", "n_routed_experts",
                        "n_shared_experts", "num_experts_per_tok"},
                       heads, layer_count(config), static_cast<std::size_t>(config.integer_or("moe_layer_freq", 1)),
                       router_bias);
}

} // namespace

void read_mixtral(JsonConfig& config, LanguageModel& model) {
  read_frame(config, model);
  Attention attention = read_heads(config, model);
  attention.window = config.integer_or("sliding_window", 0);
  add_expert_layers(model, layer_count(config), attention, read_local_experts(config));
}

void read_phimoe(JsonConfig& config, LanguageModel& model) {
  read_frame(config, model);
  model.norm = NormKind::LAYER;
  model.norm_bias = true;
  model.head_bias = config.boolean_or("lm_head_bias", false);
  Attention attention = read_heads(config, model);
  attention.qkv_bias = attention.output_bias = config.boolean_or("attention_bias", false);
  attention.window = config.integer_or("sliding_window", 0);
  add_expert_layers(model, layer_count(config), attention, read_local_experts(config));
}

void read_dbrx(JsonConfig& config, LanguageModel& model) {
  model.hidden = config.integer("d_model");
  model.vocab = config.integer("vocab_size");
  model.max_positions = config.integer("max_seq_len");
  model.tied_embeddings = config.boolean_or("tie_word_embeddings", false);
  model.norm = NormKind::LAYER;
  model.norm_bias = false;
  Attention attention;
  attention.heads = config.integer("n_heads");
  if (model.hidden % attention.heads != 0)
    config.fail("n_heads", fmt::format("{} does not divide the {} of d_model", attention.heads, model.hidden));
  attention.head_dim = model.hidden / attention.heads;
  JsonConfig heads = config.child("attn_config");
  attention.kv_heads = heads.integer("kv_n_heads");
  (void)heads.word_or("model_type", "");
  (void)heads.number_or("attn_pdrop", 0);
  heads.finish(hf_keys_without_effect());
  JsonConfig block = config.child("ffn_config");
  Experts experts;
  experts.routed = block.integer("moe_num_experts");
  experts.top_k = block.integer("moe_top_k");
  experts.inner = block.integer("ffn_hidden_size");
  check_top_k(block, experts, "moe_top_k");
  for (const char* key : {"moe_jitter_eps", "moe_loss_weight", "moe_normalize_expert_weights"})
    (void)block.number_or(key, 0); // the router's noise and the loss that balances it
  (void)block.word_or("model_type", "");
  if (block.has("ffn_act_fn")) {
    JsonConfig activation = block.child("ffn_act_fn");
    check_activation(activation, "name");
    activation.finish({});
  }
  block.finish({});
  add_expert_layers(model, layer_count(config, "n_layers"), attention, experts);
}

void read_qwen2_moe(JsonConfig& config, LanguageModel& model) {
  read_qwen_moe(config, model, false);
}

void read_qwen3_moe(JsonConfig& config, LanguageModel& model) {
  read_qwen_moe(config, model, true);
}

void read_qwen3_next(JsonConfig& config, LanguageModel& model) {
  read_frame(config, model);
  read_hybrid(config, model, read_qwen_experts(config));
}

void read_qwen3_5(JsonConfig& config, LanguageModel& model) {
  const bool tied = config.boolean_or("tie_word_embeddings", false);
  JsonConfig text = config.child("text_config");
  (void)text.one_of("model_type", "qwen3_5_text", {"qwen3_5_text"});
  read_frame(text, model, tied);
  read_hybrid(text, model, {});
  text.finish(hf_keys_without_effect());
}

void read_deepseek_v2(JsonConfig& config, LanguageModel& model) {
  (void)config.one_of("topk_method", "greedy", {"greedy", "group_limited_greedy"});
  read_deepseek(config, model, false);
}

void read_deepseek_v3(JsonConfig& config, LanguageModel& model) {
  (void)config.one_of("topk_method", "noaux_tc", {"noaux_tc"});
  read_deepseek(config, model, true); // noaux_tc: a bias per expert in place of a loss
}

void read_deepseek_native(JsonConfig& config, LanguageModel& model) {
  model.hidden = config.integer("dim");
  model.vocab = config.integer("vocab_size");
  model.norm = NormKind::RMS;
  model.norm_bias = false;
  const bool sigmoid = config.one_of("score_func", "softmax", {"softmax", "sigmoid"}) == "sigmoid";
  read_deepseek_layers(
      config, model,
      {"inter_dim", "moe_inter_dim", "n_dense_layers", "n_routed_experts", "n_shared_experts", "n_activated_experts"},
      config.integer("n_heads"), layer_count(config, "n_layers"), 1, sigmoid);
}

} // namespace tandem::workload
