// A GEMM's output as pieces: every tile is a piece, chunks are runs of tiles, and each rank makes the chunk that its
// ring needs first.
#pragma once

#include "collective/composer.h"
#include "model/gemm.h"

#include <cstdint>
#include <vector>

namespace tandem::collective {

/// Part of a stage that lies in one chunk: pieces [first, first + count) of the chunk made at `position` (0: first;
/// ranks - 1: the own chunk).
struct Segment {
  int position = 0;
  std::uint32_t first = 0, count = 0;
  [[nodiscard]] bool overlaps(const Segment& other) const {
    return position == other.position && first < other.first + other.count && other.first < first + count;
  }
};

/// An operation that writes the pieces of a segment, or brings them in.
struct Writer {
  Segment segment;
  OpId op;
};

/// Chunk c holds tiles [c T / N, (c + 1) T / N) of the kernel's own order. Where chunks differ by a tile, the shorter
/// ones end with an empty piece.
class Tiling {
public:
  Tiling(const Request& request, const model::Device& device);

  [[nodiscard]] std::uint32_t pieces_per_chunk() const { return pieces_per_chunk_; }
  [[nodiscard]] std::vector<double> piece_bytes() const;
  /// Stages on all SMs in the staggered order: at position p a rank makes the chunk of rank - p - 1, its own last. The
  /// L2's misses are those of rank 0's order; other ranks' differ only at the edges of the grid.
  [[nodiscard]] std::vector<model::Stage> stages(model::OutputPath path) const;
  /// A stage by chunk, in order.
  [[nodiscard]] std::vector<Segment> segments(const model::Stage& stage) const;

private:
  [[nodiscard]] int first_tile(int chunk) const;

  model::Gemm gemm_;
  const model::Device& device_;
  int ranks_;
  int tiles_;
  std::uint32_t pieces_per_chunk_;
};

/// Offset of the owner of the chunk that a rank makes at `position`.
constexpr int owner_at(int position) {
  return -position - 1;
}

} // namespace tandem::collective
