// A directed acyclic graph over 0 .. n-1, stored compactly; orders and cycles are Boost.Graph's work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tandem::model {

class Dag {
public:
  using Edge = std::pair<std::uint32_t, std::uint32_t>; ///< from, to

  Dag() = default;
  /// Keeps the successors of a node in the order of `edges`. Precondition: every end is below `nodes`.
  Dag(std::uint32_t nodes, const std::vector<Edge>& edges);

  [[nodiscard]] std::uint32_t size() const { return nodes_; }
  [[nodiscard]] std::size_t edges() const { return targets_.size(); }
  [[nodiscard]] std::span<const std::uint32_t> successors(std::uint32_t node) const;
  [[nodiscard]] const std::vector<std::uint32_t>& in_degrees() const { return in_degrees_; }
  /// Nodes of one cycle in order, empty when there is none.
  [[nodiscard]] std::vector<std::uint32_t> find_cycle() const;
  /// Every node after all its predecessors. Precondition: acyclic.
  [[nodiscard]] std::vector<std::uint32_t> topological_order() const;

private:
  std::uint32_t nodes_ = 0;
  std::vector<std::uint32_t> offsets_{0};
  std::vector<std::uint32_t> targets_;
  std::vector<std::uint32_t> in_degrees_;
};

} // namespace tandem::model
