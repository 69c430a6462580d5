// What can leave and enter sets of ranks at most, by max-flow over the links, and how long a message takes at least.
#pragma once

#include "model/cluster.h"

#include <vector>

namespace tandem::collective {

/// The ranks [first, last) against all others.
struct Cut {
  int first = 0, last = 0;
  double out = 0.0, in = 0.0;                 ///< bytes/s; infinite where no link limits
  double out_latency = 0.0, in_latency = 0.0; ///< s, of a message across, at least
  [[nodiscard]] int inside() const { return last - first; }
  [[nodiscard]] bool has(int rank) const { return rank >= first && rank < last; }
};

/// Looked at once for all sizes. Up to 64 ranks every route is seen; above, those of the first node's ranks (of the
/// first 16 where nodes are not alike) up to 1024 ranks, and only of a few above.
class Cuts {
public:
  Cuts(const model::Cluster& cluster, int ranks);
  /// Single ranks first, then the first node and the first half.
  [[nodiscard]] const std::vector<Cut>& all() const { return cuts_; }
  /// What all ranks can send together; infinite where that is not known.
  [[nodiscard]] double out_of_ranks() const { return out_of_ranks_; }
  /// What all nodes can send to each other together, and how many they are; infinite and 0 where they are not alike.
  [[nodiscard]] double out_of_nodes() const { return out_of_nodes_; }
  [[nodiscard]] int nodes() const { return nodes_; }
  /// Of the fastest way from rank to rank over any others, s; 0 above 64 ranks.
  [[nodiscard]] double latency(int from, int to) const;
  /// The largest of them; above 64 ranks the largest that it takes at least to reach a rank that was looked at.
  [[nodiscard]] double farthest() const { return farthest_; }

  /// A message's way from rank to rank, latency in s.
  struct Way {
    int from, to;
    double latency;
  };

private:
  void find_latencies(const std::vector<Way>& ways);

  std::vector<Cut> cuts_;
  std::vector<double> latencies_; ///< [from * ranks + to]; empty above 64 ranks
  int ranks_, nodes_ = 0;
  double out_of_ranks_, out_of_nodes_, farthest_ = 0.0;
};

} // namespace tandem::collective
