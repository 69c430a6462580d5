// Reads a set of published iteration times: a YAML file about all of them, and a table (CSV) with a row for each.
#pragma once

#include "model/validation.h"
#include "workload/workload_reader.h"

#include <string>
#include <vector>

namespace tandem::workload {

/// Keys of the YAML file.
const std::vector<KeyInfo>& validation_keys();

/// The table's columns are `row`, `measured_s`, `source`, and flags of `tandem train` without their dashes (`tp`); an
/// empty field gives no flag. Throws UserError with file:line: a key or column that is not there, a row that is no
/// measurement. The flags are checked where they are used.
model::ValidationSet read_validation_set(const std::string& path);
model::ValidationSet parse_validation_set(const std::string& text, const std::string& table, const std::string& file);

} // namespace tandem::workload
