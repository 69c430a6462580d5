// Closed-form lower bounds: no schedule on the cluster can beat them.
#pragma once

#include "collective/cuts.h"
#include "collective/strategy.h"

namespace tandem::collective {

/// Time that the collective needs at least on the machine, s; docs/models.md, "Bounds". `wire_factor`: a byte of data
/// is at least this many on the links. 0 for one rank.
///  - Of every cut, what must cross it over the bandwidth across (max-flow), and the latency of the last message.
///  - All-reduce: all ranks together send 2 (N-1) x bytes, N-1 messages per element to make the sum, N-1 to spread it.
///    So do all nodes.
///  - Data reaches a rank no sooner than the latencies of the fastest way to it.
base::Seconds communication_bound(const Request& request, const model::Cluster& cluster, const Cuts& cuts,
                                  double wire_factor = 1.0);

/// Time of the GEMM at its inner loop's rate on all SMs, without launch, waves or memory.
base::Seconds compute_bound(const model::Gemm& gemm, const model::Device& device);

/// The larger of the two: compute and communication may overlap in full.
base::Seconds lower_bound(const Request& request, const model::Cluster& cluster, const Cuts& cuts,
                          double wire_factor = 1.0);
/// The same where the machine is looked at once only.
base::Seconds lower_bound(const Request& request, const model::Cluster& cluster, double wire_factor = 1.0);

} // namespace tandem::collective
