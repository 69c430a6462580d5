// The least energy that a schedule's work takes beyond the idle power, however long it lasts.
#pragma once

#include "model/cluster.h"
#include "model/energy.h"
#include "model/schedule.h"

#include <cstdint>
#include <vector>

namespace tandem::study {

class ScheduleEnergy {
public:
  /// `cluster` outlives it. Throws UserError when a device does not state what it draws.
  explicit ScheduleEnergy(const model::Cluster& cluster);

  /// Joules, the mean over the members: SM work and memory traffic as they are booked (docs/models.md, "Energy"), and
  /// what is sent over the cheapest way that any two GPUs of one node, or of two, have. No other group that lies in its
  /// nodes as this one does takes less.
  [[nodiscard]] double per_rank(const model::Schedule& schedule, const std::vector<std::uint32_t>& members) const;
  /// Least idle power of the devices, watts.
  [[nodiscard]] double idle_w() const { return costs_.idle_w; }

private:
  [[nodiscard]] double way_cost(const model::Route& route) const;
  [[nodiscard]] double memory_amount(const std::vector<model::Traffic>& traffic, double bytes) const;

  const model::Cluster& cluster_;
  model::EnergyCosts costs_; ///< each the least of the devices
  double copy_bandwidth_ = 0.0, update_cost_ = 0.0;
  double in_node_byte_j_ = 0.0, between_nodes_byte_j_ = 0.0; ///< of a whole way
};

} // namespace tandem::study
