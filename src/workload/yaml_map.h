// A map of a YAML file against the table of its keys: unknown, repeated and missing keys are refused, values are typed
// and ranged.
#pragma once

#include "base/error.h"
#include "base/units.h"
#include "workload/workload_reader.h"

#include <string>
#include <vector>
#include <yaml-cpp/yaml.h>

namespace tandem::workload {

/// All functions throw UserError with the place of the value, or of the key where the value has none.
class YamlMap {
public:
  /// Checks the keys of `node` against those of `level` in the table, and that the required ones are there. The table
  /// must outlive the map.
  YamlMap(const YAML::Node& node, const std::string& file, const std::string& level,
          const std::vector<KeyInfo>& table = workload_keys());

  [[nodiscard]] bool has(const std::string& key) const;
  /// Of the key and its value; of the map where the key is absent.
  [[nodiscard]] base::Location where(const std::string& key) const;
  [[nodiscard]] const base::Location& where() const { return where_; }
  /// The value as it is in the file, for what has no fixed keys. Absent: null.
  [[nodiscard]] YAML::Node node(const std::string& key) const;
  [[noreturn]] void fail(const std::string& key, const std::string& message) const;

  // Values; an absent key gives its fallback. Precondition: the key is in the table, and present where it has no
  // fallback.
  [[nodiscard]] std::string text(const std::string& key) const;
  [[nodiscard]] long long integer(const std::string& key) const;
  /// A list without repetitions, never empty. Absent: empty.
  [[nodiscard]] std::vector<std::string> texts(const std::string& key) const;
  /// A whole number or a list of them without repetitions, never empty. Absent: empty.
  [[nodiscard]] std::vector<long long> integers(const std::string& key) const;
  /// A list of maps whose level is the key's name, never empty. Absent: empty.
  [[nodiscard]] std::vector<YamlMap> maps(const std::string& key) const;

private:
  struct Entry {
    KeyInfo info;
    base::Location where;
    YAML::Node value;
  };

  [[nodiscard]] const Entry* find(const std::string& key) const;
  [[nodiscard]] std::string scalar(const Entry& entry, const YAML::Node& node) const;
  [[nodiscard]] std::string word(const Entry& entry, const YAML::Node& node) const;
  [[nodiscard]] long long whole(const Entry& entry, const YAML::Node& node) const;
  [[nodiscard]] base::Location place(const YAML::Node& node, const base::Location& otherwise) const;
  [[nodiscard]] std::string shown(const Entry& entry) const;
  void check_list(const Entry& entry) const;

  std::string file_;
  std::string level_;
  const std::vector<KeyInfo>* table_;
  base::Location where_;
  std::vector<Entry> entries_;
};

} // namespace tandem::workload
