// Tiles, stages and L2 traffic of a GEMM.
#include "model/gemm.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace tandem::model {

namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// Share of each input panel that the L2 holds, under random replacement.
///
/// While x = E / C cache sizes of new lines come in (E bytes inserted, C the capacity), a resident line survives with
/// probability exp(-x), and a line that came in at a uniformly random moment of the stage with the mean of that, (1 -
/// exp(-x)) / x.
class PanelCache {
public:
  PanelCache(std::size_t panels, double capacity) : resident_(panels, 0.0), capacity_(capacity) {}

  /// Reads every panel of `touched` (panel, bytes) once beside `other` bytes of other lines; returns the bytes that
  /// miss.
  double read(const std::vector<std::pair<std::size_t, double>>& touched, double other) {
    double misses = 0.0;
    for (const auto& [panel, bytes] : touched)
      misses += (1.0 - resident_[panel]) * bytes;
    const double x = capacity_ > 0.0 ? (misses + other) / capacity_ : INFINITY;
    const double survives = std::exp(-x);
    const double newcomer = x > 1e-9 ? (1.0 - survives) / x : 1.0;
    for (const auto& [panel, bytes] : touched)
      resident_[panel] += (1.0 - resident_[panel]) * newcomer / std::max(survives, 1e-300);
    for (double& share : resident_)
      share = std::min(1.0, share * survives);
    return misses;
  }

private:
  std::vector<double> resident_;
  double capacity_;
};

/// Input panels of a tile: a row panel of A and a column panel of B, of its own batch.
struct Panels {
  std::size_t a, b;
};

Panels panels_of(const TileGrid& grid, int tile) {
  const auto batch = static_cast<std::size_t>(grid.batch_of(tile));
  const auto a = batch * grid.rows + grid.row_of(tile);
  const auto b = static_cast<std::size_t>(grid.batch) * grid.rows + batch * grid.columns + grid.column_of(tile);
  return {a, b};
}

} // namespace

int Gemm::element_bytes() const {
  if (precision == "fp32" || precision == "tf32")
    return 4;
  if (precision == "fp8")
    return 1;
  if (precision == "fp16" || precision == "bf16")
    return 2;
  throw base::UserError(base::unknown_word("precision", precision, {"fp32", "tf32", "bf16", "fp16", "fp8"}));
}

Flops Gemm::flops() const {
  return Flops(2.0 * static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n) *
               static_cast<double>(k));
}

Bytes Gemm::output() const {
  return Bytes(static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n) * element_bytes());
}

Bytes Gemm::input() const {
  return Bytes(static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(k) * element_bytes());
}

TileGrid tile_grid(const Gemm& gemm, const Device& device) {
  const std::int64_t rows = ceil_div(gemm.m, device.tile_m);
  const std::int64_t columns = ceil_div(gemm.n, device.tile_n);
  constexpr std::int64_t LIMIT = std::int64_t{1} << 24;
  if (rows > LIMIT || columns > LIMIT || gemm.batch > LIMIT || rows * columns > LIMIT ||
      rows * columns * gemm.batch > LIMIT)
    throw base::UserError("a GEMM of " + std::to_string(gemm.m) + " x " + std::to_string(gemm.n) + " (batch " +
                          std::to_string(gemm.batch) + ") has more than 16777216 tiles of " +
                          std::to_string(device.tile_m) + " x " + std::to_string(device.tile_n));
  return {static_cast<int>(rows), static_cast<int>(columns), static_cast<int>(gemm.batch)};
}

Bytes tile_bytes(const Gemm& gemm, const Device& device, int tile) {
  const TileGrid grid = tile_grid(gemm, device);
  const auto height = std::min<std::int64_t>(device.tile_m, gemm.m - std::int64_t{grid.row_of(tile)} * device.tile_m);
  const auto width = std::min<std::int64_t>(device.tile_n, gemm.n - std::int64_t{grid.column_of(tile)} * device.tile_n);
  return Bytes(static_cast<double>(height * width * gemm.element_bytes()));
}

double clock_under_limit(const Device& device, double draw) {
  const Power& power = device.power;
  if (!power.limit)
    return 1.0;
  if (!power.idle || !power.tdp)
    throw base::UserError("device " + device.name + ": power.limit needs power.idle and power.tdp");
  if (*power.limit <= *power.idle)
    throw base::UserError(fmt::format("device {}: power.limit {:.4g} W is not above power.idle, {:.4g} W", device.name,
                                      power.limit->value(), power.idle->value()));
  const double share = (*power.limit - *power.idle) / ((*power.tdp - *power.idle) * draw);
  return std::min(1.0, std::cbrt(share));
}

FlopsPerSecond matrix_peak(const Gemm& gemm, const Device& device) {
  const auto peak = device.peak.find(gemm.precision);
  if (peak == device.peak.end()) {
    std::vector<std::string> known;
    for (const auto& [precision, rate] : device.peak)
      known.push_back(precision);
    throw base::UserError("device " + device.name + ": " + base::unknown_word("precision", gemm.precision, known));
  }
  return peak->second;
}

double gemm_efficiency(const Gemm& gemm, const Device& device) {
  const bool own = gemm.precision == "fp8" && device.gemm_fp8_efficiency > 0;
  return own ? device.gemm_fp8_efficiency : device.gemm_efficiency;
}

FlopsPerSecond gemm_rate(const Gemm& gemm, const Device& device) {
  return matrix_peak(gemm, device) * gemm_efficiency(gemm, device) * clock_under_limit(device, 1.0);
}

Seconds tile_time(const Gemm& gemm, const Device& device) {
  const Flops work(2.0 * device.tile_m * device.tile_n * static_cast<double>(gemm.k));
  return work / gemm_rate(gemm, device) * device.sms;
}

std::vector<Stage> gemm_stages(const Gemm& gemm, const Device& device, int sms, OutputPath path,
                               const std::vector<int>& order) {
  const TileGrid grid = tile_grid(gemm, device);
  const double element = gemm.element_bytes();
  const double k_bytes = static_cast<double>(gemm.k) * element;
  const double per_tile = tile_time(gemm, device).value();
  const auto panels = static_cast<std::size_t>(grid.batch) * (grid.rows + grid.columns);
  PanelCache cache(panels, device.l2.value());
  std::vector<int> touched_in(panels, -1);

  std::vector<Stage> stages;
  const int slots = static_cast<int>(order.size());
  for (int first = 0; first < slots; first += sms) {
    Stage stage{.first = first, .count = std::min(sms, slots - first)};
    std::vector<std::pair<std::size_t, double>> touched;
    const auto touch = [&](std::size_t panel, std::int64_t extent, double repeats) {
      if (touched_in[panel] == first)
        return;
      touched_in[panel] = first;
      touched.emplace_back(panel, static_cast<double>(extent) * k_bytes / repeats);
    };
    for (int slot = first; slot < first + stage.count; ++slot) {
      const int tile = order[slot];
      if (tile == NO_TILE)
        continue;
      ++stage.tiles;
      stage.writes += tile_bytes(gemm, device, tile);
      const Panels panel = panels_of(grid, tile);
      touch(panel.a, std::min<std::int64_t>(device.tile_m, gemm.m - std::int64_t{grid.row_of(tile)} * device.tile_m),
            gemm.a_repeats);
      touch(panel.b, std::min<std::int64_t>(device.tile_n, gemm.n - std::int64_t{grid.column_of(tile)} * device.tile_n),
            gemm.b_repeats);
    }
    stage.reads = Bytes(cache.read(touched, path == OutputPath::THROUGH_L2 ? stage.writes.value() : 0.0));
    stage.sm_seconds = per_tile * stage.tiles;
    stages.push_back(stage);
  }
  return stages;
}

std::vector<Stage> gemm_stages(const Gemm& gemm, const Device& device, int sms, OutputPath path) {
  std::vector<int> order(static_cast<std::size_t>(tile_grid(gemm, device).tiles()));
  std::iota(order.begin(), order.end(), 0);
  return gemm_stages(gemm, device, sms, path, order);
}

} // namespace tandem::model
