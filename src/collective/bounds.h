// Closed-form lower bounds: no schedule on the cluster can beat them.
#pragma once

#include "collective/strategy.h"

namespace tandem::collective {

/// Time that the collective needs at least, by bytes that must leave (reduce-scatter, all-reduce) or enter (all-gather)
/// a GPU and the bandwidth of all links at it: RS and AG (N-1)/N x bytes, AR twice that, over the GPU with the
/// narrowest connection. 0 for one rank.
base::Seconds communication_bound(const model::CollectiveOp& op, const model::Cluster& cluster);

/// Time of the GEMM at its inner loop's rate on all SMs, without launch, waves or memory.
base::Seconds compute_bound(const model::Gemm& gemm, const model::Device& device);

/// The larger of the two: compute and communication may overlap in full.
base::Seconds lower_bound(const Request& request, const model::Cluster& cluster);

} // namespace tandem::collective
