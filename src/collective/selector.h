// Chooses algorithm and protocol of a collective as NCCL's tuner does: the pair whose latency + bytes / bandwidth is
// least, with the costs of the platform's communication library.
#pragma once

#include "collective/strategy.h"

#include <memory>
#include <string>
#include <vector>

namespace tandem::collective {

struct Choice {
  std::string algorithm, protocol; ///< "ring", "LL128"
  std::string strategy;            ///< that plays it: "ring:protocol=ll128:order=links"
  double predicted_s = 0.0;
};

/// What a tuner sees of a machine, looked at once for many sizes.
class Tuner {
public:
  Tuner(model::CollectiveKind kind, int ranks, const model::Cluster& cluster);
  ~Tuner();
  /// All pairs of `library` that do the operation on this machine, the best first.
  [[nodiscard]] std::vector<Choice> choices(double bytes, const model::Library& library) const;
  class Shape;

private:
  std::unique_ptr<const Shape> shape_;
};

/// All pairs of the library that do the operation on this machine, the best first. Precondition: the cluster has a
/// library.
std::vector<Choice> choices(const model::CollectiveOp& op, const model::Cluster& cluster);

/// "ring LL128 58.1 us, ring Simple 81.5 us, ..."
std::string to_string(const std::vector<Choice>& choices);

} // namespace tandem::collective
