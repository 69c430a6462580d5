// Lines of a table (CSV) and their fields.
#pragma once

#include "base/error.h"

#include <string>
#include <vector>

namespace tandem::workload {

/// Text of each line of the file, without the line feed. Throws UserError with file:line: a line beyond 64 KiB.
std::vector<std::string> csv_lines(const std::string& text, const std::string& file);

/// Fields of a line; a field in double quotes may hold commas, and a quote as two. A carriage return is dropped. Throws
/// UserError: a double quote without its end.
std::vector<std::string> csv_fields(const std::string& line, const base::Location& where);

} // namespace tandem::workload
