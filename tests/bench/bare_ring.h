// A ring all-reduce written straight against SimGrid, with nothing that a simulator of training would add: the
// yardstick for the engine's speed.
#pragma once

#include "model/cluster.h"

#include <cstdint>
#include <vector>

namespace tandem::bench {

struct Played {
  double end_s = 0.0;
  std::uint64_t activities = 0;
};

/// Plays on GPUs 0 .. ranks-1 of a ring the same messages, memory accesses and SM work as the schedule of `sequential`
/// on all SMs: per message one comm through a mailbox, one memory read, one memory write at the peer and one SM work,
/// of the same amounts, bounds and priorities. Once per process.
Played play_bare_ring(const model::Cluster& cluster, int ranks, double bytes);

/// Each GPU sends so many messages to the next one and nothing else, each once the one before has left and the one
/// from the neighbour is there.
struct Messages {
  int count = 0;
  double bytes = 0.0;
  std::vector<double> starts_s; ///< by rank
};
/// Those, one comm each. Once per process.
Played play_bare_messages(const model::Cluster& cluster, const Messages& messages);

} // namespace tandem::bench
