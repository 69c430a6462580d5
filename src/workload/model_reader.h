// Reads a model: a Hugging Face config.json, or a YAML file as those of workloads/models.
#pragma once

#include "model/any_model.h"
#include "workload/workload_reader.h"

#include <string>
#include <vector>

namespace tandem::workload {

using model::AnyModel;

/// Every key of a model file of ours, in the order in which a file would hold them.
const std::vector<KeyInfo>& model_keys();

/// By suffix: .json is Hugging Face's, .yaml ours. Throws UserError with the file and the key: unreadable, not
/// understood, unknown keys. Nothing is approximated: a key is read, is known to have no effect on time or memory, or
/// is refused.
AnyModel read_model(const std::string& path);

/// `name` is a path, or a file NAME.yaml of one of the folders. Throws UserError with the nearest name.
AnyModel find_model(const std::string& name, const std::vector<std::string>& folders);

/// The same, and it must be a transformer.
model::LanguageModel read_language_model(const std::string& path);

/// Readers for text in memory; `file` is the name in messages, and gives the model its name.
model::LanguageModel parse_hf_config(const std::string& text, const std::string& file);
AnyModel parse_model_yaml(const std::string& text, const std::string& file);

} // namespace tandem::workload
