// The families of models in Hugging Face's format: one function each, from keys to facts.
#pragma once

#include "model/language_model.h"
#include "workload/json_config.h"

#include <string>
#include <vector>

namespace tandem::workload {

struct HfFamily {
  std::string name; ///< model_type
  void (*read)(JsonConfig& config, model::LanguageModel& model);
};

/// Every family that is read, in alphabetical order.
const std::vector<HfFamily>& hf_families();

/// Keys that change neither the time of a training step nor its memory here.
const std::vector<std::string>& hf_keys_without_effect();

// What families share.
/// Number of layers, within reason.
std::size_t layer_count(JsonConfig& config, const std::string& key = "num_hidden_layers");
/// Appends a layer; its kind is added when it is new.
void add_layer(model::LanguageModel& model, const model::LayerKind& kind);
/// hidden_size, vocab_size, max_position_embeddings, tie_word_embeddings, and RMSNorm without bias.
void read_frame(JsonConfig& config, model::LanguageModel& model, bool tied_by_default = false);
/// Grouped-query attention: num_attention_heads, num_key_value_heads, head_dim.
model::Attention read_heads(JsonConfig& config, const model::LanguageModel& model);
/// Checks the activation's name; a gated block is one of three matrices.
void check_activation(JsonConfig& config, const std::string& key = "hidden_act");

void read_llama(JsonConfig& config, model::LanguageModel& model);
void read_mistral(JsonConfig& config, model::LanguageModel& model);
void read_qwen2(JsonConfig& config, model::LanguageModel& model);
void read_qwen3(JsonConfig& config, model::LanguageModel& model);
void read_phi3(JsonConfig& config, model::LanguageModel& model);
void read_gemma(JsonConfig& config, model::LanguageModel& model);
void read_gemma2(JsonConfig& config, model::LanguageModel& model);
void read_gemma3(JsonConfig& config, model::LanguageModel& model);
void read_olmo(JsonConfig& config, model::LanguageModel& model);
void read_olmo2(JsonConfig& config, model::LanguageModel& model);
void read_exaone(JsonConfig& config, model::LanguageModel& model);

void read_mixtral(JsonConfig& config, model::LanguageModel& model);
void read_phimoe(JsonConfig& config, model::LanguageModel& model);
void read_dbrx(JsonConfig& config, model::LanguageModel& model);
void read_qwen2_moe(JsonConfig& config, model::LanguageModel& model);
void read_qwen3_moe(JsonConfig& config, model::LanguageModel& model);
void read_qwen3_next(JsonConfig& config, model::LanguageModel& model);
void read_qwen3_5(JsonConfig& config, model::LanguageModel& model);
void read_deepseek_v2(JsonConfig& config, model::LanguageModel& model);
void read_deepseek_v3(JsonConfig& config, model::LanguageModel& model);
void read_deepseek_native(JsonConfig& config, model::LanguageModel& model);

void read_gpt2(JsonConfig& config, model::LanguageModel& model);
void read_opt(JsonConfig& config, model::LanguageModel& model);
void read_bert(JsonConfig& config, model::LanguageModel& model);
void read_vit(JsonConfig& config, model::LanguageModel& model);

} // namespace tandem::workload
