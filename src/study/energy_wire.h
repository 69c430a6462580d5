// Energy between the process that simulates and the one that reports, with every digit.
#pragma once

#include "model/energy.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace tandem::model {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankEnergy, idle_j, compute_j, memory_j)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LinkEnergy, medium, links, bytes, joules, busiest, busiest_j)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EnergyUse, ranks, links)

} // namespace tandem::model

namespace tandem::study {

/// null: not asked for.
inline nlohmann::json energy_wire(const std::optional<model::EnergyUse>& use) {
  return use ? nlohmann::json(*use) : nlohmann::json(nullptr);
}
inline std::optional<model::EnergyUse> from_energy_wire(const nlohmann::json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<model::EnergyUse>());
}

} // namespace tandem::study
