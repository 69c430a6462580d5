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
constexpr double SLOWEST_S = 1e9, MOST_WORK = 1e30;

/// Columns that are no flags.
const std::vector<std::string>& own_columns() {
  static const std::vector<std::string> names{"row",  "measured_s",   "source",  "group",
                                              "work", "not_modelled", "platform"};
  return names;
}
constexpr std::size_t NEEDED = 3; ///< of them, the first ones

void need_column(const std::vector<std::string>& header, const std::string& name, const Location& where) {
  if (std::find(header.begin(), header.end(), name) == header.end())
    throw UserError(where, fmt::format("no column '{}'; needed: {}, and flags of `tandem train` without their dashes",
                                       name, fmt::join(own_columns().begin(), own_columns().begin() + NEEDED, ", ")));
}

double positive(const std::string& name, const std::string& text, double most, const Location& where) {
  try {
    const double value = base::parse_number(text);
    if (value <= 0 || value > most)
      throw UserError(fmt::format("{} is out of range; allowed: above 0, up to {}", base::in_quotes(text), most));
    return value;
  } catch (const UserError& error) {
    throw UserError(where, fmt::format("{}: {}", name, error.what()));
  }
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

/// Of columns that a table may lack: an empty field.
class Fields {
public:
  Fields(const std::vector<std::string>& header, const std::vector<std::string>& fields)
      : header_(header), fields_(fields) {}
  [[nodiscard]] std::string at(const std::string& name) const {
    const auto found = std::find(header_.begin(), header_.end(), name);
    return found == header_.end() ? std::string() : fields_[static_cast<std::size_t>(found - header_.begin())];
  }

private:
  const std::vector<std::string>& header_;
  const std::vector<std::string>& fields_;
};

model::MeasuredIteration read_row(const std::vector<std::string>& header, const std::vector<std::string>& fields,
                                  const Location& where) {
  const Fields row_fields(header, fields);
  model::MeasuredIteration row;
  row.name = row_fields.at("row");
  row.group = row_fields.at("group");
  row.not_modelled = row_fields.at("not_modelled");
  row.source = row_fields.at("source");
  row.line = where.line;
  if (const auto text = row_fields.at("measured_s"); !text.empty() || row.not_modelled.empty())
    row.measured_s = positive("measured_s", text, SLOWEST_S, where);
  if (const auto text = row_fields.at("work"); !text.empty())
    row.work = positive("work", text, MOST_WORK, where);
  for (std::size_t at = 0; at < fields.size(); ++at) {
    if (std::find(own_columns().begin(), own_columns().end(), header[at]) != own_columns().end() || fields[at].empty())
      continue;
    const auto values = header[at] == "set" ? words_of(fields[at]) : std::vector{fields[at]}; // --set is repeated
    for (const auto& value : values)
      row.flags.push_back(fmt::format("--{}={}", header[at], value));
  }
  return row;
}

/// `folder` is what paths of platforms are relative to.
std::vector<model::MeasuredIteration> read_rows(const std::string& text, const std::string& file,
                                                const fs::path& folder) {
  const auto lines = csv_lines(text, file);
  if (lines.empty())
    throw UserError({file}, "is empty; a table begins with the names of its columns");
  const auto header = csv_fields(lines[0], {file, 1});
  for (std::size_t i = 0; i < NEEDED; ++i)
    need_column(header, own_columns()[i], {file, 1});
  std::vector<model::MeasuredIteration> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const Location where{file, static_cast<int>(i) + 1};
    const auto fields = csv_fields(lines[i], where);
    if (fields.size() == 1 && fields[0].empty())
      continue;
    if (fields.size() != header.size())
      throw UserError(where, fmt::format("{} fields, and the header has {}", fields.size(), header.size()));
    auto row = read_row(header, fields, where);
    if (const auto platform = Fields(header, fields).at("platform"); !platform.empty())
      row.flags.push_back("--platform=" + (folder / platform).lexically_normal().string());
    rows.push_back(std::move(row));
  }
  if (rows.empty())
    throw UserError({file}, "has no rows");
  return rows;
}

model::Criterion criterion_named(const std::string& name) {
  return name == "order"     ? model::Criterion::ORDER
         : name == "scaling" ? model::Criterion::SCALING
                             : model::Criterion::TIMES;
}

} // namespace

// clang-format off
const std::vector<KeyInfo>& validation_keys() {
  static const std::vector<KeyInfo> keys = {
      {"", "title", "text", true, "", "what was measured", 0, 0, {}},
      {"", "source", "text", true, "", "where the measurements are published", 0, 0, {}},
      {"", "note", "text", false, "", "what a reader of the errors should know", 0, 0, {}},
      {"", "table", "path", true, "", "the rows (CSV), relative to this file: the columns row, measured_s, source and flags of `tandem train` without their dashes; an empty field gives no flag, and blanks separate several values of set. Further columns: group (rows that are compared with each other), work (what times are divided by before they are ordered), platform (relative to this file), not_modelled (why a row is not simulated)", 0, 0, {}},
      {"", "platform", "path", false, "", "platform file of all rows, relative to this file; without it the table has a column platform", 0, 0, {}},
      {"", "flags", "text", false, "", "flags of `tandem train` that all rows share, separated by blanks", 0, 0, {}},
      {"", "compare", "text", false, "times", "times; scaling: each time over that of the first row of its group; order: which of two rows of a group does more work per time", 0, 0, {"times", "scaling", "order"}},
      {"", "mape", "whole number", false, "", "tolerance on the mean of |error|, in percent; not for order, which has to be that of the measurements", 1, MOST_PERCENT, {}},
      {"", "worst", "whole number", false, "", "tolerance on the error of each row, in percent", 1, MOST_PERCENT, {}},
      {"", "tie", "whole number", false, "0", "order: measurements that differ by at most so many percent are not ordered", 1, MOST_PERCENT, {}},
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
  const auto percent = [&](const char* key) {
    return map.has(key) ? static_cast<double>(map.integer(key)) / 100.0 : 0.0;
  };
  set.criterion = criterion_named(map.has("compare") ? map.text("compare") : "times");
  set.most_mape = percent("mape");
  set.most_error = percent("worst");
  set.tie = percent("tie");
  if (set.criterion != model::Criterion::ORDER && !map.has("mape") && !map.has("worst"))
    throw UserError({file}, "has no tolerance: mape, worst, or both, in percent");
  auto shared = map.has("flags") ? words_of(map.text("flags")) : std::vector<std::string>();
  if (map.has("platform"))
    shared.push_back("--platform=" + beside("platform"));
  set.rows =
      read_rows(table.empty() ? base::read_text_file(set.table) : table, set.table, fs::path(file).parent_path());
  for (auto& row : set.rows)
    row.flags.insert(row.flags.begin(), shared.begin(), shared.end());
  return set;
}

model::ValidationSet read_validation_set(const std::string& path) {
  return parse_validation_set(base::read_text_file(path, base::MOST_YAML_BYTES), "", path);
}

} // namespace tandem::workload
