// Costs by what was done, so that energy depends on time only through the idle power.
#include "model/energy.h"

#include "base/error.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tandem::model {

namespace {

/// Bytes that the memory has to take, an update as what it costs in time (NearMemory::update_cost).
double memory_bytes(const DramBytes& dram, const Device& device) {
  double sum = 0.0;
  for (const auto& account : dram.bytes)
    sum += account[static_cast<std::size_t>(Access::READ)] + account[static_cast<std::size_t>(Access::WRITE)] +
           account[static_cast<std::size_t>(Access::UPDATE)] * device.near_memory.update_cost;
  return sum;
}

RankEnergy class_energy(const Recording& recording, const Device& device, std::size_t number, double seconds,
                        double times) {
  const auto costs = energy_costs(device);
  return {costs.idle_w * seconds, costs.sm_second_j * recording.sm_seconds[number] / times,
          costs.memory_byte_j * memory_bytes(recording.dram[number], device) / times};
}

} // namespace

double EnergyUse::links_j() const {
  double sum = 0.0;
  for (const auto& one : links)
    sum += one.joules;
  return sum;
}

EnergyCosts energy_costs(const Device& device) {
  const auto& power = device.power;
  std::vector<std::string> missing;
  const auto need = [&](bool stated, const char* key) {
    if (!stated)
      missing.emplace_back(key);
  };
  need(power.idle.has_value(), "power.idle");
  need(power.tdp.has_value(), "power.tdp");
  need(power.hbm.has_value(), "power.hbm");
  need(power.link.has_value(), "power.link");
  need(power.network.has_value(), "power.network");
  if (!missing.empty())
    throw base::UserError({.file = device.file},
                          fmt::format("energy: the device {} does not state {}; add what is missing to the file, or "
                                      "give it as --set device.{}=...",
                                      device.name, fmt::join(missing, ", "), missing.front()));
  const Watts memory = *power.hbm * device.hbm_bandwidth;
  const Watts most = power.limit ? std::min(*power.limit, *power.tdp) : *power.tdp;
  const double left = (most - *power.idle - memory).value();
  if (left < 0.0)
    throw base::UserError({.file = device.file},
                          fmt::format("energy: of the device {}, power.idle {:.4g} W and the memory at its bandwidth, "
                                      "{:.4g} W, exceed {} {:.4g} W",
                                      device.name, power.idle->value(), memory.value(),
                                      most < *power.tdp ? "power.limit" : "power.tdp", most.value()));
  return {power.idle->value(), left / device.sms, power.hbm->value(), power.link->value(), power.network->value()};
}

void require_power(const Cluster& cluster) {
  const SharedDevice* checked = nullptr;
  for (const auto& gpu : cluster.gpus) {
    if (checked == nullptr || !checked->is(gpu.device))
      (void)energy_costs(*gpu.device);
    checked = &gpu.device;
  }
}

RankEnergy rank_energy(const Recording& recording, const Cluster& cluster, std::uint32_t rank, double seconds,
                       double times) {
  const auto number = recording.class_of.empty() ? rank : recording.class_of[rank];
  return class_energy(recording, *cluster.gpus[rank].device, number, seconds, times);
}

EnergyUse energy_use(const Recording& recording, const Cluster& cluster, double seconds, double times) {
  EnergyUse use;
  const auto sizes = recording.class_sizes();
  std::vector<bool> seen(sizes.size(), false);
  for (std::uint32_t rank = 0; rank < static_cast<std::uint32_t>(recording.ranks); ++rank) {
    const auto number = recording.class_of.empty() ? rank : recording.class_of[rank];
    if (seen[number])
      continue;
    seen[number] = true;
    const auto one = class_energy(recording, *cluster.gpus[rank].device, number, seconds, times);
    use.ranks.idle_j += one.idle_j * sizes[number];
    use.ranks.compute_j += one.compute_j * sizes[number];
    use.ranks.memory_j += one.memory_j * sizes[number];
  }
  const auto costs = energy_costs(*cluster.gpus.front().device);
  std::array<LinkEnergy, MEDIA> media;
  for (std::size_t link = 0; link < recording.link_bytes.size(); ++link) {
    if (recording.link_bytes[link] <= 0.0)
      continue;
    const auto described = cluster.links.at(link);
    auto& sum = media[static_cast<std::size_t>(described.medium)];
    const double each = described.medium == Medium::NETWORK ? costs.network_byte_j : costs.link_byte_j;
    const double bytes = recording.link_bytes[link] / times;
    ++sum.links;
    sum.bytes += bytes;
    sum.joules += bytes * each;
    if (bytes * each > sum.busiest_j || sum.busiest.empty()) {
      sum.busiest_j = bytes * each;
      sum.busiest = described.name;
    }
  }
  for (std::size_t medium = 0; medium < MEDIA; ++medium)
    if (media[medium].links > 0) {
      media[medium].medium = medium_name(static_cast<Medium>(medium));
      use.links.push_back(std::move(media[medium]));
    }
  return use;
}

bool for_energy_only(std::string_view key) {
  return key.starts_with("power.");
}

} // namespace tandem::model
