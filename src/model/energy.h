// Energy of what was played: idle power for as long as it takes, and what each unit of work costs on top.
#pragma once

#include "model/cluster.h"
#include "model/medium.h"
#include "model/recording.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::model {

/// Joules of one rank, or their sum over ranks.
struct RankEnergy {
  double idle_j = 0.0;    ///< the idle power for the whole time
  double compute_j = 0.0; ///< work of the SMs
  double memory_j = 0.0;  ///< reads and writes of the memory
  [[nodiscard]] double total() const { return idle_j + compute_j + memory_j; }
};

/// All links of one medium that carried something.
struct LinkEnergy {
  std::string medium;
  std::uint64_t links = 0;
  double bytes = 0.0; ///< each counted on every link that it crosses
  double joules = 0.0;
  std::string busiest; ///< the link that took most; the first of equals
  double busiest_j = 0.0;
};

struct EnergyUse {
  RankEnergy ranks;              ///< over all ranks
  std::vector<LinkEnergy> links; ///< in the order of Medium
  [[nodiscard]] double links_j() const;
  [[nodiscard]] double total() const { return ranks.total() + links_j(); }
};

/// What work costs on one device; all of it on top of the idle power. docs/models.md, "Energy".
struct EnergyCosts {
  double idle_w = 0.0;
  double sm_second_j = 0.0; ///< of one SM at work for a second
  double memory_byte_j = 0.0;
  double link_byte_j = 0.0, network_byte_j = 0.0;
};

/// Throws UserError that names the device and the keys that it lacks, or when idle and memory alone exceed the TDP.
EnergyCosts energy_costs(const Device& device);

/// Throws as energy_costs() for the first device that does not state what it draws.
void require_power(const Cluster& cluster);

/// Of one rank of a class in `seconds`, when what was recorded is the work of `times` as long: that of one iteration of
/// several. Throws as energy_costs().
RankEnergy rank_energy(const Recording& recording, const Cluster& cluster, std::uint32_t rank, double seconds,
                       double times = 1.0);

/// Of all ranks, each class as often as it has ranks, and of all links, which cost what GPU 0's device says.
EnergyUse energy_use(const Recording& recording, const Cluster& cluster, double seconds, double times = 1.0);

/// Whether only energy rests on this key of a device file.
bool for_energy_only(std::string_view key);

} // namespace tandem::model
