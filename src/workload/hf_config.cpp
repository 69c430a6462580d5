// A config.json finds its family; what the family does not read must be known to have no effect.
#include "workload/hf_families.h"
#include "workload/model_reader.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace tandem::workload {

namespace {

using model::LanguageModel;

constexpr std::int64_t MOST_LAYERS = 100'000;

/// Files that were written before model_type, or are not Hugging Face's, tell by a key that only they have.
std::string family_by_keys(JsonConfig& config) {
  if (config.has("n_embd"))
    return "gpt2";
  if (config.has("n_activated_experts"))
    return "deepseek_native";
  throw base::UserError(base::Location{.file = config.file()},
                        "missing key 'model_type', which names the kind of model");
}

std::string stem(const std::string& file) {
  const std::filesystem::path path(file);
  return path.filename() == "config.json" && path.has_parent_path() ? path.parent_path().filename().string()
                                                                    : path.stem().string();
}

} // namespace

const std::vector<HfFamily>& hf_families() {
  static const std::vector<HfFamily> families = {
      {"bert", read_bert},
      {"dbrx", read_dbrx},
      {"deepseek_native", read_deepseek_native},
      {"deepseek_v2", read_deepseek_v2},
      {"deepseek_v3", read_deepseek_v3},
      {"exaone", read_exaone},
      {"gemma", read_gemma},
      {"gemma2", read_gemma2},
      {"gemma3", read_gemma3},
      {"gemma3_text", read_gemma3},
      {"gpt2", read_gpt2},
      {"llama", read_llama},
      {"ministral3", read_mistral},
      {"mistral", read_mistral},
      {"mixtral", read_mixtral},
      {"olmo", read_olmo},
      {"olmo2", read_olmo2},
      {"opt", read_opt},
      {"phi3", read_phi3},
      {"phimoe", read_phimoe},
      {"qwen2", read_qwen2},
      {"qwen2_moe", read_qwen2_moe},
      {"qwen3", read_qwen3},
      {"qwen3_5", read_qwen3_5},
      {"qwen3_moe", read_qwen3_moe},
      {"qwen3_next", read_qwen3_next},
      {"vit", read_vit},
  };
  return families;
}

const std::vector<std::string>& hf_keys_without_effect() {
  static const std::vector<std::string> keys = {
      // Names, versions, and what belongs to tokenizers and to generating text
      "architectures", "auto_map", "_name_or_path", "transformers_version", "tokenizer", "tokenizer_class",
      "bos_token_id", "eos_token_id", "pad_token_id", "sep_token_id", "cls_token_id", "use_cache",
      "cache_implementation", "task_specific_params", "id2label", "label2id", "output_past", "gradient_checkpointing",
      // Initial values, and constants inside kernels
      "initializer_range", "initializer_factor", "rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "norm_eps",
      "rope_theta", "rope_scaling", "rope_parameters", "rope_local_base_freq", "original_max_position_embeddings",
      "partial_rotary_factor", "query_pre_attn_scalar", "attn_logit_softcapping", "final_logit_softcapping", "clip_qkv",
      "use_res_clamp", "position_embedding_type", "scale_attn_weights", "qkv_bias_init", "routed_scaling_factor",
      "scoring_func", "norm_topk_prob", "mscale", "route_scale", "score_func",
      // Rates of dropout: the plan says whether there is dropout
      "attention_dropout", "attention_probs_dropout_prob", "hidden_dropout", "hidden_dropout_prob", "dropout",
      "attn_pdrop", "embd_pdrop", "resid_pdrop", "emb_pdrop", "expert_dropout", "embed_dropout", "classifier_dropout",
      "activation_dropout", "layerdrop", "summary_first_dropout",
      // The loss that balances experts, and which of them may be chosen together: choices are counted, not made
      "router_aux_loss_coef", "output_router_logits", "aux_loss_alpha", "seq_aux", "router_jitter_noise",
      "input_jitter_noise", "n_group", "topk_group", "n_expert_groups", "n_limited_groups",
      // How the weights were stored or run: the plan says it
      "torch_dtype", "dtype", "quantization_config", "pretraining_tp", "ep_size", "sequence_parallel_enabled",
      "selective_checkpoint_enabled", "move_model_to_device"};
  return keys;
}

std::size_t layer_count(JsonConfig& config, const std::string& key) {
  const std::int64_t layers = config.integer(key);
  if (layers > MOST_LAYERS)
    config.fail(key, fmt::format("{} layers; allowed: up to {}", layers, MOST_LAYERS));
  return static_cast<std::size_t>(layers);
}

void add_layer(LanguageModel& model, const model::LayerKind& kind) {
  const auto found = std::find(model.kinds.begin(), model.kinds.end(), kind);
  model.layers.push_back(static_cast<int>(found - model.kinds.begin()));
  if (found == model.kinds.end())
    model.kinds.push_back(kind);
}

LanguageModel parse_hf_config(const std::string& text, const std::string& file) {
  JsonConfig config(text, file);
  LanguageModel model;
  model.file = file;
  model.name = stem(file);
  model.family = config.has("model_type") ? config.word_or("model_type", "") : family_by_keys(config);
  const auto& families = hf_families();
  const auto family =
      std::find_if(families.begin(), families.end(), [&](const HfFamily& row) { return row.name == model.family; });
  if (family == families.end()) {
    std::vector<std::string> names;
    for (const auto& row : families)
      names.push_back(row.name);
    config.fail("model_type", base::unknown_word("kind of model", model.family, names));
  }
  family->read(config, model);
  config.finish(hf_keys_without_effect());
  return model;
}

} // namespace tandem::workload
