// Energy in words, in JSON and in columns, the same wherever it is shown.
#pragma once

#include "model/energy.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tandem::report {

/// Four digits, from nJ to GJ: "1.234 kJ".
std::string joules_text(double joules);

/// "62.3 kJ, 312 W per GPU on average: 19.3 % idle, 60.1 % SMs, 12.2 % memory, 6.1 % nvlink links, 2.3 % network
/// links".
std::string energy_line(const model::EnergyUse& use, double seconds, int gpus);

/// `energy_j`, its parts, `power_w_per_gpu` and `links[]`.
nlohmann::ordered_json energy_json(const model::EnergyUse& use, double seconds, int gpus);

nlohmann::ordered_json rank_energy_json(const model::RankEnergy& energy, double seconds);

/// Names of the columns of a CSV, and their fields; all empty where energy was not asked for.
std::vector<std::string> energy_columns();
std::vector<std::string> energy_fields(const std::optional<model::EnergyUse>& use);

} // namespace tandem::report
