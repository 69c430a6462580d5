// The links that routes cross as a graph: what can flow from some ranks to all others.
#pragma once

#include "collective/flow_network.h"
#include "model/cluster.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tandem::collective {

/// Sets that grow together.
class Joined {
public:
  int add() {
    parents_.push_back(static_cast<int>(parents_.size()));
    return parents_.back();
  }
  int root(int point) {
    while (at(point) != point)
      point = at(point) = at(at(point));
    return point;
  }
  void join(int a, int b) { at(root(a)) = root(b); }
  [[nodiscard]] std::size_t size() const { return parents_.size(); }

private:
  int& at(int point) { return parents_[static_cast<std::size_t>(point)]; }
  std::vector<int> parents_;
};

/// Where a link ends and the next one of a route begins is one point, and so is a GPU with the ends of its routes. What
/// routes can carry together this graph can carry as well, and more: it mixes them.
class LinkGraph {
public:
  static constexpr double UNLIMITED = std::numeric_limits<double>::infinity();

  /// Of the first `ranks`, without a route yet.
  LinkGraph(const model::Cluster& cluster, int ranks);

  void add(int from, int to, const model::Route& route);
  /// Bytes/s from the ranks [first, last) to all others, or back.
  [[nodiscard]] double flow(int first, int last, bool outwards);

  /// flow() of one rank, and marks where it is held up. Precondition: at most 64 calls, behind the last add().
  double waist(int rank, bool outwards);
  /// The waists, as bits in the order of the calls, that a route might widen that is not in the graph. Another route
  /// never makes a flow smaller; where no link of its own begins or ends on the rank's side of the waist, it leaves the
  /// flow as it is.
  [[nodiscard]] std::uint64_t widened_by(int from, int to, const model::Route& route) const;

private:
  struct Wire {
    int begin, end; ///< points
    double capacity;
  };
  /// From the ranks to all others, or back. None: no link is between the two. `places`: by the root of a point.
  [[nodiscard]] std::optional<FlowNetwork> network(int first, int last, bool outwards,
                                                   std::vector<std::uint32_t>& places);

  const model::Cluster& cluster_;
  int ranks_;
  Joined points_; ///< the ranks first
  std::vector<Wire> wires_;
  std::unordered_map<std::size_t, std::size_t> numbers_; ///< in wires_, by the link's index
  std::vector<std::uint64_t> inside_;                    ///< by point: the waists on whose rank's side it is
  std::uint32_t waists_ = 0;
};

} // namespace tandem::collective
