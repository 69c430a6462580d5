// The best plans, the Pareto front, and what was looked at to know it.
#include "report/plan_report.h"

#include "report/csv.h"
#include "report/energy_report.h"
#include "report/json_text.h"
#include "report/numbers.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace tandem::report {

namespace {

using model::PlannedCase;
using model::PlanSearch;

constexpr double BILLION = 1e9;

std::string cases_table(const PlanSearch& search, const std::vector<PlannedCase>& cases, const Layout& layout) {
  const bool several = search.gpus.size() > 1;
  std::vector<Column> columns{{"", Align::RIGHT}};
  if (several)
    columns.push_back({"GPUs", Align::RIGHT});
  const bool energy = search.objective == "energy";
  for (const auto* name : {"iteration/s", "tokens/s", "tokens/GPU-hour", "MFU", "GB/GPU", "bound/s"})
    columns.push_back({name, Align::RIGHT});
  if (energy)
    for (const auto* name : {"energy", "J/token", "bound"})
      columns.push_back({name, Align::RIGHT});
  columns.push_back({"plan"});
  Table table(columns);
  int number = 0;
  for (const auto& one : cases) {
    std::vector<Cell> row{{fmt::format("{}", ++number)}};
    if (several)
      row.emplace_back(fmt::format("{}", one.gpus));
    row.emplace_back(fmt::format("{:.4g}", one.iteration_s));
    row.emplace_back(fmt::format("{:.0f}", one.tokens_per_s));
    row.emplace_back(fmt::format("{:.0f}", one.tokens_per_gpu_hour));
    row.emplace_back(fmt::format("{:.1f} %", 100.0 * one.mfu));
    row.emplace_back(fmt::format("{:.1f}", one.peak_memory_bytes / BILLION));
    row.emplace_back(fmt::format("{:.4g}", one.bound_s));
    if (energy)
      for (const auto& text :
           {joules_text(one.energy_j), fmt::format("{:.4g}", one.j_per_token), joules_text(one.bound_j)})
        row.emplace_back(text);
    row.emplace_back(one.plan);
    table.add(std::move(row));
  }
  return table.text(layout);
}

/// The least bound of what was pruned, in what the search is for.
std::string least_bound(const PlanSearch& search) {
  return search.objective == "energy" ? joules_text(search.best_pruned_bound_j)
                                      : fmt::format("{:.4g} s", search.best_pruned_bound_s);
}

std::string proof(const PlanSearch& search, const Layout& layout) {
  std::uint64_t refused = 0;
  for (const auto& [reason, plans] : search.refused)
    refused += plans;
  const bool energy = search.objective == "energy";
  std::string text = fmt::format("{} plans: {} cannot be, {} do not fit {:.1f} GB, {} simulated, {} pruned\n",
                                 search.enumerated, refused, search.out_of_memory + search.out_of_memory_simulated,
                                 search.hbm_capacity / BILLION, search.simulated, search.pruned);
  const auto count = search.best.size();
  const auto what = count == 1 ? std::string("the best plan is") : fmt::format("the best {} plans are", count);
  if (!search.proven)
    text += wrapped(fmt::format("not proven: the search was stopped with a plan left whose bound is {} ({})",
                                least_bound(search), search.best_pruned),
                    layout);
  else if (search.pruned == 0)
    text += wrapped(fmt::format("proven: {} that, of all, which were simulated", what), layout);
  else
    text +=
        wrapped(fmt::format("proven: {} that{}; no pruned plan {} its bound, of which the least is {} ({})", what,
                            search.tolerance > 0.0 ? fmt::format(", or within {:.3g} % of it", 100.0 * search.tolerance)
                                                   : std::string(),
                            energy ? "takes less than" : "is faster than", least_bound(search), search.best_pruned),
                layout);
  text += wrapped(fmt::format("simulated {} are above their bounds by {:.2f} % on average, {:.2f} % at most",
                              energy ? "energies" : "times", 100.0 * search.mean_gap, 100.0 * search.largest_gap),
                  layout);
  std::vector<std::pair<std::uint64_t, std::string>> reasons;
  for (const auto& [reason, plans] : search.refused)
    reasons.emplace_back(plans, reason);
  std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [plans, reason] : reasons)
    text += wrapped(fmt::format("{}: {}", plans, reason), layout);
  return text;
}

nlohmann::ordered_json case_json(const PlannedCase& one) {
  nlohmann::ordered_json json;
  json["plan"] = one.plan;
  json["gpus"] = one.gpus;
  json["tp"] = one.tp;
  json["cp"] = one.cp;
  json["ep"] = one.ep;
  json["pp"] = one.pp;
  json["dp"] = one.dp;
  json["vpp"] = one.vpp;
  json["schedule"] = one.schedule;
  json["micro_batch"] = one.micro_batch;
  json["micro_batches"] = one.micro_batches;
  json["sequence_parallel"] = one.sequence_parallel;
  json["zero"] = one.zero;
  json["recompute"] = one.recompute;
  json["strategies"] = one.strategies;
  json["iteration_s"] = one.iteration_s;
  json["bound_s"] = one.bound_s;
  if (one.energy_j > 0.0) {
    json["energy_j"] = one.energy_j;
    json["bound_j"] = one.bound_j;
    json["j_per_token"] = one.j_per_token;
  }
  json["tokens_per_s"] = one.tokens_per_s;
  json["tokens_per_gpu_hour"] = one.tokens_per_gpu_hour;
  json["mfu"] = one.mfu;
  json["peak_memory_bytes"] = one.peak_memory_bytes;
  json["command"] = one.command;
  return json;
}

} // namespace

std::string plan_table(const PlanSearch& search, const Layout& layout) {
  std::string text = tinted(fmt::format("{}, {:.4g} billion parameters", search.model, search.parameters / BILLION),
                            Tint::BOLD, layout.colour) +
                     fmt::format("  on {} x {} ({})\n", fmt::join(search.gpus, ", "), search.device, search.platform);
  text += fmt::format("global batch {}, sequences of {}; objective {}\n\n", search.global_batch, search.sequence,
                      search.objective);
  text += cases_table(search, search.best, layout) + '\n' + proof(search, layout);
  if (search.front.size() > 1 || search.front_proven)
    text += fmt::format("\nPareto front of time and memory{}, {}:\n", search.gpus.size() > 1 ? " and GPUs" : "",
                        search.front_proven ? "proven" : "of the plans that were simulated (--front proves it)") +
            cases_table(search, search.front, layout);
  text += "\nto reproduce:\n";
  for (const auto& one : search.best)
    text += wrapped(one.command, {0, layout.indent});
  if (!search.assumed.empty())
    text += '\n' +
            wrapped(fmt::format("assumed, without a source: {}", fmt::join(search.assumed, ", ")), {layout.width, 0});
  return text;
}

std::string plan_json(const PlanSearch& search) {
  nlohmann::ordered_json json;
  json["version"] = search.version;
  json["model"] = search.model;
  json["platform"] = search.platform;
  json["device"] = search.device;
  json["gpus"] = search.gpus;
  json["parameters"] = search.parameters;
  json["global_batch"] = search.global_batch;
  json["sequence"] = search.sequence;
  json["hbm_capacity_bytes"] = search.hbm_capacity;
  json["objective"] = search.objective;
  json["settings"] = search.settings;
  json["digests"] = search.digests;
  json["assumed"] = search.assumed;
  auto& proof = json["proof"];
  proof["proven"] = search.proven;
  proof["tolerance"] = search.tolerance;
  proof["enumerated"] = search.enumerated;
  proof["refused"] = nlohmann::ordered_json::object();
  for (const auto& [reason, plans] : search.refused)
    proof["refused"][reason] = plans;
  proof["out_of_memory"] = search.out_of_memory;
  proof["out_of_memory_simulated"] = search.out_of_memory_simulated;
  proof["simulated"] = search.simulated;
  proof["pruned"] = search.pruned;
  proof["best_pruned"] = search.best_pruned;
  proof["best_pruned_bound_s"] = search.best_pruned_bound_s;
  if (search.objective == "energy")
    proof["best_pruned_bound_j"] = search.best_pruned_bound_j;
  proof["mean_gap"] = search.mean_gap;
  proof["largest_gap"] = search.largest_gap;
  for (const auto& one : search.best)
    json["best"].push_back(case_json(one));
  json["front_proven"] = search.front_proven;
  for (const auto& one : search.front)
    json["front"].push_back(case_json(one));
  return json_text(json);
}

std::string plan_csv(const PlanSearch& search) {
  std::string text = "model,platform,device,global_batch,sequence,gpus,tp,cp,ep,pp,dp,vpp,schedule,micro_batch,"
                     "sequence_parallel,zero,recompute,strategies,rank,on_front,iteration_s,bound_s,tokens_per_s,"
                     "tokens_per_gpu_hour,mfu,peak_memory_bytes,energy_j,j_per_token\r\n";
  const auto add = [&](const PlannedCase& one, const std::string& rank, bool on_front) {
    const std::vector<std::string> fields{csv_field(search.model),
                                          csv_field(search.platform),
                                          csv_field(search.device),
                                          std::to_string(search.global_batch),
                                          std::to_string(search.sequence),
                                          std::to_string(one.gpus),
                                          std::to_string(one.tp),
                                          std::to_string(one.cp),
                                          std::to_string(one.ep),
                                          std::to_string(one.pp),
                                          std::to_string(one.dp),
                                          std::to_string(one.vpp),
                                          one.schedule,
                                          std::to_string(one.micro_batch),
                                          one.sequence_parallel ? "1" : "0",
                                          std::to_string(one.zero),
                                          one.recompute,
                                          csv_field(one.strategies),
                                          rank,
                                          on_front ? "1" : "0",
                                          number(one.iteration_s),
                                          number(one.bound_s),
                                          number(one.tokens_per_s),
                                          number(one.tokens_per_gpu_hour),
                                          number(one.mfu),
                                          number(one.peak_memory_bytes),
                                          one.energy_j > 0.0 ? number(one.energy_j) : "",
                                          one.energy_j > 0.0 ? number(one.j_per_token) : ""};
    text += fmt::format("{}\r\n", fmt::join(fields, ","));
  };
  const auto is_in = [](const std::vector<PlannedCase>& list, const PlannedCase& one) {
    return std::any_of(list.begin(), list.end(),
                       [&](const PlannedCase& other) { return other.command == one.command; });
  };
  for (std::size_t i = 0; i < search.best.size(); ++i)
    add(search.best[i], std::to_string(i + 1), is_in(search.front, search.best[i]));
  for (const auto& one : search.front)
    if (!is_in(search.best, one))
      add(one, "", true);
  return text;
}

} // namespace tandem::report
