// The least time that one rank needs for its part of a schedule, whatever else the machine does meanwhile.
#pragma once

#include "model/cluster.h"
#include "model/schedule.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tandem::study {

/// Seconds; each holds on its own. docs/models.md, "Bounds of an iteration".
struct PartBound {
  double seconds = 0.0;    ///< from the rank's begin to its end
  double sm = 0.0;         ///< its SM work on all SMs of the device
  double memory = 0.0;     ///< its own DRAM traffic at the memory's rate
  double first_send = 0.0; ///< from the rank's begin until its first message leaves
  double joules = 0.0;     ///< beyond the idle power, the mean over all ranks of its kind; only where it is asked for
  double received = 0.0;   ///< from the senders' first message to the rank's last arrival
};

/// Of `members[position]`, ranks of the cluster. The longest way through the rank's own operations: each takes at least
/// its delay and the largest of its work, traffic and bytes over what the SMs, the memory and the narrowest link of the
/// route can do; messages of a channel go one after the other. Precondition: the schedule has passed verify().
PartBound part_bound(const model::Schedule& schedule, const model::Cluster& cluster,
                     const std::vector<std::uint32_t>& members, std::size_t position);

} // namespace tandem::study
