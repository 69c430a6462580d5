// nlohmann's values become typed ones; the line of a key is found in the text.
#include "workload/json_config.h"

#include "base/json.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tandem::workload {

namespace {

using base::Location;
using base::UserError;
using nlohmann::json;

constexpr std::int64_t MOST = std::int64_t{1} << 40;
constexpr int DEEPEST = 32;

/// Line of the first `"key":` of the text; 0 when it is not written so.
int line_of(const std::string& text, const std::string& key) {
  const std::string quoted = '"' + key + '"';
  for (std::size_t at = text.find(quoted); at != std::string::npos; at = text.find(quoted, at + 1)) {
    const std::size_t after = text.find_first_not_of(" \t\r\n", at + quoted.size());
    if (after != std::string::npos && text[after] == ':')
      return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }
  return 0;
}

std::string shown(const json& value) {
  if (value.is_object())
    return "an object";
  if (value.is_array())
    return "a list";
  return base::in_quotes(value.dump(-1, ' ', false, json::error_handler_t::replace));
}

json parse(const std::string& text, const std::string& file) {
  std::vector<std::set<std::string>> keys;
  const auto check = [&](int depth, json::parse_event_t event, json& value) {
    if (depth > DEEPEST)
      throw UserError(Location{.file = file}, fmt::format("is nested deeper than {} levels", DEEPEST));
    if (event == json::parse_event_t::object_start)
      keys.emplace_back();
    else if (event == json::parse_event_t::object_end)
      keys.pop_back();
    else if (event == json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
      throw UserError(Location{.file = file, .line = line_of(text, value.get<std::string>())},
                      fmt::format("key {} is given twice", base::in_quotes(value.get<std::string>())));
    return true;
  };
  try {
    return json::parse(text, check);
  } catch (const json::exception& error) {
    throw base::json_error(error, text, file);
  }
}

} // namespace

JsonConfig::JsonConfig(const std::string& text, const std::string& file)
    : file_(file), text_(std::make_shared<std::string>(text)), object_(parse(text, file)) {
  if (!object_.is_object())
    throw UserError(Location{.file = file},
                    fmt::format("found {} where an object of keys is expected", shown(object_)));
}

JsonConfig::JsonConfig(json object, std::string path, const JsonConfig& parent)
    : file_(parent.file_), text_(parent.text_), path_(std::move(path)), object_(std::move(object)) {}

Location JsonConfig::where(const std::string& key) const {
  return {.file = file_, .line = line_of(*text_, key)};
}

void JsonConfig::fail(const std::string& key, const std::string& message) const {
  throw UserError(where(key), fmt::format("{}{}: {}", path_, key, message));
}

const json* JsonConfig::find(const std::string& key) {
  asked_.insert(key);
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

const json& JsonConfig::required(const std::string& key) {
  const json* value = find(key);
  if (!value)
    throw UserError(Location{.file = file_}, fmt::format("missing key '{}{}'", path_, key));
  return *value;
}

bool JsonConfig::has(const std::string& key) {
  return find(key) != nullptr;
}

std::int64_t JsonConfig::whole(const std::string& key, const json& value, std::int64_t minimum) const {
  const bool fits = value.is_number_unsigned() ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(MOST)
                                               : value.is_number_integer();
  if (!fits || value.get<std::int64_t>() < minimum || value.get<std::int64_t>() > MOST)
    fail(key, fmt::format("found {}; allowed: a whole number from {} to {}", shown(value), minimum, MOST));
  return value.get<std::int64_t>();
}

std::int64_t JsonConfig::integer(const std::string& key, std::int64_t minimum) {
  return whole(key, required(key), minimum);
}

std::int64_t JsonConfig::integer_or(const std::string& key, std::int64_t otherwise, std::int64_t minimum) {
  const json* value = find(key);
  return value ? whole(key, *value, minimum) : otherwise;
}

bool JsonConfig::boolean_or(const std::string& key, bool otherwise) {
  const json* value = find(key);
  if (value && !value->is_boolean())
    fail(key, fmt::format("found {}; allowed: true, false", shown(*value)));
  return value ? value->get<bool>() : otherwise;
}

double JsonConfig::number_or(const std::string& key, double otherwise) {
  const json* value = find(key);
  if (value && !value->is_number())
    fail(key, fmt::format("found {}; allowed: a number", shown(*value)));
  return value ? value->get<double>() : otherwise;
}

std::string JsonConfig::word_or(const std::string& key, const std::string& otherwise) {
  const json* value = find(key);
  if (value && !value->is_string())
    fail(key, fmt::format("found {}; allowed: a text", shown(*value)));
  return value ? value->get<std::string>() : otherwise;
}

std::string JsonConfig::one_of(const std::string& key, const std::string& otherwise,
                               const std::vector<std::string>& allowed) {
  std::string word = word_or(key, otherwise);
  if (std::find(allowed.begin(), allowed.end(), word) == allowed.end())
    throw UserError(where(key), base::unknown_word("word for " + path_ + key, word, allowed));
  return word;
}

std::vector<std::string> JsonConfig::words(const std::string& key) {
  std::vector<std::string> values;
  const json* list = find(key);
  if (!list)
    return values;
  if (!list->is_array())
    fail(key, fmt::format("found {}; allowed: a list of texts", shown(*list)));
  for (const json& value : *list) {
    if (!value.is_string())
      fail(key, fmt::format("found {} in the list; allowed: a text", shown(value)));
    values.push_back(value.get<std::string>());
  }
  return values;
}

std::vector<std::int64_t> JsonConfig::integers(const std::string& key) {
  std::vector<std::int64_t> values;
  const json* list = find(key);
  if (!list)
    return values;
  if (!list->is_array())
    fail(key, fmt::format("found {}; allowed: a list of whole numbers", shown(*list)));
  for (const json& value : *list)
    values.push_back(whole(key, value, 0));
  return values;
}

JsonConfig JsonConfig::child(const std::string& key) {
  const json& value = required(key);
  if (!value.is_object())
    fail(key, fmt::format("found {}; allowed: an object", shown(value)));
  return {value, path_ + key + '.', *this};
}

void JsonConfig::finish(const std::vector<std::string>& without_effect) const {
  for (const auto& [key, value] : object_.items()) {
    if (asked_.count(key) > 0 || std::find(without_effect.begin(), without_effect.end(), key) != without_effect.end())
      continue;
    const std::vector<std::string> known(asked_.begin(), asked_.end());
    const std::string near = base::nearest(key, known);
    throw UserError(where(key), fmt::format("key {} is not understood for this kind of model{}; what it changes is not "
                                            "modelled, and nothing is approximated",
                                            base::in_quotes(path_ + key),
                                            near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
  }
}

} // namespace tandem::workload
