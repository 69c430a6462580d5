// Closed-form lower bounds: no schedule on the cluster can beat them.
#pragma once

#include "collective/strategy.h"

namespace tandem::collective {

/// Time that the collective needs at least, by bytes and the bandwidth of all links at a GPU. 0 for one rank.
///  - Reduce-scatter: (N-1)/N x bytes must leave each GPU, its contributions to the others' chunks. All-gather: as much
///    must enter each. The GPU with the narrowest connection decides.
///  - All-reduce: each GPU sends at least `bytes` (its contributions, or the sum that others made it part of), and all
///    together send 2 (N-1) x bytes: N-1 messages per element to make the sum, N-1 to spread it.
base::Seconds communication_bound(const model::CollectiveOp& op, const model::Cluster& cluster);

/// Time of the GEMM at its inner loop's rate on all SMs, without launch, waves or memory.
base::Seconds compute_bound(const model::Gemm& gemm, const model::Device& device);

/// The larger of the two: compute and communication may overlap in full. `wire_factor`: a byte of data is at least this
/// many on the links.
base::Seconds lower_bound(const Request& request, const model::Cluster& cluster, double wire_factor = 1.0);

} // namespace tandem::collective
