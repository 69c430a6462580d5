// The simulated machine: for each GPU that is played a host for its SMs and one for its HBM, a link for each class of
// links, and ways for the flows.
#pragma once

#include "engine/folding.h"
#include "engine/simgrid.h"
#include "model/cluster.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::engine {

/// Hosts of one GPU. The SM host's speed is its number of SMs (work is in SM-seconds), the HBM host's is bytes per
/// second; a second of work on the clock takes a second, however much else is on it.
struct GpuHosts {
  sg4::Host* sm = nullptr;
  sg4::Host* hbm = nullptr;
  sg4::Host* clock = nullptr;
};

/// What a message of a flow class crosses.
struct Path {
  std::uint32_t flow = 0; ///< number of the flow class
  double links = 0.0;     ///< that one flow crosses, mean over its class
  double bandwidth = 0.0; ///< of the narrowest, bytes per second
  model::Medium medium = model::Medium::OTHER;
  double latency_s = 0.0; ///< paid by the receiving actor: SimGrid's links carry bandwidth only
  /// Ends of its bytes' way, where they do not go the way from the sender's SM host to the receiver's; else null.
  sg4::Host* from = nullptr;
  sg4::Host* to = nullptr;
};

class Machine {
public:
  /// Builds SimGrid's resources.
  Machine(const model::Cluster& cluster, const Folding& folding);

  /// GPUs are numbered by their class.
  [[nodiscard]] const GpuHosts& gpu(std::uint32_t number) const { return gpus_[number]; }
  [[nodiscard]] const model::Device& device(std::uint32_t number) const {
    return *cluster_.gpus[folding_.rank(number)].device;
  }
  /// HBM bandwidth that kernels and transfers reach, bytes per second.
  [[nodiscard]] double hbm_rate(std::uint32_t number) const;
  [[nodiscard]] const Path& path(std::uint32_t flow_class) const { return paths_[flow_class]; }

private:
  /// Makes links, and routes between hosts.
  class Wiring;
  void add_paths(Wiring& wiring, std::uint32_t number);
  [[nodiscard]] Path path_of(std::uint32_t flow_class) const;

  const model::Cluster& cluster_;
  const Folding& folding_;
  std::vector<GpuHosts> gpus_;
  std::vector<Path> paths_; ///< by flow class
};

} // namespace tandem::engine
