// A ring all-reduce written straight against SimGrid, with nothing that a simulator of training would add: the
// yardstick for the engine's speed.
#pragma once

#include "model/cluster.h"

#include <cstdint>

namespace tandem::bench {

struct Played {
  double end_s = 0.0;
  std::uint64_t activities = 0;
};

/// Plays on GPUs 0 .. ranks-1 of a ring the same messages, memory accesses and SM work as the schedule of `sequential`
/// on all SMs: per message one comm through a mailbox, one memory read, one memory write at the peer and one SM work,
/// of the same amounts, bounds and priorities. Once per process.
Played play_bare_ring(const model::Cluster& cluster, int ranks, double bytes);

} // namespace tandem::bench
