// Rows in the order of their table, then the sums.
#include "report/validation_table.h"

#include "report/csv.h"
#include "report/json_text.h"
#include "report/numbers.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tandem::report {

namespace {

using Json = nlohmann::ordered_json;
using model::Criterion;
using model::ValidationResult;

std::string percent(double share) {
  return fmt::format("{:+.1f} %", 100 * share);
}

const char* name_of(Criterion criterion) {
  return criterion == Criterion::ORDER ? "order" : criterion == Criterion::SCALING ? "scaling" : "times";
}

std::string error_cell(const ValidationResult& result, const model::ValidationRow& row) {
  if (!row.is_compared)
    return "base"; // of its group
  return result.set.criterion == Criterion::ORDER ? percent(row.error) + " (not compared)" : percent(row.error);
}

std::string modelled_text(const ValidationResult& result, const Layout& layout) {
  const bool grouped = result.set.criterion != Criterion::TIMES;
  std::vector<Column> columns{{"line", Align::RIGHT}, {"row"}};
  if (grouped)
    columns.push_back({"group"});
  for (const auto* header : {"measured (s)", "predicted (s)", "error"})
    columns.push_back({header, Align::RIGHT});
  Table table(columns);
  for (const auto& row : result.rows) {
    if (!row.measured.not_modelled.empty())
      continue;
    std::vector<Cell> cells{fmt::format("{}", row.measured.line), row.measured.name};
    if (grouped)
      cells.emplace_back(row.measured.group);
    for (const auto& cell : {fmt::format("{:.4g}", row.measured.measured_s), fmt::format("{:.4g}", row.predicted_s),
                             error_cell(result, row)})
      cells.emplace_back(cell);
    table.add(std::move(cells));
  }
  return table.text(layout);
}

std::string not_modelled_text(const ValidationResult& result, const Layout& layout) {
  if (result.not_modelled() == 0)
    return {};
  Table table({{"line", Align::RIGHT}, {"row"}, {"not modelled, because"}});
  for (const auto& row : result.rows)
    if (!row.measured.not_modelled.empty())
      table.add({fmt::format("{}", row.measured.line), row.measured.name, row.measured.not_modelled});
  return '\n' + table.text({.width = 0, .indent = layout.indent, .colour = layout.colour});
}

std::string pairs_text(const ValidationResult& result, const Layout& layout) {
  if (result.set.criterion != Criterion::ORDER)
    return {};
  Table table({{"group"}, {"does more per second"}, {"than"}, {"predicted"}});
  for (const auto& pair : result.pairs()) {
    const auto& faster = result.rows[pair.faster].measured;
    table.add({faster.group, faster.name, result.rows[pair.slower].measured.name,
               pair.is_kept ? Cell("too", Tint::GREEN) : Cell("the other way round", Tint::RED)});
  }
  return '\n' + table.text(layout);
}

std::string rows_text(const ValidationResult& result, const Layout& layout) {
  std::string text = fmt::format("{}: {}\nsource: {}\n", result.set.name, result.set.title, result.set.source);
  if (!result.set.note.empty())
    text += wrapped("note: " + result.set.note, {.width = layout.width, .indent = 0});
  return text + '\n' + modelled_text(result, layout) + pairs_text(result, layout) + not_modelled_text(result, layout) +
         '\n';
}

Cell verdict(const ValidationResult& result) {
  if (result.is_within_tolerance())
    return {"within", Tint::GREEN};
  return {"outside", Tint::RED};
}

std::string allowed(double share) {
  return share > 0.0 ? fmt::format("{:.0f} %", 100 * share) : "-";
}

int kept(const std::vector<model::OrderedPair>& pairs) {
  return static_cast<int>(std::count_if(pairs.begin(), pairs.end(), [](const auto& pair) { return pair.is_kept; }));
}

} // namespace

std::string validation_table(const std::vector<ValidationResult>& results, const Layout& layout) {
  std::string text;
  Table sums({{"set"},
              {"compared"},
              {"rows", Align::RIGHT},
              {"not modelled", Align::RIGHT},
              {"MAPE", Align::RIGHT},
              {"worst", Align::RIGHT},
              {"bias", Align::RIGHT},
              {"order kept", Align::RIGHT},
              {"allowed MAPE", Align::RIGHT},
              {"allowed worst", Align::RIGHT},
              {"tolerance"}});
  for (const auto& result : results) {
    text += rows_text(result, layout);
    const auto errors = result.errors();
    const auto pairs = result.pairs();
    const bool orders = result.set.criterion == Criterion::ORDER;
    sums.add({result.set.name, name_of(result.set.criterion), fmt::format("{}", errors.rows),
              fmt::format("{}", result.not_modelled()), fmt::format("{:.1f} %", 100 * errors.mape),
              percent(errors.worst), percent(errors.bias),
              orders ? fmt::format("{} of {}", kept(pairs), pairs.size()) : "-", allowed(result.set.most_mape),
              allowed(result.set.most_error), verdict(result)});
  }
  return text + sums.text(layout);
}

std::string validation_json(const std::vector<ValidationResult>& results, const std::string& version) {
  Json document;
  document["tandem"] = {{"version", version}};
  document["sets"] = Json::array();
  for (const auto& result : results) {
    const auto errors = result.errors();
    Json set;
    set["name"] = result.set.name;
    set["title"] = result.set.title;
    set["source"] = result.set.source;
    set["note"] = result.set.note;
    set["file"] = result.set.file;
    set["table"] = result.set.table;
    set["compare"] = name_of(result.set.criterion);
    set["not_modelled"] = result.not_modelled();
    set["errors"] = {{"rows", errors.rows}, {"mape", errors.mape}, {"worst", errors.worst}, {"bias", errors.bias}};
    set["tolerance"] = {
        {"mape", result.set.most_mape}, {"worst", result.set.most_error}, {"within", result.is_within_tolerance()}};
    if (result.set.criterion == Criterion::ORDER) {
      const auto pairs = result.pairs();
      set["order"] = {{"pairs", pairs.size()}, {"kept", kept(pairs)}, {"tie", result.set.tie}};
    }
    set["rows"] = Json::array();
    for (const auto& row : result.rows) {
      const bool modelled = row.measured.not_modelled.empty();
      Json entry = {{"line", row.measured.line}, {"row", row.measured.name}, {"group", row.measured.group}};
      entry["measured_s"] = row.measured.measured_s > 0.0 ? Json(row.measured.measured_s) : Json();
      entry["predicted_s"] = modelled ? Json(row.predicted_s) : Json();
      entry["error"] = row.is_compared ? Json(row.error) : Json();
      entry["not_modelled"] = modelled ? Json() : Json(row.measured.not_modelled);
      entry["flags"] = row.measured.flags;
      entry["source"] = row.measured.source;
      set["rows"].push_back(std::move(entry));
    }
    document["sets"].push_back(std::move(set));
  }
  return json_text(document);
}

std::string validation_csv(const std::vector<ValidationResult>& results) {
  const auto or_empty = [](bool is_there, double value) { return is_there ? number(value) : std::string(); };
  std::string text = "set,line,row,group,measured_s,predicted_s,error,not_modelled,source\r\n";
  for (const auto& result : results)
    for (const auto& row : result.rows) {
      const auto& measured = row.measured;
      text += fmt::format(
          "{},{},{},{},{},{},{},{},{}\r\n", csv_field(result.set.name), measured.line, csv_field(measured.name),
          csv_field(measured.group), or_empty(measured.measured_s > 0.0, measured.measured_s),
          or_empty(measured.not_modelled.empty(), row.predicted_s), or_empty(row.is_compared, row.error),
          csv_field(measured.not_modelled), csv_field(measured.source));
    }
  return text;
}

} // namespace tandem::report
