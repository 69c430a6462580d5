// Estimates are sums over cores that take the next point when they are free.
#include "study/sweep/sweep_plan.h"

#include "report/csv.h"
#include "report/json_text.h"
#include "report/numbers.h"
#include "report/sweep_values.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <thread>

namespace tandem::study {

namespace {

using model::PointStatus;
using Json = nlohmann::ordered_json;

/// Seconds with two digits: an estimate has no more.
double two_digits(double seconds) {
  return std::stod(fmt::format("{:.2g}", seconds));
}

} // namespace

SweepPlan plan_of(const PreparedStudy& study, const std::string& store, int jobs) {
  SweepPlan plan;
  plan.study = study.result;
  double factor = 1.0;
  if (std::filesystem::exists(store)) {
    ResultStore known(store, Database::Mode::EXISTING);
    known.fill(plan.study);
    if (const double measured = known.seconds_per_work(study.result.command); measured > 0.0)
      factor = measured;
  }
  double longest = 0.0;
  for (std::size_t i = 0; i < study.inputs.size(); ++i) {
    const auto status = plan.study.points[i].status;
    const bool runs = status == PointStatus::PENDING || status == PointStatus::FAILED;
    plan.seconds.push_back(runs ? two_digits(factor * study.inputs[i].work) : 0.0);
    plan.total_s += plan.seconds.back();
    longest = std::max(longest, plan.seconds.back());
  }
  const double cores = jobs > 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
  plan.elapsed_s = std::max(longest, plan.total_s / cores);
  return plan;
}

std::string plan_table(const SweepPlan& plan, const report::Layout& layout) {
  std::vector<report::Column> columns{{"point", report::Align::RIGHT}, {"status"}, {"about/s", report::Align::RIGHT}};
  columns.push_back({"command, or why there is none"});
  report::Table table(columns);
  std::size_t to_run = 0;
  for (std::size_t i = 0; i < plan.seconds.size(); ++i) {
    const auto& point = plan.study.points[i];
    to_run += plan.seconds[i] > 0.0 ? 1 : 0;
    const auto reason = point.reason.substr(0, point.reason.find('\n'));
    table.add({{std::to_string(point.point)},
               {model::to_string(point.status)},
               {plan.seconds[i] > 0.0 ? report::number(plan.seconds[i]) : "-"},
               {point.status == PointStatus::INFEASIBLE ? reason : point.command}});
  }
  return fmt::format("{}\n{} points, {} to run: about {:.2g} s on one core, {:.2g} s on all that are used\n\n{}",
                     plan.study.title, plan.seconds.size(), to_run, plan.total_s, plan.elapsed_s,
                     table.text({.width = 0, .indent = layout.indent, .colour = layout.colour}));
}

std::string plan_csv(const SweepPlan& plan) {
  std::string text = "point";
  for (const auto& name : plan.study.input_columns)
    text.append(1, ',').append(report::csv_field(name));
  text += ",status,reason,command,estimated_s\r\n";
  for (std::size_t i = 0; i < plan.seconds.size(); ++i) {
    const auto& point = plan.study.points[i];
    text += fmt::format("{}", point.point);
    for (const auto& input : point.inputs)
      text.append(1, ',').append(report::csv_field(input));
    text += fmt::format(",{},{},{},{}\r\n", model::to_string(point.status), report::csv_field(point.reason),
                        report::csv_field(point.command), report::number(plan.seconds[i]));
  }
  return text;
}

std::string plan_json(const SweepPlan& plan) {
  Json json;
  json["title"] = plan.study.title;
  json["estimated_s"] = plan.total_s;
  json["points"] = Json::array();
  for (std::size_t i = 0; i < plan.seconds.size(); ++i) {
    const auto& point = plan.study.points[i];
    Json one;
    one["point"] = point.point;
    for (std::size_t input = 0; input < point.inputs.size(); ++input)
      one["inputs"][plan.study.input_columns[input]] = report::json_of_field(point.inputs[input]);
    one["status"] = model::to_string(point.status);
    one["reason"] = point.reason.empty() ? Json() : Json(point.reason);
    one["command"] = point.command.empty() ? Json() : Json(point.command);
    one["estimated_s"] = plan.seconds[i];
    json["points"].push_back(std::move(one));
  }
  return report::json_text(json);
}

} // namespace tandem::study
