// Every output is in the order of the points, whenever they ran.
#include "report/sweep_report.h"

#include "base/error.h"
#include "report/csv.h"
#include "report/json_text.h"
#include "report/sweep_values.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace tandem::report {

namespace {

using Json = nlohmann::ordered_json;
using model::PointStatus;
using model::SweepPoint;
using model::SweepResult;

/// What a table on a terminal has room for, where the command has it: result column, header, factor, digits.
struct Headline {
  const char* metric;
  const char* header;
  double factor;
  int digits;
};
constexpr Headline HEADLINES[] = {{"strategies", "strategies", 0, 0},
                                  {"strategy", "strategy", 0, 0},
                                  {"sublayer", "sub-layer", 0, 0},
                                  {"size_bytes", "size/B", 0, 0},
                                  {"iteration_s", "iteration/s", 1, 4},
                                  {"tokens_per_s", "tokens/s", 1, 0},
                                  {"model_tflops_per_gpu", "TFLOP/s/GPU", 1, 1},
                                  {"mfu", "MFU/%", 100, 1},
                                  {"peak_memory_bytes", "GB/GPU", 1e-9, 1},
                                  {"time_s", "time/us", 1e6, 1},
                                  {"exposed_communication_s", "exposed/us", 1e6, 1},
                                  {"speedup", "speed-up", 1, 3},
                                  {"time_us", "time/us", 1, 1},
                                  {"algbw_gbps", "algbw/(GB/s)", 1, 2},
                                  {"busbw_gbps", "busbw/(GB/s)", 1, 2},
                                  {"algorithm", "algorithm", 0, 0}};

std::size_t index_of(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::string headline_text(const Headline& headline, const std::string& field) {
  if (headline.factor == 0.0 || field.empty())
    return field;
  return fmt::format("{:.{}f}", std::stod(field) * headline.factor, headline.digits);
}

/// Names of the inputs that a table shows: what varies, and does not say the same in every point.
std::vector<std::size_t> shown_inputs(const SweepResult& study) {
  std::vector<std::size_t> shown;
  for (const auto& name : study.varying) {
    const auto index = index_of(study.input_columns, name);
    const bool differs = std::any_of(study.points.begin(), study.points.end(), [&](const SweepPoint& point) {
      return point.inputs[index] != study.points.front().inputs[index];
    });
    if (differs || study.points.size() == 1)
      shown.push_back(index);
  }
  return shown;
}

std::vector<std::string> metrics_of(const std::vector<std::string>& row, std::size_t count) {
  auto fields = row;
  fields.resize(count);
  return fields;
}

std::string count_line(const SweepResult& study) {
  std::string text = fmt::format("{} points", study.points.size());
  for (const auto status : {PointStatus::OK, PointStatus::INFEASIBLE, PointStatus::FAILED, PointStatus::PENDING}) {
    const auto count = std::count_if(study.points.begin(), study.points.end(),
                                     [&](const SweepPoint& point) { return point.status == status; });
    if (count > 0)
      text += fmt::format(", {} {}", count, model::to_string(status));
  }
  return text + '\n';
}

} // namespace

std::string sweep_table(const SweepResult& study, const Layout& layout) {
  const auto inputs = shown_inputs(study);
  std::vector<std::pair<const Headline*, std::size_t>> metrics;
  for (const auto& headline : HEADLINES)
    if (const auto index = index_of(study.metric_columns, headline.metric); index < study.metric_columns.size())
      metrics.emplace_back(&headline, index);
  std::vector<Column> columns{{"point", Align::RIGHT}};
  for (const auto index : inputs)
    columns.push_back({study.input_columns[index], Align::RIGHT});
  columns.push_back({"status"});
  for (const auto& [headline, index] : metrics)
    columns.push_back({headline->header, headline->factor == 0.0 ? Align::LEFT : Align::RIGHT});
  columns.push_back({"reason"});
  Table table(columns);
  for (const auto& point : study.points)
    for (std::size_t row = 0; row < std::max<std::size_t>(1, point.rows.size()); ++row) {
      std::vector<Cell> cells{{std::to_string(point.point)}};
      for (const auto index : inputs)
        cells.emplace_back(point.inputs[index]);
      cells.emplace_back(model::to_string(point.status), point.status == PointStatus::FAILED ? Tint::RED : Tint::NONE);
      for (const auto& [headline, index] : metrics)
        cells.emplace_back(point.rows.empty() ? "" : headline_text(*headline, point.rows[row][index]));
      cells.emplace_back(point.reason.substr(0, point.reason.find('\n')));
      table.add(std::move(cells));
    }
  return tinted(study.title, Tint::BOLD, layout.colour) + '\n' + count_line(study) + '\n' + table.text(layout);
}

std::string sweep_csv(const SweepResult& study) {
  std::vector<std::string> header{"point"};
  header.insert(header.end(), study.input_columns.begin(), study.input_columns.end());
  for (const auto* name : {"status", "reason", "command", "row"})
    header.emplace_back(name);
  for (const auto& [metric, name] : named_metrics(study))
    header.push_back(name);
  std::string text;
  const auto add = [&text](const std::vector<std::string>& fields) {
    for (const auto& field : fields) {
      if (&field != fields.data())
        text += ',';
      text += csv_field(field);
    }
    text += "\r\n";
  };
  add(header);
  for (const auto& point : study.points)
    for (std::size_t row = 0; row < std::max<std::size_t>(1, point.rows.size()); ++row) {
      std::vector<std::string> fields{std::to_string(point.point)};
      fields.insert(fields.end(), point.inputs.begin(), point.inputs.end());
      fields.push_back(model::to_string(point.status));
      fields.push_back(point.reason);
      fields.push_back(point.command);
      fields.push_back(point.rows.empty() ? "" : std::to_string(row));
      const auto metrics =
          metrics_of(point.rows.empty() ? std::vector<std::string>() : point.rows[row], study.metric_columns.size());
      fields.insert(fields.end(), metrics.begin(), metrics.end());
      add(fields);
    }
  return text;
}

std::string sweep_json(const SweepResult& study) {
  Json json;
  json["tandem"]["version"] = study.version;
  json["study"] = {{"title", study.title}, {"file", study.file}, {"command", study.command}};
  json["varying"] = study.varying;
  json["points"] = Json::array();
  for (const auto& point : study.points) {
    Json one;
    one["point"] = point.point;
    one["inputs"] = Json::object();
    for (std::size_t i = 0; i < point.inputs.size(); ++i)
      one["inputs"][study.input_columns[i]] = json_of_field(point.inputs[i]);
    one["status"] = model::to_string(point.status);
    one["reason"] = point.reason.empty() ? Json() : Json(point.reason);
    one["command"] = point.command.empty() ? Json() : Json(point.command);
    one["digest"] = point.digest.empty() ? Json() : Json(point.digest);
    one["result"] = point.document.empty() ? Json() : Json::parse(point.document);
    json["points"].push_back(std::move(one));
  }
  return json_text(json);
}

} // namespace tandem::report
