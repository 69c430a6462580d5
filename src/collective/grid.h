// Ranks on a grid, and collectives that go through its dimensions one after the other.
#pragma once

#include "collective/group.h"
#include "model/collective_op.h"

#include <string>
#include <vector>

namespace tandem::collective {

/// Rank r has the coordinate r mod dims[0] in dimension 0, which changes fastest, as in a torus of SimGrid.
class Grid {
public:
  explicit Grid(std::vector<int> dims) : dims_(std::move(dims)) {}
  [[nodiscard]] int dimensions() const { return static_cast<int>(dims_.size()); }
  [[nodiscard]] int size(int dimension) const { return dims_[static_cast<std::size_t>(dimension)]; }
  [[nodiscard]] int ranks() const;
  [[nodiscard]] int coordinate(int rank, int dimension) const;
  /// The ranks that differ from `rank` in one coordinate, in its order.
  [[nodiscard]] Group line(int rank, int dimension) const;
  /// What each place of the line owns of the chunks whose owner has the coordinates of `rank` in the dimensions
  /// `fixed`.
  [[nodiscard]] std::vector<Spans> shares(const Composer& composer, Slice slice, int rank,
                                          const std::vector<int>& fixed, int dimension, bool side_by_side) const;
  /// Ranks that differ in the last coordinate only see the same of the grid: as many ranks see different things.
  [[nodiscard]] int different_ranks() const { return ranks() / dims_.back(); }

private:
  std::vector<int> dims_;
};

/// How a slice goes through the grid.
struct Journey {
  struct Leg {
    std::string name; ///< begins the labels
    int dimension = 0;
    GroupAlgorithm algorithm = GroupAlgorithm::RING;
  };
  std::vector<Leg> legs; ///< of sums, in their order; results come back the other way. Trees: on the last only
  Slice slice;
  int sms = 0; ///< of each transfer's kernel
  int first_channel = 0;
  bool side_by_side = false; ///< of an all-reduce on programs that no two ranks share: Grid::shares()

  /// From `first_channel` on.
  [[nodiscard]] int channels() const { return 2 * static_cast<int>(legs.size()); }
};

/// The part of `rank`, for an all-reduce, a reduce-scatter or an all-gather: leg by leg. Returns the end.
OpId append_journey(Composer& composer, const Grid& grid, const Journey& journey, int rank, model::CollectiveKind kind,
                    OpId begin);

} // namespace tandem::collective
