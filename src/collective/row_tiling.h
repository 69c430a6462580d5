// The input of a GEMM that an all-gather brings, as pieces: a piece is the rows of A that one row of output tiles
// reads, and each rank makes the tiles of the own rows first.
#pragma once

#include "collective/strategy.h"
#include "collective/tiling.h"

#include <vector>

namespace tandem::collective {

/// Chunk c holds the rows of tile rows [c T / N, (c + 1) T / N) of all batches. Where chunks differ by one, the shorter
/// ones end with an empty piece. At position p a rank makes the tiles that read the chunk of rank - p, which a ring
/// brings p-th; a position has as many slots on every rank.
class RowTiling {
public:
  /// Precondition: the request has a consumer.
  RowTiling(const Request& request, const model::Device& device);

  [[nodiscard]] std::uint32_t pieces_per_chunk() const { return pieces_per_chunk_; }
  [[nodiscard]] int columns() const { return grid_.columns; }
  [[nodiscard]] std::vector<double> piece_bytes() const;
  /// Stages on all SMs, position by position; in each along the shorter edge of its tiles first, as TileGrid does. The
  /// L2's misses are those of rank 0's order; other ranks' differ only at the edges of the grid.
  [[nodiscard]] std::vector<model::Stage> stages(model::OutputPath path) const;
  /// The rows that a stage reads, by position. Rows in between that earlier stages read are among them.
  [[nodiscard]] std::vector<Segment> segments(const model::Stage& stage) const;

private:
  [[nodiscard]] int first_row(int chunk) const;
  [[nodiscard]] bool rows_first() const { return static_cast<int>(pieces_per_chunk_) < grid_.columns; }
  [[nodiscard]] int slots() const { return static_cast<int>(pieces_per_chunk_) * grid_.columns; } ///< of a position
  [[nodiscard]] int row_of(int slot) const;
  [[nodiscard]] int tile_at(int row, int column) const;

  model::Gemm gemm_;
  const model::Device& device_;
  int ranks_;
  model::TileGrid grid_;
  std::uint32_t pieces_per_chunk_;
};

/// Offset of the owner of the chunk that a rank works on at `position`.
constexpr int gathered_at(int position) {
  return -position;
}

} // namespace tandem::collective
