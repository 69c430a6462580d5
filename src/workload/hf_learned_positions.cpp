// Families with LayerNorm, biases and a table of positions: GPT-2, OPT, BERT, ViT.
#include "workload/hf_families.h"

#include <fmt/format.h>

namespace tandem::workload {

namespace {

using model::Attention;
using model::FeedForward;
using model::LanguageModel;

void read_layer_norms(LanguageModel& model) {
  model.norm = model::NormKind::LAYER;
  model.norm_bias = true;
}

Attention biased(Attention attention) {
  attention.qkv_bias = attention.output_bias = true;
  return attention;
}

void add_plain_layers(LanguageModel& model, std::size_t layers, const Attention& attention, const FeedForward& block) {
  for (std::size_t i = 0; i < layers; ++i)
    add_layer(model, {.name = "dense", .attention = attention, .feed_forward = block});
}

} // namespace

void read_gpt2(JsonConfig& config, LanguageModel& model) {
  read_layer_norms(model);
  model.hidden = config.integer("n_embd");
  model.vocab = config.integer("vocab_size");
  model.learned_positions = model.max_positions = config.integer("n_positions");
  (void)config.integer_or("n_ctx", model.learned_positions);
  model.tied_embeddings = config.boolean_or("tie_word_embeddings", true);
  check_activation(config, "activation_function");
  Attention attention;
  attention.heads = attention.kv_heads = config.integer("n_head");
  if (model.hidden % attention.heads != 0)
    config.fail("n_head", fmt::format("{} does not divide the {} of n_embd", attention.heads, model.hidden));
  attention.head_dim = model.hidden / attention.heads;
  const FeedForward block{.inner = config.integer_or("n_inner", 4 * model.hidden), .bias = true};
  add_plain_layers(model, layer_count(config, "n_layer"), biased(attention), block);
}

void read_opt(JsonConfig& config, LanguageModel& model) {
  read_layer_norms(model);
  model.hidden = config.integer("hidden_size");
  model.vocab = config.integer("vocab_size");
  model.max_positions = config.integer("max_position_embeddings");
  model.learned_positions = model.max_positions + 2; // OPT's table starts at row 2
  model.tied_embeddings = config.boolean_or("tie_word_embeddings", true);
  if (config.integer_or("word_embed_proj_dim", model.hidden) != model.hidden)
    config.fail("word_embed_proj_dim", "embeddings of another width than hidden_size are not understood");
  if (!config.boolean_or("do_layer_norm_before", true))
    config.fail("do_layer_norm_before", "norms behind the blocks are not understood for OPT");
  check_activation(config, "activation_function");
  const Attention attention = biased(read_heads(config, model));
  add_plain_layers(model, layer_count(config), attention, {.inner = config.integer("ffn_dim"), .bias = true});
}

void read_bert(JsonConfig& config, LanguageModel& model) {
  read_layer_norms(model);
  model.hidden = config.integer("hidden_size");
  model.vocab = config.integer("vocab_size");
  model.learned_positions = model.max_positions = config.integer("max_position_embeddings");
  model.token_types = config.integer_or("type_vocab_size", 2);
  model.embedding_norm = model.pooler = model.head_transform = model.head_bias = true;
  model.final_norm = false; // each layer ends with its own
  model.tied_embeddings = config.boolean_or("tie_word_embeddings", true);
  check_activation(config);
  Attention attention = biased(read_heads(config, model));
  attention.causal = false;
  add_plain_layers(model, layer_count(config), attention, {.inner = config.integer("intermediate_size"), .bias = true});
}

void read_vit(JsonConfig& config, LanguageModel& model) {
  read_layer_norms(model);
  model.hidden = config.integer("hidden_size");
  model::Patches patches;
  patches.image = config.integer_or("image_size", 224);
  patches.patch = config.integer_or("patch_size", 16);
  patches.channels = config.integer_or("num_channels", 3);
  patches.classes = config.integer_or("num_labels", 1000);
  if (patches.image % patches.patch != 0)
    config.fail("patch_size", fmt::format("{} does not divide the {} of image_size", patches.patch, patches.image));
  model.patches = patches;
  model.learned_positions = model.max_positions = patches.tokens();
  model.tied_embeddings = true;                    // there is no table of tokens, and none of outputs
  (void)config.integer_or("encoder_stride", 0, 0); // of another training task
  check_activation(config);
  Attention attention = read_heads(config, model);
  attention.qkv_bias = config.boolean_or("qkv_bias", true);
  attention.output_bias = true;
  attention.causal = false;
  add_plain_layers(model, layer_count(config), attention, {.inner = config.integer("intermediate_size"), .bias = true});
}

} // namespace tandem::workload
