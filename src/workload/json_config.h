// A JSON object whose every key must be asked for: what nobody read is refused, with the nearest key that would be.
#pragma once

#include "base/error.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tandem::workload {

/// All functions throw UserError with file:line and the key. A key that is null counts as absent.
class JsonConfig {
public:
  /// Parses `text`: not valid JSON, no object, a key given twice, nested too deep are refused.
  JsonConfig(const std::string& text, const std::string& file);

  [[nodiscard]] bool has(const std::string& key);
  /// Whole number in [minimum, 2^40].
  [[nodiscard]] std::int64_t integer(const std::string& key, std::int64_t minimum = 1);
  [[nodiscard]] std::int64_t integer_or(const std::string& key, std::int64_t otherwise, std::int64_t minimum = 1);
  [[nodiscard]] bool boolean_or(const std::string& key, bool otherwise);
  [[nodiscard]] double number_or(const std::string& key, double otherwise);
  [[nodiscard]] std::string word_or(const std::string& key, const std::string& otherwise);
  /// A word of `allowed`.
  [[nodiscard]] std::string one_of(const std::string& key, const std::string& otherwise,
                                   const std::vector<std::string>& allowed);
  [[nodiscard]] std::vector<std::string> words(const std::string& key);
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& key);
  /// The object behind a key.
  [[nodiscard]] JsonConfig child(const std::string& key);

  /// Refuses every key that was not asked for and is not one of `without_effect`.
  void finish(const std::vector<std::string>& without_effect) const;
  [[noreturn]] void fail(const std::string& key, const std::string& message) const;
  [[nodiscard]] const std::string& file() const { return file_; }

private:
  JsonConfig(nlohmann::json object, std::string path, const JsonConfig& parent);
  [[nodiscard]] const nlohmann::json* find(const std::string& key);
  [[nodiscard]] const nlohmann::json& required(const std::string& key);
  [[nodiscard]] std::int64_t whole(const std::string& key, const nlohmann::json& value, std::int64_t minimum) const;
  [[nodiscard]] base::Location where(const std::string& key) const;

  std::string file_;
  std::shared_ptr<const std::string> text_;
  std::string path_; ///< "" or "text_config."
  nlohmann::json object_;
  std::set<std::string> asked_;
};

} // namespace tandem::workload
