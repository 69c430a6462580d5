// A model by its path or its name.
#include "workload/model_reader.h"

#include "base/error.h"
#include "base/file.h"
#include "base/yaml.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace tandem::workload {

namespace fs = std::filesystem;

AnyModel read_model(const std::string& path) {
  const auto suffix = fs::path(path).extension();
  if (suffix == ".json")
    return parse_hf_config(base::read_text_file(path, base::MOST_YAML_BYTES), path);
  if (suffix == ".yaml" || suffix == ".yml")
    return parse_model_yaml(base::read_text_file(path, base::MOST_YAML_BYTES), path);
  throw base::UserError({path}, "is no model file; allowed: Hugging Face's config.json, or a .yaml as those of "
                                "workloads/models");
}

AnyModel find_model(const std::string& name, const std::vector<std::string>& folders) {
  std::error_code error;
  if (fs::is_regular_file(name, error))
    return read_model(name);
  std::vector<std::string> names;
  for (const auto& folder : folders) {
    const fs::path file = fs::path(folder) / (name + ".yaml");
    if (name.find('/') == std::string::npos && fs::is_regular_file(file, error))
      return read_model(file.string());
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
      if (entry->path().extension() == ".yaml")
        names.push_back(entry->path().stem().string());
  }
  std::sort(names.begin(), names.end());
  throw base::UserError(base::unknown_word("model (a file, or a name)", name, names));
}

model::LanguageModel read_language_model(const std::string& path) {
  auto model = read_model(path);
  if (auto* language = std::get_if<model::LanguageModel>(&model))
    return std::move(*language);
  throw base::UserError({path}, fmt::format("{} is no transformer", name_of(model)));
}

} // namespace tandem::workload
