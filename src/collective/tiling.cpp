// Tiles to pieces, chunks and staggered stages.
#include "collective/tiling.h"

#include <algorithm>

namespace tandem::collective {

Tiling::Tiling(const Request& request, const model::Device& device)
    : gemm_(*request.producer), device_(device), ranks_(request.op.ranks),
      tiles_(model::tile_grid(gemm_, device).tiles()),
      pieces_per_chunk_(static_cast<std::uint32_t>((tiles_ + ranks_ - 1) / ranks_)) {}

int Tiling::first_tile(int chunk) const {
  return static_cast<int>(static_cast<std::int64_t>(chunk) * tiles_ / ranks_);
}

std::vector<double> Tiling::piece_bytes() const {
  std::vector<double> bytes;
  for (int chunk = 0; chunk < ranks_; ++chunk)
    for (int piece = 0; piece < static_cast<int>(pieces_per_chunk_); ++piece) {
      const int tile = first_tile(chunk) + piece;
      bytes.push_back(tile < first_tile(chunk + 1) ? model::tile_bytes(gemm_, device_, tile).value() : 0.0);
    }
  return bytes;
}

std::vector<model::Stage> Tiling::stages(model::OutputPath path) const {
  std::vector<int> order;
  for (int position = 0; position < ranks_; ++position) {
    const int chunk = (ranks_ + owner_at(position)) % ranks_;
    for (int piece = 0; piece < static_cast<int>(pieces_per_chunk_); ++piece) {
      const int tile = first_tile(chunk) + piece;
      order.push_back(tile < first_tile(chunk + 1) ? tile : model::NO_TILE);
    }
  }
  return model::gemm_stages(gemm_, device_, device_.sms, path, order);
}

std::vector<Segment> Tiling::segments(const model::Stage& stage) const {
  std::vector<Segment> result;
  const int per_chunk = static_cast<int>(pieces_per_chunk_);
  for (int slot = stage.first; slot < stage.first + stage.count;) {
    const int position = slot / per_chunk;
    const int end = std::min(stage.first + stage.count, (position + 1) * per_chunk);
    result.push_back(
        {position, static_cast<std::uint32_t>(slot - position * per_chunk), static_cast<std::uint32_t>(end - slot)});
    slot = end;
  }
  return result;
}

} // namespace tandem::collective
