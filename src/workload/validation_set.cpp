// A set is what its file says of all rows, and each row's own flags.
#include "workload/validation_set.h"

#include "base/error.h"
#include "base/file.h"
#include "base/yaml.h"
#include "workload/csv_lines.h"
#include "workload/yaml_map.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace tandem::workload {

namespace fs = std::filesystem;

namespace {

using base::Location;
using base::UserError;

constexpr long long MOST_PERCENT = 1000;
constexpr double SLOWEST_S = 1e9;

/// Columns that are no flags.
const std::vector<std::string>& own_columns() {
  static const std::vector<std::string> names{"row", "measured_s", "source"};
  return names;
}

std::size_t column(const std::vector<std::string>& header, const std::string& name, const Location& where) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end())
    throw UserError(where, fmt::format("no column '{}'; needed: {}, and flags of `tandem train` without their dashes",
                                       name, fmt::join(own_columns(), ", ")));
  return static_cast<std::size_t>(found - header.begin());
}

double seconds(const std::string& text, const Location& where) {
  try {
    const double value = base::parse_number(text);
    if (value <= 0 || value > SLOWEST_S)
      throw UserError(fmt::format("{} is out of range; allowed: above 0, up to {}", base::in_quotes(text), SLOWEST_S));
    return value;
  } catch (const UserError& error) {
    throw UserError(where, fmt::format("measured_s: {}", error.what()));
  }
}

std::vector<model::MeasuredIteration> read_rows(const std::string& text, const std::string& file) {
  const auto lines = csv_lines(text, file);
  if (lines.empty())
    throw UserError({file}, "is empty; a table begins with the names of its columns");
  const auto header = csv_fields(lines[0], {file, 1});
  const auto name = column(header, "row", {file, 1}), measured = column(header, "measured_s", {file, 1}),
             source = column(header, "source", {file, 1});
  std::vector<model::MeasuredIteration> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const Location where{file, static_cast<int>(i) + 1};
    const auto fields = csv_fields(lines[i], where);
    if (fields.size() == 1 && fields[0].empty())
      continue;
    if (fields.size() != header.size())
      throw UserError(where, fmt::format("{} fields, and the header has {}", fields.size(), header.size()));
    model::MeasuredIteration row;
    row.name = fields[name];
    row.measured_s = seconds(fields[measured], where);
    row.source = fields[source];
    row.line = where.line;
    for (std::size_t at = 0; at < fields.size(); ++at)
      if (at != name && at != measured && at != source && !fields[at].empty())
        row.flags.push_back(fmt::format("--{}={}", header[at], fields[at]));
    rows.push_back(std::move(row));
  }
  if (rows.empty())
    throw UserError({file}, "has no rows");
  return rows;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text + " ") {
    if (c != ' ' && c != '\n') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(word);
      word.clear();
    }
  }
  return words;
}

} // namespace

// clang-format off
const std::vector<KeyInfo>& validation_keys() {
  static const std::vector<KeyInfo> keys = {
      {"", "title", "text", true, "", "what was measured", 0, 0, {}},
      {"", "source", "text", true, "", "where the measurements are published", 0, 0, {}},
      {"", "note", "text", false, "", "what a reader of the errors should know", 0, 0, {}},
      {"", "table", "path", true, "", "the rows (CSV), relative to this file: the columns row, measured_s, source and flags of `tandem train` without their dashes; an empty field gives no flag", 0, 0, {}},
      {"", "platform", "path", true, "", "platform file of all rows, relative to this file", 0, 0, {}},
      {"", "flags", "text", false, "", "flags of `tandem train` that all rows share, separated by blanks", 0, 0, {}},
      {"", "mape", "whole number", true, "", "tolerance on the mean of |error|, in percent", 1, MOST_PERCENT, {}},
      {"", "worst", "whole number", true, "", "tolerance on the error of each row, in percent", 1, MOST_PERCENT, {}},
  };
  return keys;
}
// clang-format on

model::ValidationSet parse_validation_set(const std::string& text, const std::string& table, const std::string& file) {
  const YamlMap map(base::load_yaml(text, file), file, "", validation_keys());
  model::ValidationSet set;
  set.name = fs::path(file).stem().string();
  set.title = map.text("title");
  set.source = map.text("source");
  set.note = map.has("note") ? map.text("note") : "";
  set.file = file;
  const auto beside = [&](const std::string& key) {
    return (fs::path(file).parent_path() / map.text(key)).lexically_normal().string();
  };
  set.table = beside("table");
  set.most_mape = static_cast<double>(map.integer("mape")) / 100.0;
  set.most_error = static_cast<double>(map.integer("worst")) / 100.0;
  auto shared = map.has("flags") ? words_of(map.text("flags")) : std::vector<std::string>();
  shared.push_back("--platform=" + beside("platform"));
  set.rows = read_rows(table.empty() ? base::read_text_file(set.table) : table, set.table);
  for (auto& row : set.rows)
    row.flags.insert(row.flags.begin(), shared.begin(), shared.end());
  return set;
}

model::ValidationSet read_validation_set(const std::string& path) {
  return parse_validation_set(base::read_text_file(path, base::MOST_YAML_BYTES), "", path);
}

} // namespace tandem::workload
