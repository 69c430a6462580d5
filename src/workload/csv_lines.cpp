// A field holds no line break: a table of measurements has none.
#include "workload/csv_lines.h"

#include <algorithm>
#include <cstddef>

namespace tandem::workload {

namespace {

constexpr std::size_t LONGEST_LINE = 65536;

} // namespace

std::vector<std::string> csv_lines(const std::string& text, const std::string& file) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    if (to - from > LONGEST_LINE)
      throw base::UserError({file, static_cast<int>(lines.size()) + 1}, "is no line of a table: it is too long");
    lines.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return lines;
}

std::vector<std::string> csv_fields(const std::string& line, const base::Location& where) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[i++];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      fields.emplace_back();
    else if (line[i] != '\r')
      fields.back() += line[i];
  }
  if (quoted)
    throw base::UserError(where, "a double quote without its end");
  return fields;
}

} // namespace tandem::workload
