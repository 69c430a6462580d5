// The keys of a foreign plan as texts with their places: what nobody asked for is refused.
#pragma once

#include "workload/plans/plan_file.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>
#include <yaml-cpp/yaml.h>

namespace tandem::workload {

class PlanKeys {
public:
  /// Of YAML or JSON: `a: {b: 1}` becomes "a.b". Lists and null values, and the word auto, are kept as empty texts.
  PlanKeys(const YAML::Node& root, const std::string& file);
  explicit PlanKeys(std::string file) : file_(std::move(file)) {}

  /// A key that is given again replaces the one before it, as argparse has it.
  void add(const std::string& key, const std::string& value, const base::Location& where);

  /// Its text; nothing where it is absent or empty.
  std::optional<std::string> take(const std::string& key);
  [[nodiscard]] bool has(const std::string& key) { return take(key).has_value(); }
  bool truth(const std::string& key, bool otherwise);
  double number(const std::string& key, double otherwise);
  std::int64_t integer(const std::string& key, std::int64_t otherwise);
  [[nodiscard]] base::Location where(const std::string& key) const;
  [[noreturn]] void fail(const std::string& key, const std::string& message) const;
  /// Refuses any other value: `why` says what is not modelled.
  void only(const std::string& key, const std::vector<std::string>& allowed, const std::string& why);
  /// Copies the value to a flag, when there is one.
  void copy(const std::string& key, const std::string& flag, PlanFile& plan);
  void set(const std::string& key, const std::string& flag, const std::string& value, PlanFile& plan) const;
  /// The key is known, and something else is simulated.
  void simplify(const std::string& key, const std::string& instead, PlanFile& plan) const;

  /// Refuses every key that was not asked for and that none of `without_effect` names: a key, or what all keys of a
  /// part begin with ("data.").
  void finish(const std::vector<std::string>& without_effect) const;

private:
  struct Value {
    std::string text;
    base::Location where;
  };
  void flatten(const YAML::Node& node, const std::string& prefix, int depth);

  std::string file_;
  std::map<std::string, Value> values_;
  std::set<std::string> asked_;
};

} // namespace tandem::workload
