// Tiles against waves: large tiles ask less of the L2, small ones leave fewer SMs idle.
#include "model/gemm_time.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace tandem::model {

namespace {

struct Tile {
  int m, n;
};

/// Sums of a tile, in fp32: they fill half the registers of an SM (256 KB), or of its tensor memory (Blackwell).
constexpr int MOST_TILE_AREA = 32768;

bool power_of_two(int number) {
  return (number & (number - 1)) == 0;
}

/// Heights of cuBLAS's and CUTLASS's tiles, and widths that are powers of two or in steps of 32, in either orientation;
/// large ones first.
std::vector<Tile> make_tiles(GemmTiles widths) {
  std::vector<Tile> tiles;
  for (const int high : {256, 128, 64, 32})
    for (int wide = 256; wide >= 32; wide -= 32) {
      if (high * wide > MOST_TILE_AREA || (widths == GemmTiles::POWERS_OF_TWO && !power_of_two(wide)))
        continue;
      tiles.push_back({high, wide});
      if (high != wide)
        tiles.push_back({wide, high});
    }
  return tiles;
}

const std::vector<Tile>& tiles_of(const Device& device) {
  static const std::vector<Tile> powers = make_tiles(GemmTiles::POWERS_OF_TWO),
                                 steps = make_tiles(GemmTiles::STEPS_OF_32);
  return device.gemm_tiles == GemmTiles::POWERS_OF_TWO ? powers : steps;
}

constexpr int MOST_SPLITS = 64;
constexpr std::int64_t SHORTEST_SPLIT = 256; ///< of k: below it a workgroup only fills and drains its pipeline
constexpr int WAVES_TO_SPLIT = 4;            ///< with more tiles than this many waves k is not split
constexpr double PARTIAL_SUM = 4;            ///< bytes: fp32

double ceil_div(double a, double b) {
  return std::ceil(a / b);
}

/// Time that a byte takes one SM through the L2.
double l2_seconds_per_byte(const Device& device) {
  return device.l2_bandwidth.value() > 0 ? device.sms / device.l2_bandwidth.value() : 0.0;
}

/// SM time of all waves, in seconds of the whole device.
double waves_time(const Gemm& gemm, double epilogue_bytes, const Device& device, const Tile& tile, int splits) {
  const auto k = ceil_div(static_cast<double>(gemm.k), splits);
  const double per_byte = l2_seconds_per_byte(device);
  const double area = static_cast<double>(tile.m) * tile.n;
  const double math = 2 * area * k / gemm_rate(gemm, device).value() * device.sms;
  const double feed = (tile.m + tile.n) * k * gemm.element_bytes() * per_byte;
  const double store = area * (splits > 1 ? PARTIAL_SUM : epilogue_bytes) * per_byte;
  const double tiles = ceil_div(static_cast<double>(gemm.m), tile.m) * ceil_div(static_cast<double>(gemm.n), tile.n) *
                       static_cast<double>(gemm.batch);
  double time = ceil_div(tiles * splits, device.sms) * (std::max(math, feed) + store + device.gemm_wave_setup.value());
  if (splits > 1) // all SMs read the partial sums again, and store
    time += (PARTIAL_SUM * splits + epilogue_bytes) * static_cast<double>(gemm.m) * static_cast<double>(gemm.n) *
            static_cast<double>(gemm.batch) * per_byte / device.sms;
  return time;
}

/// Each operand once.
Bytes operands(const Gemm& gemm) {
  const double rows = static_cast<double>(gemm.m) / gemm.a_repeats,
               columns = static_cast<double>(gemm.n) / gemm.b_repeats;
  return Bytes(static_cast<double>(gemm.batch) * static_cast<double>(gemm.k) * (rows + columns) * gemm.element_bytes());
}

/// Reads of the plan's waves. Where the operands of a product fit the L2 they are read once.
Bytes reads_after_l2(const Gemm& gemm, const Device& device, const GemmPlan& plan) {
  if (operands(gemm).value() / static_cast<double>(gemm.batch) <= device.l2.value())
    return operands(gemm);
  Device tiled;
  tiled.sms = device.sms;
  tiled.tile_m = plan.tile_m;
  tiled.tile_n = plan.tile_n;
  tiled.l2 = device.l2;
  tiled.peak = device.peak;
  Gemm parts = gemm; // a split of k is a product of its own
  parts.k = (gemm.k + plan.splits - 1) / plan.splits;
  parts.batch = gemm.batch * plan.splits;
  Bytes sum{};
  for (const Stage& stage : gemm_stages(parts, tiled, device.sms, OutputPath::THROUGH_L2))
    sum += stage.reads;
  return sum;
}

} // namespace

const char* to_string(GemmTiles widths) {
  return widths == GemmTiles::POWERS_OF_TWO ? "powers-of-two" : "steps-of-32";
}

Device device_of_plan(const Gemm& gemm, const Device& device) {
  const GemmPlan plan = plan_gemm(gemm, Bytes(0.0), device);
  Device staged = device;
  staged.tile_m = plan.tile_m;
  staged.tile_n = plan.tile_n;
  staged.gemm_read_ahead = 0.0;
  double seconds = 0.0;
  for (const Stage& stage : gemm_stages(gemm, staged, device.sms, OutputPath::THROUGH_L2))
    seconds += stage.sm_seconds / stage.tiles; // its tiles run side by side
  const double factor = seconds * device.sms / plan.sm_seconds;
  staged.gemm_efficiency *= factor;
  staged.gemm_fp8_efficiency *= factor;
  return staged;
}

GemmPlan plan_gemm(const Gemm& gemm, Bytes beside, const Device& device) {
  const double outputs = static_cast<double>(gemm.batch) * static_cast<double>(gemm.m) * static_cast<double>(gemm.n);
  const double epilogue_bytes = gemm.element_bytes() + beside.value() / outputs;
  GemmPlan best;
  double best_time = std::numeric_limits<double>::infinity();
  for (const Tile& tile : tiles_of(device)) {
    const double tiles = ceil_div(static_cast<double>(gemm.m), tile.m) * ceil_div(static_cast<double>(gemm.n), tile.n) *
                         static_cast<double>(gemm.batch);
    for (int splits = 1; splits <= MOST_SPLITS; splits *= 2) {
      if (splits > 1 && (gemm.k < SHORTEST_SPLIT * splits || tiles * splits > 2.0 * WAVES_TO_SPLIT * device.sms))
        break;
      const double time = waves_time(gemm, epilogue_bytes, device, tile, splits);
      if (time >= best_time)
        continue;
      best_time = time;
      best = {tile.m, tile.n, splits, time * device.sms, {}};
    }
  }
  best.reads = reads_after_l2(gemm, device, best);
  return best;
}

} // namespace tandem::model
