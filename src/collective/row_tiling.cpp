// Rows to pieces, chunks and stages in the order of their arrival.
#include "collective/row_tiling.h"

#include <algorithm>

namespace tandem::collective {

RowTiling::RowTiling(const Request& request, const model::Device& device)
    : gemm_(*request.consumer), device_(device), ranks_(request.op.ranks), grid_(model::tile_grid(gemm_, device)),
      pieces_per_chunk_(static_cast<std::uint32_t>((grid_.rows * grid_.batch + ranks_ - 1) / ranks_)) {}

int RowTiling::first_row(int chunk) const {
  return static_cast<int>(std::int64_t{chunk} * grid_.rows * grid_.batch / ranks_);
}

std::vector<double> RowTiling::piece_bytes() const {
  std::vector<double> bytes;
  for (int chunk = 0; chunk < ranks_; ++chunk)
    for (int piece = 0; piece < static_cast<int>(pieces_per_chunk_); ++piece) {
      const int row = first_row(chunk) + piece;
      const auto above = std::int64_t{row % grid_.rows} * device_.tile_m;
      const auto height = std::min<std::int64_t>(device_.tile_m, gemm_.m - above);
      bytes.push_back(row < first_row(chunk + 1) ? static_cast<double>(height * gemm_.k * gemm_.element_bytes()) : 0.0);
    }
  return bytes;
}

/// Of a row of all batches.
int RowTiling::tile_at(int row, int column) const {
  const int in_batch = row % grid_.rows;
  const int before = row / grid_.rows * grid_.rows * grid_.columns;
  return before + (grid_.rows < grid_.columns ? column * grid_.rows + in_batch : in_batch * grid_.columns + column);
}

int RowTiling::row_of(int slot) const {
  return rows_first() ? slot % static_cast<int>(pieces_per_chunk_) : slot / grid_.columns;
}

std::vector<model::Stage> RowTiling::stages(model::OutputPath path) const {
  std::vector<int> order;
  for (int position = 0; position < ranks_; ++position) {
    const int chunk = (ranks_ + gathered_at(position)) % ranks_;
    for (int slot = 0; slot < slots(); ++slot) {
      const int row = first_row(chunk) + row_of(slot);
      const int column = rows_first() ? slot / static_cast<int>(pieces_per_chunk_) : slot % grid_.columns;
      order.push_back(row < first_row(chunk + 1) ? tile_at(row, column) : model::NO_TILE);
    }
  }
  return model::gemm_stages(gemm_, device_, device_.sms, path, order);
}

std::vector<Segment> RowTiling::segments(const model::Stage& stage) const {
  std::vector<Segment> result;
  for (int slot = stage.first; slot < stage.first + stage.count;) {
    const int position = slot / slots(), begin = position * slots();
    const int end = std::min(stage.first + stage.count, begin + slots());
    int first = row_of(slot - begin), last = row_of(end - 1 - begin);
    if (rows_first() && end - begin > static_cast<int>(pieces_per_chunk_)) { // around into another column
      first = 0;
      last = static_cast<int>(pieces_per_chunk_) - 1;
    }
    result.push_back({position, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last - first + 1)});
    slot = end;
  }
  return result;
}

} // namespace tandem::collective
