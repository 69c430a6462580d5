// Predicted beside measured iterations as text, JSON and CSV.
#pragma once

#include "model/validation.h"
#include "report/table.h"

#include <string>
#include <vector>

namespace tandem::report {

/// A table of rows for each set, and one of MAPE, worst and bias of all.
std::string validation_table(const std::vector<model::ValidationResult>& results, const Layout& layout);
std::string validation_json(const std::vector<model::ValidationResult>& results, const std::string& version);
/// A line per row of every set.
std::string validation_csv(const std::vector<model::ValidationResult>& results);

} // namespace tandem::report
