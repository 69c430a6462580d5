// When each rank of a ring reduce-scatter, all-gather or all-reduce ends, by recurrence: no simulation.
#pragma once

#include "model/collective_op.h"

#include <vector>

namespace tandem::test {

/// A ring of ranks alike whose memories never limit.
struct RingModel {
  int ranks = 1;
  double bytes = 0.0;
  double bandwidth = 1.0; ///< of a link
  double latency_s = 0.0;
  double launch_s = 0.0;
  double kernel_rate = 1.0; ///< bytes per second that the kernel's SMs load and store; infinite for a copy engine
  bool near_memory = false; ///< the receiving memory adds: no loads of incoming data, no reduction at the end
};

/// Per rank, when it has ended, if rank r begins at starts[r].
std::vector<double> ring_ends(const RingModel& ring, model::CollectiveKind kind, const std::vector<double>& starts);

/// The same for starts at 0 and `bytes` that N divides, in closed form.
double ring_time(const RingModel& ring, model::CollectiveKind kind);

} // namespace tandem::test
