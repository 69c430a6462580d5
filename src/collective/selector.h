// Chooses algorithm and protocol of a collective as NCCL's tuner does: the pair whose latency + bytes / bandwidth is
// least, with the costs of the platform's communication library.
#pragma once

#include "collective/strategy.h"

#include <string>
#include <vector>

namespace tandem::collective {

struct Choice {
  std::string algorithm, protocol; ///< "ring", "LL128"
  std::string strategy;            ///< that plays it: "ring:protocol=ll128:order=links"
  double predicted_s = 0.0;
};

/// All pairs of the library that do the operation on this machine, the best first. Precondition: the cluster has a
/// library.
std::vector<Choice> choices(const model::CollectiveOp& op, const model::Cluster& cluster);

/// "ring LL128 58.1 us, ring Simple 81.5 us, ..."
std::string to_string(const std::vector<Choice>& choices);

} // namespace tandem::collective
