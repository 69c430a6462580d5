// The simulated machine: for each rank a host for its SMs and one for its HBM, the links, and routes for the pairs that
// talk.
#pragma once

#include "engine/simgrid.h"
#include "model/cluster.h"

#include <set>
#include <utility>
#include <vector>

namespace tandem::engine {

/// Hosts of one GPU. The SM host's speed is its number of SMs (work is in SM-seconds), the HBM host's is bytes per
/// second; a second of work on the clock takes a second, however much else is on it.
struct GpuHosts {
  sg4::Host* sm = nullptr;
  sg4::Host* hbm = nullptr;
  sg4::Host* clock = nullptr;
};

/// What a message between two ranks crosses.
struct Path {
  std::vector<model::LinkId> links;
  double bandwidth = 0.0; ///< of the narrowest link, bytes per second
  double latency_s = 0.0; ///< paid by the receiving actor: SimGrid's links carry bandwidth only
};

class Machine {
public:
  using Pair = std::pair<int, int>;
  /// Builds SimGrid's resources for GPUs 0 .. ranks-1 and routes for `talking` (from, to). Throws UserError as
  /// Cluster::route does.
  Machine(const model::Cluster& cluster, int ranks, const std::set<Pair>& talking);

  [[nodiscard]] const GpuHosts& gpu(int rank) const { return gpus_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const model::Device& device(int rank) const {
    return *cluster_.gpus[static_cast<std::size_t>(rank)].device;
  }
  /// HBM bandwidth that kernels and transfers reach, bytes per second.
  [[nodiscard]] double hbm_rate(int rank) const;
  [[nodiscard]] const Path& path(int from, int to) const { return paths_.at({from, to}); }
  [[nodiscard]] std::size_t links() const { return cluster_.links.size(); }

private:
  const model::Cluster& cluster_;
  std::vector<GpuHosts> gpus_;
  std::map<Pair, Path> paths_;
};

} // namespace tandem::engine
