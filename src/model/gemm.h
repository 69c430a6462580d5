// A GEMM as the GPU runs it: output tiles, stages (waves) of tiles that fit at once, and what each stage reads and writes through the L2.
#pragma once

#include "model/device.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::model {

/// C[m,n] = A[m,k] B[k,n], all operands of `element_bytes`.
struct Gemm {
  std::int64_t m = 0, n = 0, k = 0;
  std::string precision = "fp16";
  [[nodiscard]] int element_bytes() const;
  [[nodiscard]] Flops flops() const { return Flops(2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k)); }
  [[nodiscard]] Bytes output() const { return Bytes(static_cast<double>(m) * static_cast<double>(n) * element_bytes()); }
};

/// The output as a row-major grid of tiles. Tile t covers rows [t / columns * tile_m, ...) and columns [t % columns * tile_n, ...).
struct TileGrid {
  int rows = 0, columns = 0;
  [[nodiscard]] int tiles() const { return rows * columns; }
};
TileGrid tile_grid(const Gemm& gemm, const Device& device);
/// Bytes of tile `t`: smaller at the lower and right edge.
Bytes tile_bytes(const Gemm& gemm, const Device& device, int tile);

/// Tiles [first, first + count) of the kernel's order, running together on the SMs.
struct Stage {
  int first = 0, count = 0;
  Bytes reads{};        ///< DRAM reads of the inputs, after the L2
  double sm_seconds = 0; ///< SM-seconds of work: tiles x time of a tile on one SM (edge tiles cost a whole tile)
};

/// Whether the GEMM's output takes room in the L2 (ordinary write-back stores) or passes it by (T3's uncached updates).
enum class OutputPath { THROUGH_L2, BYPASS_L2 };

/// Stages of the kernel on `sms` SMs, in row-major tile order starting at tile `first` and wrapping round; `tiles` of them (all by default).
/// docs/models.md, "GEMM" and "L2". Precondition: sms >= 1, sizes >= 1.
std::vector<Stage> gemm_stages(const Gemm& gemm, const Device& device, int sms, OutputPath path, int first = 0, int tiles = -1);

/// Time of one tile on one SM. Throws UserError when the device has no peak for the precision.
Seconds tile_time(const Gemm& gemm, const Device& device);

} // namespace tandem::model
