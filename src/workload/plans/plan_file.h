// A parallel plan that was written for another program: Megatron-LM's arguments, DeepSpeed's JSON or NeMo's YAML, as
// flags of `tandem train` and the model that it describes.
#pragma once

#include "base/error.h"
#include "model/language_model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tandem::workload {

/// A flag of `tandem train` as the file would give it.
struct PlanSetting {
  std::string flag;  ///< "--tp"
  std::string value; ///< "true" for a flag without a value
  base::Location where;
};

/// A GPT or Llama-like transformer in the numbers that such files have. 0: not given.
struct PlanModel {
  std::int64_t layers = 0, hidden = 0, heads = 0, kv_heads = 0, head_dim = 0, ffn = 0;
  std::int64_t vocab = 0;
  std::int64_t vocab_multiple = 1; ///< that the vocabulary is padded to
  std::int64_t positions = 0;      ///< rows of a learned position table
  std::int64_t max_positions = 0;
  bool gated = false, rms_norm = false, bias = true, qkv_bias = true, tied = true;
};

struct PlanFile {
  std::vector<PlanSetting> settings;
  std::optional<PlanModel> model;
  /// Why the file's model is not understood; empty: it is, or there is none. Whoever has another model need not care.
  std::string foreign_model;
  std::vector<std::string> simplified; ///< "file:line: KEY: what is simulated in its place"
};

/// By the file's name: .json is DeepSpeed's, .yaml and .yml NeMo's, anything else Megatron-LM's arguments (a shell
/// script or a list of flags). Keys that change what an iteration takes and are not understood are refused, with
/// file:line; those that cannot change it are listed in each reader. Throws UserError.
PlanFile read_plan_file(const std::string& path);
PlanFile parse_plan_file(const std::string& text, const std::string& path);

// The three readers.
PlanFile read_deepspeed_plan(const std::string& text, const std::string& file);
PlanFile read_nemo_plan(const std::string& text, const std::string& file);
PlanFile read_megatron_plan(const std::string& text, const std::string& file);

/// GPT-2's architecture or Llama's, as the numbers say. Throws UserError for numbers that are missing or do not divide.
model::LanguageModel language_model_of(const PlanModel& numbers);

} // namespace tandem::workload
