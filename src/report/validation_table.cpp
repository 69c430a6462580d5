// Rows in the order of their table, then the sums.
#include "report/validation_table.h"

#include "report/csv.h"
#include "report/json_text.h"
#include "report/numbers.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tandem::report {

namespace {

using model::ValidationResult;

std::string percent(double share) {
  return fmt::format("{:+.1f} %", 100 * share);
}

std::string rows_text(const ValidationResult& result, const Layout& layout) {
  Table table({{"line", Align::RIGHT},
               {"row"},
               {"measured (s)", Align::RIGHT},
               {"predicted (s)", Align::RIGHT},
               {"error", Align::RIGHT}});
  for (const auto& row : result.rows)
    table.add({fmt::format("{}", row.measured.line), row.measured.name, fmt::format("{:.4g}", row.measured.measured_s),
               fmt::format("{:.4g}", row.predicted_s), percent(row.error())});
  std::string text = fmt::format("{}: {}\nsource: {}\n", result.set.name, result.set.title, result.set.source);
  if (!result.set.note.empty())
    text += wrapped("note: " + result.set.note, {.width = layout.width, .indent = 0});
  return text + '\n' + table.text(layout) + '\n';
}

Cell verdict(const ValidationResult& result) {
  if (result.is_within_tolerance())
    return {"within", Tint::GREEN};
  return {"outside", Tint::RED};
}

} // namespace

std::string validation_table(const std::vector<ValidationResult>& results, const Layout& layout) {
  std::string text;
  Table sums({{"set"},
              {"rows", Align::RIGHT},
              {"MAPE", Align::RIGHT},
              {"worst", Align::RIGHT},
              {"bias", Align::RIGHT},
              {"allowed MAPE", Align::RIGHT},
              {"allowed worst", Align::RIGHT},
              {"tolerance"}});
  for (const auto& result : results) {
    text += rows_text(result, layout);
    const auto errors = result.errors();
    sums.add({result.set.name, fmt::format("{}", errors.rows), fmt::format("{:.1f} %", 100 * errors.mape),
              percent(errors.worst), percent(errors.bias), fmt::format("{:.0f} %", 100 * result.set.most_mape),
              fmt::format("{:.0f} %", 100 * result.set.most_error), verdict(result)});
  }
  return text + sums.text(layout);
}

std::string validation_json(const std::vector<ValidationResult>& results, const std::string& version) {
  using Json = nlohmann::ordered_json;
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
    set["errors"] = {{"rows", errors.rows}, {"mape", errors.mape}, {"worst", errors.worst}, {"bias", errors.bias}};
    set["tolerance"] = {
        {"mape", result.set.most_mape}, {"worst", result.set.most_error}, {"within", result.is_within_tolerance()}};
    set["rows"] = Json::array();
    for (const auto& row : result.rows)
      set["rows"].push_back({{"line", row.measured.line},
                             {"row", row.measured.name},
                             {"measured_s", row.measured.measured_s},
                             {"predicted_s", row.predicted_s},
                             {"error", row.error()},
                             {"flags", row.measured.flags},
                             {"source", row.measured.source}});
    document["sets"].push_back(std::move(set));
  }
  return json_text(document);
}

std::string validation_csv(const std::vector<ValidationResult>& results) {
  std::string text = "set,line,row,measured_s,predicted_s,error,source\r\n";
  for (const auto& result : results)
    for (const auto& row : result.rows)
      text += fmt::format("{},{},{},{},{},{},{}\r\n", csv_field(result.set.name), row.measured.line,
                          csv_field(row.measured.name), number(row.measured.measured_s), number(row.predicted_s),
                          number(row.error()), csv_field(row.measured.source));
  return text;
}

} // namespace tandem::report
