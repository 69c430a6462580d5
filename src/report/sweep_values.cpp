// Numbers keep the text that they had: what would not come back the same stays a text.
#include "report/sweep_values.h"

#include "report/numbers.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tandem::report {

namespace {

using Json = nlohmann::ordered_json;

/// Of the tables themselves.
constexpr const char* OWN_COLUMNS[] = {"point", "status", "reason", "command", "row"};

} // namespace

Json json_of_field(const std::string& field) {
  if (field.empty())
    return nullptr;
  const bool may_be_number = field.find_first_not_of("0123456789+-.eE") == std::string::npos;
  if (!may_be_number)
    return field;
  const auto value = Json::parse(field, nullptr, false);
  return value.is_number() && field_of_json(value) == field ? value : Json(field);
}

std::string field_of_json(const Json& value) {
  if (value.is_null())
    return {};
  if (value.is_string())
    return value.get<std::string>();
  return value.is_number_float() ? number(value.get<double>()) : value.dump();
}

std::vector<std::pair<std::string, std::string>> named_metrics(const model::SweepResult& study) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& name : study.metric_columns) {
    const bool is_taken =
        std::find(study.input_columns.begin(), study.input_columns.end(), name) != study.input_columns.end() ||
        std::find(std::begin(OWN_COLUMNS), std::end(OWN_COLUMNS), name) != std::end(OWN_COLUMNS);
    names.emplace_back(name, is_taken ? "result_" + name : name);
  }
  return names;
}

} // namespace tandem::report
