// Which reader a file is for, and the model that its numbers describe.
#include "workload/plans/plan_file.h"

#include "base/file.h"
#include "base/yaml.h"

#include <filesystem>
#include <fmt/format.h>

namespace tandem::workload {

using base::UserError;

PlanFile parse_plan_file(const std::string& text, const std::string& path) {
  const auto suffix = std::filesystem::path(path).extension().string();
  if (suffix == ".json")
    return read_deepspeed_plan(text, path);
  if (suffix == ".yaml" || suffix == ".yml")
    return read_nemo_plan(text, path);
  return read_megatron_plan(text, path);
}

PlanFile read_plan_file(const std::string& path) {
  return parse_plan_file(base::read_text_file(path, base::MOST_YAML_BYTES), path);
}

model::LanguageModel language_model_of(const PlanModel& numbers) {
  if (numbers.layers == 0 || numbers.hidden == 0 || numbers.heads == 0)
    throw UserError("a model is needed: --model FILE, or --layers, --hidden and --heads");
  if (numbers.vocab == 0)
    throw UserError("a vocabulary is needed: --vocab N; the plan names a tokenizer, which says none");
  if (numbers.head_dim == 0 && numbers.hidden % numbers.heads != 0)
    throw UserError(fmt::format("--heads {} does not divide --hidden {}", numbers.heads, numbers.hidden));
  const auto kv_heads = numbers.kv_heads == 0 ? numbers.heads : numbers.kv_heads;
  if (numbers.heads % kv_heads != 0)
    throw UserError(fmt::format("{} key-value heads do not divide {} heads", kv_heads, numbers.heads));
  model::LanguageModel made;
  made.name = fmt::format("gpt-{}x{}", numbers.layers, numbers.hidden);
  made.family = "gpt";
  made.hidden = numbers.hidden;
  made.vocab = (numbers.vocab + numbers.vocab_multiple - 1) / numbers.vocab_multiple * numbers.vocab_multiple;
  model::LayerKind layer;
  layer.name = "dense";
  layer.attention.heads = numbers.heads;
  layer.attention.kv_heads = kv_heads;
  layer.attention.head_dim = numbers.head_dim == 0 ? numbers.hidden / numbers.heads : numbers.head_dim;
  layer.attention.qkv_bias = numbers.bias || numbers.qkv_bias;
  layer.attention.output_bias = numbers.bias;
  layer.feed_forward = {
      .inner = numbers.ffn == 0 ? 4 * numbers.hidden : numbers.ffn, .gated = numbers.gated, .bias = numbers.bias};
  made.kinds = {layer};
  made.layers.assign(static_cast<std::size_t>(numbers.layers), 0);
  made.norm = numbers.rms_norm ? model::NormKind::RMS : model::NormKind::LAYER;
  made.norm_bias = !numbers.rms_norm;
  made.learned_positions = numbers.positions;
  made.max_positions = numbers.max_positions;
  made.tied_embeddings = numbers.tied;
  return made;
}

} // namespace tandem::workload
