// Residuals first, then what to paste.
#include "report/kernel_fit_table.h"

#include "report/csv.h"
#include "report/json_text.h"
#include "report/numbers.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tandem::report {

namespace {

using Json = nlohmann::ordered_json;
using model::FitErrors;
using model::KernelFit;

constexpr std::size_t WORST_ROWS = 10;

double error_of(const KernelFit::Row& row) {
  return row.after_s / row.measured.time_s - 1;
}

std::string shape(const model::Gemm& gemm) {
  return fmt::format("{} x {} x {}", gemm.m, gemm.n, gemm.k);
}

std::vector<Cell> errors_row(const std::string& name, const FitErrors& before, const FitErrors& after) {
  return {name,
          fmt::format("{}", after.rows),
          fmt::format("{:.1f}%", 100 * before.mape),
          fmt::format("{:.1f}%", 100 * after.mape),
          fmt::format("{:+.0f}%", 100 * after.worst),
          fmt::format("{:+.1f}%", 100 * after.bias)};
}

Table constants_table(const KernelFit& fit) {
  Table table({{"constant"}, {"device file", Align::RIGHT}, {"fitted", Align::RIGHT}});
  for (const auto& constant : fit.constants)
    table.add({constant.key, constant.before, constant.after});
  return table;
}

Table errors_table(const KernelFit& fit) {
  Table table({{"rows"},
               {"number", Align::RIGHT},
               {"MAPE before", Align::RIGHT},
               {"MAPE", Align::RIGHT},
               {"worst", Align::RIGHT},
               {"bias", Align::RIGHT}});
  table.add(errors_row("that the fit saw", fit.seen_before, fit.seen_after));
  table.add(errors_row("that it did not see", fit.unseen_before, fit.unseen_after));
  return table;
}

Table worst_table(const KernelFit& fit) {
  std::vector<const KernelFit::Row*> rows;
  for (const auto& row : fit.rows)
    rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto* a, const auto* b) { return std::abs(error_of(*a)) > std::abs(error_of(*b)); });
  rows.resize(std::min(rows.size(), WORST_ROWS));
  Table table({{"line", Align::RIGHT},
               {"m x n x k"},
               {"precision"},
               {"measured (us)", Align::RIGHT},
               {"predicted (us)", Align::RIGHT},
               {"error", Align::RIGHT},
               {"fit"}});
  for (const auto* row : rows)
    table.add({fmt::format("{}", row->measured.line), shape(row->measured.gemm), row->measured.gemm.precision,
               fmt::format("{:.4g}", row->measured.time_s * PER_US), fmt::format("{:.4g}", row->after_s * PER_US),
               fmt::format("{:+.0f}%", 100 * error_of(*row)), row->seen ? "saw it" : "did not"});
  return table;
}

nlohmann::ordered_json errors_json(const FitErrors& errors) {
  return {{"rows", errors.rows}, {"mape", errors.mape}, {"worst", errors.worst}, {"bias", errors.bias}};
}

} // namespace

std::string kernel_fit_table(const KernelFit& fit, const Layout& layout) {
  std::string text =
      fmt::format("GEMM constants of {} fitted to {} rows of {}\n\n", fit.device.name, fit.rows.size(), fit.file);
  text += constants_table(fit).text(layout) + '\n' + errors_table(fit).text(layout) +
          "\nThe rows that agree least:\n\n" + worst_table(fit).text(layout) + "\nFor the device file:\n\n";
  for (const auto& constant : fit.constants)
    text += fmt::format("{}: {{value: {}, source: \"fitted to {}: MAPE {:.1f} % of rows that the fit did not see\"}}\n",
                        constant.key, constant.after, std::filesystem::path(fit.file).filename().string(),
                        100 * fit.unseen_after.mape);
  return text;
}

std::string kernel_fit_json(const KernelFit& fit, const std::string& version) {
  Json document;
  document["tandem"] = {{"version", version}};
  document["fit"] = "kernels";
  document["file"] = fit.file;
  document["device"] = fit.device.name;
  document["constants"] = Json::object();
  for (const auto& constant : fit.constants)
    document["constants"][constant.key] = {{"before", constant.before}, {"after", constant.after}};
  document["seen"] = {{"before", errors_json(fit.seen_before)}, {"after", errors_json(fit.seen_after)}};
  document["unseen"] = {{"before", errors_json(fit.unseen_before)}, {"after", errors_json(fit.unseen_after)}};
  document["rows"] = Json::array();
  for (const auto& row : fit.rows)
    document["rows"].push_back({{"line", row.measured.line},
                                {"precision", row.measured.gemm.precision},
                                {"m", row.measured.gemm.m},
                                {"n", row.measured.gemm.n},
                                {"k", row.measured.gemm.k},
                                {"measured_us", row.measured.time_s * PER_US},
                                {"before_us", row.before_s * PER_US},
                                {"predicted_us", row.after_s * PER_US},
                                {"error", error_of(row)},
                                {"seen", row.seen}});
  return json_text(document);
}

std::string kernel_fit_csv(const KernelFit& fit) {
  std::string text = "device,line,precision,m,n,k,measured_us,before_us,predicted_us,error,seen\r\n";
  for (const auto& row : fit.rows) {
    const auto& gemm = row.measured.gemm;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\r\n", csv_field(fit.device.name), row.measured.line,
                        gemm.precision, gemm.m, gemm.n, gemm.k, number(row.measured.time_s * PER_US),
                        number(row.before_s * PER_US), number(row.after_s * PER_US), number(error_of(row)),
                        row.seen ? 1 : 0);
  }
  return text;
}

} // namespace tandem::report
