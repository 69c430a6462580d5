// A GEMM as the GPU runs it: output tiles, stages (waves) of tiles that fit at once, and what each stage reads and
// writes through the L2.
#pragma once

#include "model/device.h"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace tandem::model {

/// `batch` independent products C[m,n] = A[m,k] B[k,n] in one kernel, all operands of `element_bytes`.
struct Gemm {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t batch = 1;
  std::string precision = "fp16";
  /// How often an element of A, and of B, stands in the product while it lies in memory once: of a convolution by
  /// implicit GEMM (docs/models.md) as many times as filters cover it. The L2 catches the repetitions.
  double a_repeats = 1.0, b_repeats = 1.0;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads <=>
  auto operator<=>(const Gemm&) const = default;
  [[nodiscard]] int element_bytes() const;
  [[nodiscard]] Flops flops() const;
  [[nodiscard]] Bytes output() const;
  [[nodiscard]] Bytes input() const; ///< A, its repetitions included
};

/// The outputs of all batches as one list of tiles, in the order in which the kernel takes them: along the shorter edge
/// of a batch's grid first, which keeps the shorter operand in the L2 (CUTLASS's raster heuristic does the same).
struct TileGrid {
  int rows = 0, columns = 0, batch = 1;
  [[nodiscard]] int tiles() const { return rows * columns * batch; }
  [[nodiscard]] int batch_of(int tile) const { return tile / (rows * columns); }
  [[nodiscard]] int row_of(int tile) const { return rows < columns ? tile % rows : tile % (rows * columns) / columns; }
  [[nodiscard]] int column_of(int tile) const {
    return rows < columns ? tile % (rows * columns) / rows : tile % columns;
  }
};
/// Throws UserError when the grid has more than 2^24 tiles.
TileGrid tile_grid(const Gemm& gemm, const Device& device);
/// Bytes of tile `t`: smaller at the lower and right edge.
Bytes tile_bytes(const Gemm& gemm, const Device& device, int tile);

/// Slots [first, first + count) of the kernel's order, running together on the SMs.
struct Stage {
  int first = 0, count = 0;
  int tiles = 0;         ///< slots that hold a tile
  Bytes reads{};         ///< DRAM reads of the inputs, after the L2
  Bytes writes{};        ///< bytes of output
  double sm_seconds = 0; ///< SM-seconds of work: tiles x time of a tile on one SM (an edge tile costs a whole one)
};

/// Whether the GEMM's output takes room in the L2 (ordinary write-back stores) or passes it by (T3's uncached updates).
enum class OutputPath { THROUGH_L2, BYPASS_L2 };

/// A slot of an order that holds no tile, where chunks have unequal numbers of tiles.
constexpr int NO_TILE = -1;

/// Stages of the kernel on `sms` SMs, taking the tiles in `order`. docs/models.md, "GEMM" and "L2". Precondition: sms
/// >= 1, sizes >= 1.
std::vector<Stage> gemm_stages(const Gemm& gemm, const Device& device, int sms, OutputPath path,
                               const std::vector<int>& order);
/// The same in the grid's own order.
std::vector<Stage> gemm_stages(const Gemm& gemm, const Device& device, int sms, OutputPath path);

/// The clock of matrix products as a share of the full one, where `power.limit` holds the draw down (docs/models.md,
/// "Limits of power"). `draw`: of the kernel, beyond idling, as a share of that of a GEMM in a full wave. Throws
/// UserError: a limit without power.idle and power.tdp, or not above the former.
double clock_under_limit(const Device& device, double draw);

/// Peak of the precision. Throws UserError when the device has none.
FlopsPerSecond matrix_peak(const Gemm& gemm, const Device& device);

/// Share of it that a GEMM's inner loop reaches.
double gemm_efficiency(const Gemm& gemm, const Device& device);

/// Rate of the inner loop on all SMs in a full wave. Throws UserError when the device has no peak for the precision.
FlopsPerSecond gemm_rate(const Gemm& gemm, const Device& device);

/// Time of one tile on one SM. Throws UserError when the device has no peak for the precision.
Seconds tile_time(const Gemm& gemm, const Device& device);

} // namespace tandem::model
