// Shares of the energy, parts that sum to it.
#include "report/energy_report.h"

#include "report/numbers.h"

#include <array>
#include <fmt/format.h>
#include <utility>

namespace tandem::report {

using Json = nlohmann::ordered_json;
using model::EnergyUse;

std::string joules_text(double joules) {
  constexpr std::array UNITS{std::pair{1e9, "GJ"},  std::pair{1e6, "MJ"},  std::pair{1e3, "kJ"}, std::pair{1.0, "J"},
                             std::pair{1e-3, "mJ"}, std::pair{1e-6, "uJ"}, std::pair{1e-9, "nJ"}};
  for (const auto& [unit, name] : UNITS)
    if (joules >= unit)
      return fmt::format("{:.4g} {}", joules / unit, name);
  return fmt::format("{:.4g} J", joules);
}

std::string energy_line(const EnergyUse& use, double seconds, int gpus) {
  const double all = use.total();
  auto text = fmt::format("{}, {:.4g} W per GPU on average", joules_text(all), all / seconds / gpus);
  const char* before = ": ";
  const auto add = [&](double part, const std::string& name) {
    text += fmt::format("{}{:.1f} % {}", before, 100.0 * part / all, name);
    before = ", ";
  };
  add(use.ranks.idle_j, "idle");
  add(use.ranks.compute_j, "SMs");
  add(use.ranks.memory_j, "memory");
  for (const auto& one : use.links)
    add(one.joules, one.medium + " links");
  return text;
}

Json rank_energy_json(const model::RankEnergy& energy, double seconds) {
  Json json;
  json["energy_j"] = energy.total();
  json["idle_j"] = energy.idle_j;
  json["compute_j"] = energy.compute_j;
  json["memory_j"] = energy.memory_j;
  json["power_w"] = energy.total() / seconds;
  return json;
}

Json energy_json(const EnergyUse& use, double seconds, int gpus) {
  Json json;
  json["energy_j"] = use.total();
  json["idle_j"] = use.ranks.idle_j;
  json["compute_j"] = use.ranks.compute_j;
  json["memory_j"] = use.ranks.memory_j;
  json["links_j"] = use.links_j();
  json["power_w_per_gpu"] = use.total() / seconds / gpus;
  json["links"] = Json::array();
  for (const auto& one : use.links)
    json["links"].push_back({{"medium", one.medium},
                             {"links", one.links},
                             {"bytes", one.bytes},
                             {"energy_j", one.joules},
                             {"busiest", one.busiest},
                             {"busiest_j", one.busiest_j}});
  return json;
}

std::vector<std::string> energy_columns() {
  return {"energy_j", "idle_j", "sm_energy_j", "memory_energy_j", "link_energy_j"};
}

std::vector<std::string> energy_fields(const std::optional<EnergyUse>& use) {
  if (!use)
    return std::vector<std::string>(energy_columns().size());
  return {number(use->total()), number(use->ranks.idle_j), number(use->ranks.compute_j), number(use->ranks.memory_j),
          number(use->links_j())};
}

} // namespace tandem::report
