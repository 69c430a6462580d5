// Texts become numbers where a reader asks for one.
#include "workload/plans/plan_keys.h"

#include "base/units.h"
#include "base/yaml.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tandem::workload {

using base::Location;
using base::UserError;

namespace {

constexpr int DEEPEST_PLAN = 32; ///< maps within maps; one that an alias puts into itself has no end
constexpr std::int64_t MOST_OF_A_PLAN = std::int64_t{1} << 40;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

} // namespace

PlanKeys::PlanKeys(const YAML::Node& root, const std::string& file) : file_(file) {
  if (!root || !root.IsMap())
    throw UserError(Location{.file = file}, "holds no keys of a plan");
  flatten(root, "", 1);
}

void PlanKeys::flatten(const YAML::Node& node, const std::string& prefix, int depth) {
  if (depth > DEEPEST_PLAN)
    throw UserError(base::yaml_location(node.Mark(), file_),
                    fmt::format("is nested deeper than {} maps", DEEPEST_PLAN));
  for (const auto& entry : node) {
    const auto place = base::yaml_location(entry.first.Mark(), file_);
    if (!entry.first.IsScalar())
      throw UserError(place, "found a list or a map where the name of a key is expected");
    const auto key = prefix + entry.first.Scalar();
    if (values_.contains(key))
      throw UserError(place, fmt::format("key {} is given twice", base::in_quotes(key)));
    if (entry.second.IsMap() && entry.second.size() > 0)
      flatten(entry.second, key + ".", depth + 1);
    else
      add(key, entry.second.Scalar() != "auto" ? entry.second.Scalar() : "", place);
  }
}

void PlanKeys::add(const std::string& key, const std::string& value, const Location& where) {
  values_[key] = {lower(value) == "null" || value == "~" ? "" : value, where};
}

std::optional<std::string> PlanKeys::take(const std::string& key) {
  asked_.insert(key);
  const auto found = values_.find(key);
  if (found == values_.end() || found->second.text.empty())
    return std::nullopt;
  return found->second.text;
}

Location PlanKeys::where(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? Location{.file = file_} : found->second.where;
}

void PlanKeys::fail(const std::string& key, const std::string& message) const {
  throw UserError(where(key), fmt::format("{}: {}", key, message));
}

bool PlanKeys::truth(const std::string& key, bool otherwise) {
  const auto text = take(key);
  if (!text)
    return otherwise;
  const auto word = lower(*text);
  if (word != "true" && word != "false")
    fail(key, fmt::format("found '{}'; allowed: true, false", *text));
  return word == "true";
}

double PlanKeys::number(const std::string& key, double otherwise) {
  const auto text = take(key);
  if (!text)
    return otherwise;
  try {
    return base::parse_number(*text);
  } catch (const UserError& error) {
    fail(key, error.what());
  }
}

std::int64_t PlanKeys::integer(const std::string& key, std::int64_t otherwise) {
  if (!take(key))
    return otherwise;
  const double value = number(key, 0);
  if (value != std::floor(value) || value < 0 || value > static_cast<double>(MOST_OF_A_PLAN))
    fail(key, fmt::format("found '{}'; allowed: a whole number from 0 to {}", *take(key), MOST_OF_A_PLAN));
  return static_cast<std::int64_t>(value);
}

void PlanKeys::only(const std::string& key, const std::vector<std::string>& allowed, const std::string& why) {
  const auto text = take(key);
  if (text && std::find(allowed.begin(), allowed.end(), lower(*text)) == allowed.end())
    fail(key, fmt::format("found '{}': {}; {}leave it out", *text, why,
                          allowed.empty() ? "" : fmt::format("allowed: {}, or ", fmt::join(allowed, ", "))));
}

void PlanKeys::set(const std::string& key, const std::string& flag, const std::string& value, PlanFile& plan) const {
  plan.settings.push_back({flag, value, where(key)});
}

void PlanKeys::copy(const std::string& key, const std::string& flag, PlanFile& plan) {
  if (const auto text = take(key))
    set(key, flag, *text, plan);
}

void PlanKeys::simplify(const std::string& key, const std::string& instead, PlanFile& plan) const {
  plan.simplified.push_back(fmt::format("{}: {}: {}", where(key).text(), key, instead));
}

void PlanKeys::finish(const std::vector<std::string>& without_effect) const {
  for (const auto& [key, value] : values_) {
    if (asked_.contains(key))
      continue;
    const bool ignored = std::any_of(without_effect.begin(), without_effect.end(), [&key = key](const auto& name) {
      return key == name || (name.ends_with('.') && key.starts_with(name));
    });
    if (ignored)
      continue;
    const auto near = base::nearest(key, {asked_.begin(), asked_.end()});
    throw UserError(
        value.where,
        fmt::format("{} is not understood{}; it may change what an iteration takes, and nothing is left out "
                    "in silence: remove it if it does not",
                    base::in_quotes(key), near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
  }
}

} // namespace tandem::workload
