// Which ranks form the tensor-, context-, expert-, data- and pipeline-parallel groups of a job.
#pragma once

#include "model/job.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tandem::workload {

/// Ranks along each dimension. Experts are cut over `ep` of the cp x dp ranks that hold the same other layers.
struct GridSizes {
  int tp = 1, cp = 1, ep = 1, dp = 1, pp = 1;
  [[nodiscard]] int ranks() const { return tp * cp * dp * pp; }
};

/// Places of ranks as Megatron-Core lays them out: `order` names the dimensions from the one whose neighbours have
/// neighbouring ranks outwards, "tp-cp-ep-dp-pp" by default. For the layers without experts ep is left out; for the
/// experts cp is, and dp is cp x dp / ep.
class RankGrid {
public:
  /// Throws UserError when `order` does not name each of tp, cp, ep, dp and pp once, or ep does not divide cp x dp.
  RankGrid(const GridSizes& sizes, const std::string& order);

  [[nodiscard]] const GridSizes& sizes() const { return sizes_; }
  [[nodiscard]] int ranks() const { return sizes_.ranks(); }
  [[nodiscard]] int stage(int rank) const;

  [[nodiscard]] model::Grouping tp() const;
  [[nodiscard]] model::Grouping cp() const;
  [[nodiscard]] model::Grouping ep() const;
  /// Ranks with the same layers and the same part of them: cp x dp, ordered by rank.
  [[nodiscard]] model::Grouping dp() const;
  /// The same for experts: cp x dp / ep.
  [[nodiscard]] model::Grouping expert_dp() const;
  /// Parts of a dp group: blocks of `size` neighbours, and the ranks with the same place in each block.
  [[nodiscard]] model::Grouping shards(int size) const;
  [[nodiscard]] model::Grouping replicas(int size) const;
  /// Pairs of a rank of stage `from` and the one of stage `to` that it hands its activations to.
  [[nodiscard]] model::Grouping stages(int from, int to) const;
  /// Every rank by itself.
  [[nodiscard]] model::Grouping alone() const;

private:
  enum Axis : std::uint8_t { TP, CP, EP, DP, PP, AXES };
  using Layout = std::array<int, AXES>; ///< by axis
  struct Place {
    Layout size{}, stride{};
    [[nodiscard]] int coordinate(int rank, Axis axis) const { return rank / stride[axis] % size[axis]; }
  };
  [[nodiscard]] Place laid_out(const Layout& size) const;
  /// Ranks that differ only along `axes`, ordered by rank.
  [[nodiscard]] model::Grouping along(const std::string& name, const Place& place, const std::vector<Axis>& axes) const;

  GridSizes sizes_;
  std::array<Axis, AXES> order_{};
  Place layers_, experts_;
};

} // namespace tandem::workload
