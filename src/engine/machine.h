// The simulated machine: for each rank a host for its SMs and one for its HBM, the links, and routes for the pairs that
// talk.
#pragma once

#include "engine/simgrid.h"
#include "model/cluster.h"
#include "model/schedule.h"

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
  model::Medium medium = model::Medium::OTHER;
  double latency_s = 0.0; ///< paid by the receiving actor: SimGrid's links carry bandwidth only
};

/// Half of a path, between a GPU and the switch in the middle of it.
struct HalfPath {
  sg4::Host* from = nullptr;
  sg4::Host* to = nullptr;
  std::vector<model::LinkId> links;
  double bandwidth = 0.0;
};

class Machine {
public:
  using Pair = std::pair<int, int>;
  /// Pairs (from, to) that talk, and the legs of those whose switch takes part.
  struct Talk {
    std::set<Pair> pairs;
    std::set<std::pair<Pair, model::Leg>> legs;
  };
  /// Builds SimGrid's resources for GPUs 0 .. ranks-1 and routes for those that talk. Throws UserError as
  /// Cluster::route does.
  Machine(const model::Cluster& cluster, int ranks, const Talk& talk);

  [[nodiscard]] const GpuHosts& gpu(int rank) const { return gpus_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const model::Device& device(int rank) const {
    return *cluster_.gpus[static_cast<std::size_t>(rank)].device;
  }
  /// HBM bandwidth that kernels and transfers reach, bytes per second.
  [[nodiscard]] double hbm_rate(int rank) const;
  [[nodiscard]] const Path& path(int from, int to) const { return paths_.at({from, to}); }
  /// Precondition: leg is not WHOLE.
  [[nodiscard]] const HalfPath& half(int from, int to, model::Leg leg) const { return halves_.at({{from, to}, leg}); }
  [[nodiscard]] std::size_t links() const { return cluster_.links.size(); }

private:
  /// Makes the links of the cluster when a route needs them.
  class Wiring;
  void add_half(Wiring& wiring, const Pair& pair, model::Leg leg);

  const model::Cluster& cluster_;
  std::vector<GpuHosts> gpus_;
  std::map<std::pair<Pair, model::Leg>, HalfPath> halves_;
  std::set<std::pair<sg4::Host*, sg4::Host*>> routed_; ///< halves that have their route
  std::map<Pair, Path> paths_;
};

} // namespace tandem::engine
