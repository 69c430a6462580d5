// Fields of a study's tables between text and JSON, and the names of its columns.
#pragma once

#include "model/sweep_result.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tandem::report {

/// A number where field_of_json() gives back the same text; null for an empty field; else the text.
nlohmann::ordered_json json_of_field(const std::string& field);

/// The text that json_of_field() was given.
std::string field_of_json(const nlohmann::ordered_json& value);

/// Metric columns as the command names them, and as the study's tables do: `result_NAME` where an input or a column of
/// the study's own has the name.
std::vector<std::pair<std::string, std::string>> named_metrics(const model::SweepResult& study);

} // namespace tandem::report
