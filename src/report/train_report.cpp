// Where an iteration's time goes, as shares that add up to all of it.
#include "report/train_report.h"

#include "base/text.h"
#include "report/csv.h"
#include "report/energy_report.h"
#include "report/json_text.h"
#include "report/link_report.h"
#include "report/numbers.h"
#include "report/scale.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace tandem::report {

namespace {

using model::Breakdown;
using model::TrainCase;
using model::TrainRun;

constexpr double TERA = 1e-12, GIGA = 1e-9;

double per_gpu(const TrainRun& run, double flops, const TrainCase& result) {
  return flops / result.iteration_s / run.gpus;
}

std::string share(double part, double whole) {
  return part <= 0.0 ? "-" : fmt::format("{:.1f} %", 100.0 * part / whole);
}

std::string name_of(const TrainCase& result) {
  return result.strategies.empty() ? "(default)" : result.strategies;
}

double peak_memory(const TrainCase& result) {
  double peak = 0.0;
  for (const auto& stage : result.stages)
    peak = std::max(peak, stage.memory.peak_bytes);
  return peak;
}

/// Dimensions of which some case or stage shows time.
std::vector<std::size_t> shown_dimensions(const TrainRun& run) {
  std::vector<std::size_t> list;
  for (std::size_t dimension = 0; dimension < model::DIMENSIONS; ++dimension)
    if (std::any_of(run.cases.begin(), run.cases.end(),
                    [&](const TrainCase& one) { return one.breakdown.exposed_s[dimension] > 0.0; }))
      list.push_back(dimension);
  return list;
}

bool shows_energy(const TrainRun& run) {
  return std::any_of(run.cases.begin(), run.cases.end(), [](const TrainCase& one) { return one.energy.has_value(); });
}

double tokens_of(const TrainCase& result) {
  return result.tokens_per_s * result.iteration_s;
}

std::vector<Column> breakdown_columns(const TrainRun& run) {
  std::vector<Column> columns{{"compute", Align::RIGHT}, {"recompute", Align::RIGHT}};
  for (const auto dimension : shown_dimensions(run))
    columns.push_back({dimension == static_cast<std::size_t>(model::Dimension::OTHER)
                           ? "input"
                           : model::to_string(static_cast<model::Dimension>(dimension)),
                       Align::RIGHT});
  for (const auto* name : {"bubble", "optimizer", "other"})
    columns.push_back({name, Align::RIGHT});
  return columns;
}

void add_breakdown(std::vector<Cell>& row, const TrainRun& run, const Breakdown& part) {
  const double all = part.sum();
  row.emplace_back(share(part.compute_s - part.recompute_s, all));
  row.emplace_back(share(part.recompute_s, all));
  for (const auto dimension : shown_dimensions(run))
    row.emplace_back(share(part.exposed_s[dimension], all));
  for (const double term : {part.bubble_s, part.optimizer_s, part.other_s})
    row.emplace_back(share(term, all));
}

std::string cases_table(const TrainRun& run, const Layout& layout) {
  std::vector<double> times;
  for (const auto& result : run.cases)
    times.push_back(result.iteration_s);
  const auto scale = Scale::of_seconds(times);
  std::vector<Column> columns{{"strategies"},
                              {"iteration/" + scale.unit(), Align::RIGHT},
                              {run.counts_tokens ? "tokens/s" : run.samples + "/s", Align::RIGHT},
                              {"TFLOP/s/GPU", Align::RIGHT},
                              {"MFU", Align::RIGHT},
                              {"HFU", Align::RIGHT},
                              {"GB/GPU", Align::RIGHT}};
  if (shows_energy(run))
    for (const auto* name : {"J/token", "W/GPU"})
      columns.push_back({name, Align::RIGHT});
  for (const auto& column : breakdown_columns(run))
    columns.push_back(column);
  Table table(columns);
  for (const auto& result : run.cases) {
    const double model_rate = per_gpu(run, result.model_flops, result);
    const double hardware_rate = per_gpu(run, result.hardware_flops, result);
    std::vector<Cell> row{{name_of(result)},
                          {scale.text(result.iteration_s)},
                          {fmt::format("{:.0f}", run.counts_tokens ? result.tokens_per_s : result.samples_per_s)},
                          {fmt::format("{:.1f}", model_rate * TERA)},
                          {share(model_rate, run.peak_flops)},
                          {share(hardware_rate, run.peak_flops)},
                          {fmt::format("{:.1f}", peak_memory(result) * GIGA)}};
    if (result.energy) {
      const double all = result.energy->total();
      row.emplace_back(fmt::format("{:.4g}", all / tokens_of(result)));
      row.emplace_back(fmt::format("{:.1f}", all / result.iteration_s / run.gpus));
    }
    add_breakdown(row, run, result.breakdown);
    table.add(std::move(row));
  }
  return table.text(layout);
}

std::string stages_table(const TrainRun& run, const TrainCase& result, const Layout& layout) {
  std::vector<Column> columns{{"stage", Align::RIGHT},
                              {"rank", Align::RIGHT},
                              {"layers", Align::RIGHT},
                              {"parameters/1e9", Align::RIGHT},
                              {"GB at peak", Align::RIGHT}};
  for (const auto& account : run.memory_accounts)
    columns.push_back({account, Align::RIGHT});
  if (result.energy)
    columns.push_back({"W", Align::RIGHT});
  for (const auto& column : breakdown_columns(run))
    columns.push_back(column);
  Table table(columns);
  for (const auto& stage : result.stages) {
    std::vector<Cell> row{{fmt::format("{}", stage.stage)},
                          {fmt::format("{}", stage.rank)},
                          {fmt::format("{}-{}", stage.first_layer + 1, stage.first_layer + stage.layers)},
                          {fmt::format("{:.3f}", stage.parameters * GIGA)},
                          {fmt::format("{:.1f}", stage.memory.peak_bytes * GIGA)}};
    for (std::size_t account = 0; account < run.memory_accounts.size(); ++account)
      row.emplace_back(fmt::format("{:.1f}", stage.memory.at_peak[account] * GIGA));
    if (result.energy)
      row.emplace_back(fmt::format("{:.1f}", stage.energy.total() / result.iteration_s));
    add_breakdown(row, run, stage.breakdown);
    table.add(std::move(row));
  }
  return table.text(layout);
}

/// "critical path: 61.0 % GEMM, 9.2 % tp all-reduce, ..., 0.8 % other".
std::string path_in_words(const TrainCase& result) {
  constexpr double WORTH_A_WORD = 0.01;
  double all = 0.0, others = 0.0;
  for (const auto& term : result.critical_path)
    all += term.seconds;
  std::string text;
  for (const auto& [what, seconds] : result.critical_path)
    if (seconds >= WORTH_A_WORD * all)
      text += fmt::format("{}{:.1f} % {}", text.empty() ? "critical path: " : ", ", 100.0 * seconds / all, what);
    else
      others += seconds;
  return others > 0.0 ? fmt::format("{}, {:.1f} % other", text, 100.0 * others / all) : text;
}

nlohmann::ordered_json breakdown_json(const Breakdown& part) {
  nlohmann::ordered_json json;
  json["compute_s"] = part.compute_s;
  json["recompute_s"] = part.recompute_s;
  for (std::size_t dimension = 0; dimension < part.exposed_s.size(); ++dimension)
    json[fmt::format("exposed_{}_s", model::to_string(static_cast<model::Dimension>(dimension)))] =
        part.exposed_s[dimension];
  json["bubble_s"] = part.bubble_s;
  json["optimizer_s"] = part.optimizer_s;
  json["other_s"] = part.other_s;
  return json;
}

nlohmann::ordered_json case_json(const TrainRun& run, const TrainCase& result) {
  nlohmann::ordered_json json;
  json["strategies"] = result.strategies;
  json["iteration_s"] = result.iteration_s;
  json["samples_per_s"] = result.samples_per_s;
  json["tokens_per_s"] = result.tokens_per_s;
  json["tokens_per_s_per_gpu"] = result.tokens_per_s / run.gpus;
  json["model_tflops_per_gpu"] = per_gpu(run, result.model_flops, result) * TERA;
  json["hardware_tflops_per_gpu"] = per_gpu(run, result.hardware_flops, result) * TERA;
  json["mfu"] = per_gpu(run, result.model_flops, result) / run.peak_flops;
  json["hfu"] = per_gpu(run, result.hardware_flops, result) / run.peak_flops;
  json["peak_memory_bytes"] = peak_memory(result);
  json["lower_bound_s"] = result.lower_bound_s;
  json["breakdown"] = breakdown_json(result.breakdown);
  json.update(links_json(result.links));
  if (result.energy) {
    json["energy"] = energy_json(*result.energy, result.iteration_s, run.gpus);
    json["energy"]["j_per_token"] = result.energy->total() / tokens_of(result);
  }
  for (const auto& stage : result.stages) {
    nlohmann::ordered_json one;
    one["stage"] = stage.stage;
    one["rank"] = stage.rank;
    one["first_layer"] = stage.first_layer + 1;
    one["layers"] = stage.layers;
    one["parameters"] = stage.parameters;
    one["peak_memory_bytes"] = stage.memory.peak_bytes;
    one["peak_memory_at_s"] = stage.memory.peak_at_s;
    for (std::size_t account = 0; account < run.memory_accounts.size(); ++account)
      one["memory_bytes"][run.memory_accounts[account]] = stage.memory.at_peak[account];
    one["breakdown"] = breakdown_json(stage.breakdown);
    if (result.energy)
      one["energy"] = rank_energy_json(stage.energy, result.iteration_s);
    json["stages"].push_back(std::move(one));
  }
  for (const auto& [what, seconds] : result.critical_path)
    json["critical_path"].push_back({{"what", what}, {"time_s", seconds}});
  json["used"] = result.used;
  json["assumed"] = result.assumed;
  json["tasks"] = result.tasks;
  json["activities"] = result.activities;
  json["rank_classes"] = result.classes;
  return json;
}

/// "16 sequences of 2048 tokens", of an iteration.
std::string batch_in_words(const TrainRun& run) {
  const auto one = run.samples.substr(0, run.samples.size() - 1);
  return base::counted(static_cast<std::size_t>(run.global_batch), one) +
         (run.counts_tokens ? fmt::format(" of {} tokens", run.sequence) : std::string());
}

} // namespace

std::string train_table(const TrainRun& run, const Layout& layout, bool detail) {
  std::string text = tinted(fmt::format("{}, {:.4g} billion parameters", run.model, run.parameters * GIGA), Tint::BOLD,
                            layout.colour) +
                     fmt::format("  on {} x {} ({})\n", run.gpus, run.device, run.platform);
  text += fmt::format("{}; {} in {}; peak {:.4g} TFLOP/s ({})\n\n", run.plan, batch_in_words(run),
                      base::counted(static_cast<std::size_t>(run.micro_batches), "micro-batch", "micro-batches"),
                      run.peak_flops * TERA, run.peak_name);
  text += cases_table(run, layout);
  for (const auto& result : run.cases) {
    text += fmt::format("\n{}:\n", name_of(result));
    if (detail)
      text += stages_table(run, result, layout) + '\n';
    text += wrapped(path_in_words(result), layout);
    if (const auto busiest = busiest_link_text(result.links); !busiest.empty())
      text += wrapped("busiest link: " + busiest, layout);
    if (result.energy)
      text += wrapped("energy: " + energy_line(*result.energy, result.iteration_s, run.gpus), layout);
    for (const auto& line : result.used)
      text += wrapped(line, layout);
  }
  std::vector<std::string> assumed = run.assumed;
  for (const auto& result : run.cases)
    for (const auto& one : result.assumed)
      if (std::find(assumed.begin(), assumed.end(), one) == assumed.end())
        assumed.push_back(one);
  if (!assumed.empty())
    text += '\n' + wrapped(fmt::format("assumed, without a source: {}", fmt::join(assumed, ", ")), {layout.width, 0});
  return text;
}

std::string train_json(const TrainRun& run) {
  nlohmann::ordered_json json;
  json["version"] = run.version;
  json["model"] = run.model;
  json["platform"] = run.platform;
  json["device"] = run.device;
  json["gpus"] = run.gpus;
  json["plan"] = run.plan;
  for (const auto& [key, value] : run.configuration)
    json["configuration"][key] = value;
  json["parameters"] = run.parameters;
  json["samples"] = run.samples;
  json["micro_batches"] = run.micro_batches;
  json["peak_flops"] = run.peak_flops;
  json["peak"] = run.peak_name;
  json["hbm_capacity_bytes"] = run.hbm_capacity;
  json["settings"] = run.settings;
  json["digests"] = run.digests;
  json["assumed"] = run.assumed;
  // Of a single case the keys stand at the top too, for scripts that compare iterations.
  if (run.cases.size() == 1) {
    const auto only = case_json(run, run.cases.front());
    for (const auto& [key, value] : only.items())
      if (key != "assumed")
        json[key] = value;
  }
  for (const auto& result : run.cases)
    json["cases"].push_back(case_json(run, result));
  return json_text(json);
}

std::string train_csv(const TrainRun& run) {
  std::string text =
      std::string("model,platform,device,gpus,plan,strategies,iteration_s,tokens_per_s,model_tflops_per_gpu,"
                  "hardware_tflops_per_gpu,mfu,hfu,peak_memory_bytes,compute_s,recompute_s,exposed_tp_s,"
                  "exposed_cp_s,exposed_ep_s,exposed_pp_s,exposed_dp_s,exposed_other_s,bubble_s,optimizer_s,"
                  "other_s,") +
      fmt::format("{},j_per_token,{}\r\n", fmt::join(energy_columns(), ","), fmt::join(link_columns(), ","));
  for (const auto& result : run.cases) {
    std::vector<std::string> fields;
    for (const auto& word :
         {run.model, run.platform, run.device, std::to_string(run.gpus), run.plan, result.strategies})
      fields.push_back(csv_field(word));
    std::vector<double> values{result.iteration_s,
                               result.tokens_per_s,
                               per_gpu(run, result.model_flops, result) * TERA,
                               per_gpu(run, result.hardware_flops, result) * TERA,
                               per_gpu(run, result.model_flops, result) / run.peak_flops,
                               per_gpu(run, result.hardware_flops, result) / run.peak_flops,
                               peak_memory(result),
                               result.breakdown.compute_s,
                               result.breakdown.recompute_s};
    values.insert(values.end(), result.breakdown.exposed_s.begin(), result.breakdown.exposed_s.end());
    for (const double term : {result.breakdown.bubble_s, result.breakdown.optimizer_s, result.breakdown.other_s})
      values.push_back(term);
    for (const double value : values)
      fields.push_back(number(value));
    for (const auto& field : energy_fields(result.energy))
      fields.push_back(field);
    fields.push_back(result.energy ? number(result.energy->total() / tokens_of(result)) : "");
    for (const auto& field : link_fields(result.links))
      fields.push_back(field);
    text += fmt::format("{}\r\n", fmt::join(fields, ","));
  }
  return text;
}

} // namespace tandem::report
