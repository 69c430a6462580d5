// YAML nodes become typed values here; yaml-cpp's marks become file:line:column.
#include "workload/yaml_map.h"

#include "base/yaml.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace tandem::workload {

namespace {

const KeyInfo& key_info(const std::vector<KeyInfo>& keys, const std::string& level, const std::string& name) {
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [&](const KeyInfo& key) { return key.level == level && key.name == name; });
  if (found == keys.end())
    throw base::Bug(fmt::format("the format has no key '{}' at level '{}'", name, level));
  return *found;
}

std::string kind_of(const YAML::Node& node) {
  switch (node.Type()) {
  case YAML::NodeType::Scalar:
    return base::in_quotes(node.Scalar());
  case YAML::NodeType::Sequence:
    return "a list";
  case YAML::NodeType::Map:
    return "a map";
  default:
    return "nothing";
  }
}

} // namespace

YamlMap::YamlMap(const YAML::Node& node, const std::string& file, const std::string& level,
                 const std::vector<KeyInfo>& table)
    : file_(file), level_(level), table_(&table), where_(base::yaml_location(node.Mark(), file)) {
  if (!node.IsMap())
    throw base::UserError(where_, fmt::format("found {} where a map of keys is expected", kind_of(node)));
  std::vector<std::string> allowed;
  for (const KeyInfo& key : table) {
    if (key.level == level)
      allowed.push_back(key.name);
  }
  const std::string kind = level.empty() ? "key" : fmt::format("key of an entry of {}", level);
  for (const auto& pair : node) {
    const base::Location key_place = base::yaml_location(pair.first.Mark(), file);
    if (!pair.first.IsScalar())
      throw base::UserError(key_place, fmt::format("found {} where a key is expected; allowed: {}", kind_of(pair.first),
                                                   fmt::join(allowed, ", ")));
    const std::string& name = pair.first.Scalar();
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end())
      throw base::UserError(key_place, base::unknown_word(kind, name, allowed));
    if (const Entry* first = find(name))
      throw base::UserError(key_place,
                            fmt::format("key '{}' is given twice, first in line {}", name, first->where.line));
    entries_.push_back({key_info(table, level, name), key_place, pair.second});
  }
  for (const KeyInfo& key : table) {
    if (key.level == level && key.required && !has(key.name))
      throw base::UserError(where_, fmt::format("missing {} '{}' ({}): {}", kind, key.name, key.type, key.help));
  }
}

const YamlMap::Entry* YamlMap::find(const std::string& key) const {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.info.name == key; });
  return found == entries_.end() ? nullptr : &*found;
}

bool YamlMap::has(const std::string& key) const {
  return find(key) != nullptr;
}

base::Location YamlMap::place(const YAML::Node& node, const base::Location& otherwise) const {
  return node.IsNull() || node.Mark().is_null() ? otherwise : base::yaml_location(node.Mark(), file_);
}

base::Location YamlMap::where(const std::string& key) const {
  const Entry* entry = find(key);
  return entry ? place(entry->value, entry->where) : where_;
}

YAML::Node YamlMap::node(const std::string& key) const {
  const Entry* entry = find(key);
  return entry ? entry->value : YAML::Node();
}

void YamlMap::fail(const std::string& key, const std::string& message) const {
  throw base::UserError(where(key), message);
}

std::string YamlMap::shown(const Entry& entry) const {
  return level_.empty() ? entry.info.name : fmt::format("{} of an entry of {}", entry.info.name, level_);
}

std::string YamlMap::scalar(const Entry& entry, const YAML::Node& node) const {
  if (!node.IsScalar())
    throw base::UserError(place(node, entry.where),
                          fmt::format("{}: found {}; allowed: {}", shown(entry), kind_of(node), entry.info.type));
  if (node.Scalar().empty())
    throw base::UserError(place(node, entry.where),
                          fmt::format("{}: found an empty text; allowed: {}", shown(entry), entry.info.type));
  return node.Scalar();
}

std::string YamlMap::word(const Entry& entry, const YAML::Node& node) const {
  std::string value = scalar(entry, node);
  const std::vector<std::string>& allowed = entry.info.allowed;
  if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), value) == allowed.end())
    throw base::UserError(place(node, entry.where), base::unknown_word("word for " + shown(entry), value, allowed));
  return value;
}

long long YamlMap::whole(const Entry& entry, const YAML::Node& node) const {
  const std::string value = scalar(entry, node);
  try {
    return base::parse_integer(value, entry.info.minimum, entry.info.maximum);
  } catch (const base::UserError& error) {
    throw base::UserError(place(node, entry.where), fmt::format("{}: {}", shown(entry), error.what()));
  }
}

void YamlMap::check_list(const Entry& entry) const {
  if (!entry.value.IsSequence())
    throw base::UserError(place(entry.value, entry.where), fmt::format("{}: found {}; allowed: {}", shown(entry),
                                                                       kind_of(entry.value), entry.info.type));
  if (entry.value.size() == 0)
    throw base::UserError(place(entry.value, entry.where), fmt::format("{}: the list is empty", shown(entry)));
}

std::string YamlMap::text(const std::string& key) const {
  const Entry* entry = find(key);
  return entry ? word(*entry, entry->value) : key_info(*table_, level_, key).fallback;
}

long long YamlMap::integer(const std::string& key) const {
  if (const Entry* entry = find(key))
    return whole(*entry, entry->value);
  const KeyInfo& info = key_info(*table_, level_, key);
  return base::parse_integer(info.fallback, info.minimum, info.maximum);
}

std::vector<std::string> YamlMap::texts(const std::string& key) const {
  const Entry* entry = find(key);
  if (!entry)
    return {};
  check_list(*entry);
  std::vector<std::string> values;
  std::set<std::string> seen;
  for (const auto& node : entry->value) {
    values.push_back(word(*entry, node));
    if (!seen.insert(values.back()).second)
      throw base::UserError(place(node, entry->where),
                            fmt::format("{}: {} is listed twice", shown(*entry), base::in_quotes(values.back())));
  }
  return values;
}

std::vector<long long> YamlMap::integers(const std::string& key) const {
  const Entry* entry = find(key);
  if (!entry)
    return {};
  if (entry->value.IsScalar())
    return {whole(*entry, entry->value)};
  check_list(*entry);
  std::vector<long long> values;
  std::set<long long> seen;
  for (const auto& node : entry->value) {
    values.push_back(whole(*entry, node));
    if (!seen.insert(values.back()).second)
      throw base::UserError(place(node, entry->where),
                            fmt::format("{}: {} is listed twice", shown(*entry), values.back()));
  }
  return values;
}

std::vector<YamlMap> YamlMap::maps(const std::string& key) const {
  const Entry* entry = find(key);
  if (!entry)
    return {};
  check_list(*entry);
  std::vector<YamlMap> values;
  for (const auto& node : entry->value)
    values.emplace_back(node, file_, key, *table_);
  return values;
}

} // namespace tandem::workload
