// What the page chooses in the browser (assets/sections.js): an axis, and the fewest inputs that tell the lines apart.
#include "report/picture/picture.h"

#include "base/error.h"
#include "report/picture/chart.h"
#include "report/report_metrics.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

namespace tandem::report {

namespace {

using base::UserError;
using Json = nlohmann::ordered_json;
using Rows = std::vector<const Json*>;

constexpr const char* EFFICIENCY = "efficiency";

/// Stacked bars, by the key of a row that holds their parts.
struct StackedChart {
  const char *key, *title, *unit, *description;
};
constexpr StackedChart STACKED[] = {
    {"breakdown", "Where the time goes", "s", "mean over the ranks; the parts add up to the time"},
    {"memory", "Memory of a GPU at the peak", "B", "of the fullest pipeline stage, by account"},
    {"dram", "DRAM traffic of a GPU", "B", "bytes that a GPU reads and writes in its memory"},
    {"links", "Link traffic of a GPU", "B",
     "bytes on links by medium over the GPUs, each byte on every link that it crosses"}};

std::string input_text(const Json& row, const std::string& key) {
  const auto& inputs = row.at("inputs");
  if (!inputs.contains(key) || inputs.at(key).is_null())
    return "-";
  const auto& value = inputs.at(key);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// "25Gbps" as 25 and "Gbps".
std::optional<std::pair<double, std::string>> quantity_of(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  const bool is_unit = std::all_of(unit.begin(), unit.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
  if (end == text.c_str() || !is_unit || !std::isfinite(value))
    return std::nullopt;
  return std::pair(value, unit);
}

/// Inputs in which rows differ, those that a study names first.
std::vector<std::string> inputs_that_vary(const Json& data, const Rows& rows) {
  std::vector<std::string> keys, varying;
  const auto offer = [&keys](const std::string& key) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      keys.push_back(key);
  };
  for (const auto& source : data.at("sources"))
    for (const auto& key : source.at("varying"))
      offer(key.get<std::string>());
  for (const auto* row : rows)
    for (const auto& [key, value] : row->at("inputs").items())
      offer(key);
  std::copy_if(keys.begin(), keys.end(), std::back_inserter(varying), [&](const std::string& key) {
    std::set<std::string> texts;
    for (const auto* row : rows)
      texts.insert(input_text(*row, key));
    return texts.size() > 1;
  });
  return varying;
}

std::vector<std::string> texts_of(const Json& row, const std::vector<std::string>& keys) {
  std::vector<std::string> texts;
  for (const auto& key : keys)
    texts.push_back(input_text(row, key));
  return texts;
}

/// Of `keys` the first ones that tell rows apart as far as all do, given those in `known`.
std::vector<std::string> telling_inputs(const Rows& rows, const std::vector<std::string>& keys,
                                        const std::vector<std::string>& known) {
  const auto kinds = [&rows](const std::vector<std::string>& chosen) {
    std::set<std::vector<std::string>> different;
    for (const auto* row : rows)
      different.insert(texts_of(*row, chosen));
    return different.size();
  };
  auto all = known, told = known;
  all.insert(all.end(), keys.begin(), keys.end());
  std::vector<std::string> telling;
  for (const auto& key : keys) {
    if (kinds(told) == kinds(all))
      break;
    auto more = told;
    more.push_back(key);
    if (kinds(more) > kinds(told)) {
      told = more;
      telling.push_back(key);
    }
  }
  return telling;
}

/// Inputs whose values say what they are.
const std::set<std::string> SPEAKING{"strategy", "algorithm", "operation", "model", "sublayer",
                                     "phase",    "workload",  "platform",  "device"};

/// "tp 8, ring": the last part of each key with its value.
std::string label_of(const Json& row, const std::vector<std::string>& keys) {
  std::string label;
  for (const auto& key : keys) {
    const auto name = SPEAKING.contains(key) ? std::string() : key.substr(key.rfind('.') + 1) + ' ';
    label += (label.empty() ? "" : ", ") + name + input_text(row, key);
  }
  return label;
}

/// Where rows are on the horizontal axis.
struct InputAxis {
  std::string key, title;
  std::vector<std::string> names; ///< of an input that is no number
  std::function<double(const Json&)> place;
};

InputAxis axis_of(const std::string& key, const Rows& rows) {
  InputAxis axis{key, key == "gpus" ? "GPUs" : key.rfind("set.", 0) == 0 ? key.substr(4) : key, {}, {}};
  std::set<std::string> units;
  bool is_number = true;
  for (const auto* row : rows) {
    const auto quantity = quantity_of(input_text(*row, key));
    is_number = is_number && quantity;
    if (quantity)
      units.insert(quantity->second);
    if (const auto text = input_text(*row, key);
        std::find(axis.names.begin(), axis.names.end(), text) == axis.names.end())
      axis.names.push_back(text);
  }
  if (is_number && units.size() == 1) {
    axis.names.clear();
    if (!units.begin()->empty())
      axis.title += fmt::format(" ({})", *units.begin());
    axis.place = [key](const Json& row) { return quantity_of(input_text(row, key))->first; };
  } else {
    axis.place = [key, names = axis.names](const Json& row) {
      return static_cast<double>(std::find(names.begin(), names.end(), input_text(row, key)) - names.begin());
    };
  }
  return axis;
}

InputAxis chosen_axis(const std::string& against, const std::vector<std::string>& varying, const Rows& rows) {
  if (!against.empty()) {
    if (std::find(varying.begin(), varying.end(), against) == varying.end())
      throw UserError(base::unknown_word("--against: input that varies", against, varying));
    return axis_of(against, rows);
  }
  if (std::find(varying.begin(), varying.end(), "gpus") != varying.end())
    return axis_of("gpus", rows);
  for (const auto& key : varying)
    if (auto axis = axis_of(key, rows); axis.names.empty())
      return axis;
  if (varying.empty())
    throw UserError("no input varies, so that there is no line to draw; --chart breakdown draws bars");
  return axis_of(varying.front(), rows);
}

std::vector<std::string> chart_names(const std::string& command) {
  std::vector<std::string> names;
  for (const auto& metric : page_metrics(command))
    names.emplace_back(metric.key);
  if (command == "train")
    names.emplace_back(EFFICIENCY);
  for (const auto& stacked : STACKED)
    names.emplace_back(stacked.key);
  return names;
}

class Picture {
public:
  Picture(const Json& data, Rows rows, std::string command)
      : rows_(std::move(rows)), command_(std::move(command)), varying_(inputs_that_vary(data, rows_)),
        title_(data.at("title").get<std::string>()) {}

  [[nodiscard]] std::string bars(const StackedChart& stacked) const {
    BarChart chart{title_, stacked.title, stacked.description, stacked.unit, {}, {}};
    std::vector<std::string> keys; // parts that are not nought everywhere, as they come
    for (const auto* row : rows_)
      for (const auto& [key, value] : row->at(stacked.key).items())
        if (value.get<double>() > 0.0 && std::find(keys.begin(), keys.end(), key) == keys.end())
          keys.push_back(key);
    if (keys.empty())
      throw UserError(fmt::format("--chart {}: these results do not hold it", stacked.key));
    const auto label = telling_inputs(rows_, varying_, {});
    for (const auto* row : rows_) {
      ChartBar bar{label_of(*row, label), {}};
      for (const auto& key : keys)
        bar.parts.push_back(row->at(stacked.key).value(key, 0.0));
      chart.bars.push_back(std::move(bar));
    }
    for (auto key : keys) {
      if (key.size() > 2 && key.compare(key.size() - 2, 2, "_s") == 0)
        key.resize(key.size() - 2);
      std::replace(key.begin(), key.end(), '_', ' ');
      chart.parts.push_back(key);
    }
    return bar_chart_svg(chart);
  }

  [[nodiscard]] std::string lines(const std::string& name, const std::string& against) const {
    const auto axis = chosen_axis(against, varying_, rows_);
    const bool is_efficiency = name == EFFICIENCY;
    if (is_efficiency && axis.key != "gpus")
      throw UserError("--chart efficiency is against gpus, which do not vary or are not asked for");
    const std::string key = is_efficiency ? "tokens_per_s" : name;
    const auto& metrics = page_metrics(command_);
    const auto& metric =
        *std::find_if(metrics.begin(), metrics.end(), [&key](const PageMetric& one) { return one.key == key; });
    LineChart chart{title_,
                    is_efficiency ? "scaling efficiency" : metric.label,
                    is_efficiency ? "tokens per second of a GPU over those of a GPU in the smallest cluster of the line"
                                  : metric.meaning,
                    is_efficiency ? "share" : metric.unit,
                    axis.title,
                    axis.names,
                    lines_of(axis, key)};
    if (chart.lines.empty())
      throw UserError(fmt::format("--chart {}: these results do not hold it", name));
    if (is_efficiency)
      for (auto& line : chart.lines)
        for (const auto first = line.points.front(); auto& [x, y] : line.points)
          y = y / x / (first.second / first.first);
    return line_chart_svg(chart);
  }

private:
  [[nodiscard]] std::vector<ChartLine> lines_of(const InputAxis& axis, const std::string& key) const {
    std::vector<std::string> others;
    std::copy_if(varying_.begin(), varying_.end(), std::back_inserter(others),
                 [&axis](const std::string& one) { return one != axis.key; });
    const auto telling = telling_inputs(rows_, others, {axis.key});
    std::vector<ChartLine> lines;
    std::map<std::vector<std::string>, std::size_t> line_of;
    for (const auto* row : rows_) {
      if (!row->at("metrics").contains(key))
        continue;
      const auto [found, is_new] = line_of.emplace(texts_of(*row, telling), lines.size());
      if (is_new)
        lines.push_back({label_of(*row, telling), {}});
      lines[found->second].points.emplace_back(axis.place(*row), row->at("metrics").at(key).get<double>());
    }
    for (auto& line : lines)
      std::stable_sort(line.points.begin(), line.points.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
    return lines;
  }

  Rows rows_;
  std::string command_;
  std::vector<std::string> varying_;
  std::string title_;
};

} // namespace

std::string picture_svg(const Json& data, const PictureChoice& choice) {
  Rows rows;
  std::set<std::string> commands;
  for (const auto& row : data.at("rows"))
    if (row.at("status") == "ok") {
      rows.push_back(&row);
      commands.insert(data.at("sources").at(row.at("source").get<std::size_t>()).at("command").get<std::string>());
    }
  if (rows.empty())
    throw UserError("no point has a result, so that there is nothing to draw");
  if (commands.size() > 1)
    throw UserError(fmt::format("a picture shows results of one command; these are of {}", fmt::join(commands, ", ")));
  const auto& command = *commands.begin();
  const auto allowed = chart_names(command);
  const auto name = choice.chart.empty() ? allowed.front() : choice.chart;
  if (std::find(allowed.begin(), allowed.end(), name) == allowed.end())
    throw UserError(base::unknown_word("--chart", name, allowed));
  const Picture picture(data, std::move(rows), command);
  for (const auto& stacked : STACKED)
    if (name == stacked.key)
      return picture.bars(stacked);
  return picture.lines(name, choice.against);
}

} // namespace tandem::report
