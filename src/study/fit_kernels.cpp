// What constants of a device measured kernels speak of, and the values that come nearest to them.
#include "study/fit_kernels.h"

#include "base/error.h"
#include "model/kernel_cost.h"
#include "platform/device_keys.h"
#include "study/descent.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace tandem::study {

namespace {

using model::Device;
using model::FitErrors;
using model::KernelFit;
using model::KernelTime;

constexpr std::size_t FEWEST_SHAPES = 8;

struct Knob {
  const char* key;
  double (*get)(const Device&);
  void (*set)(Device&, double);
  double start; ///< where the device states nothing
  double most;

  void operator()(Device& device, double factor) const { set(device, std::min(most, get(device) * factor)); }
};

/// Starts: the order of magnitude of the devices that were fitted.
constexpr std::array KNOBS{Knob{"gemm_efficiency", [](const Device& d) { return d.gemm_efficiency; },
                                [](Device& d, double value) { d.gemm_efficiency = value; }, 0.8, 1.0},
                           Knob{"gemm_fp8_efficiency", [](const Device& d) { return d.gemm_fp8_efficiency; },
                                [](Device& d, double value) { d.gemm_fp8_efficiency = value; }, 0.7, 1.0},
                           Knob{"l2_bandwidth", [](const Device& d) { return d.l2_bandwidth.value(); },
                                [](Device& d, double value) { d.l2_bandwidth = base::BytesPerSecond(value); }, 5e12,
                                1e15},
                           Knob{"gemm_setup", [](const Device& d) { return d.gemm_setup.value(); },
                                [](Device& d, double value) { d.gemm_setup = base::Seconds(value); }, 2e-6, 1.0},
                           Knob{"gemm_wave_setup", [](const Device& d) { return d.gemm_wave_setup.value(); },
                                [](Device& d, double value) { d.gemm_wave_setup = base::Seconds(value); }, 1e-6, 1.0}};

/// A quantity in the notation of device files, with three digits.
std::string shown(const std::string& key, double value) {
  if (key == "l2_bandwidth")
    return fmt::format("{:.3g}TBps", value / 1e12);
  if (key == "gemm_setup" || key == "gemm_wave_setup")
    return fmt::format("{:.3g}us", value * 1e6);
  return fmt::format("{:.3g}", value);
}

using Shape = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

Shape shape_of(const KernelTime& row) {
  return {row.gemm.precision, row.gemm.m, row.gemm.n, row.gemm.k, row.gemm.batch};
}

/// Measured rows by shape: each is predicted once.
using Shapes = std::map<Shape, std::vector<const KernelTime*>>;

double misfit(const Shapes& shapes, const Device& device) {
  double sum = 0;
  int count = 0;
  for (const auto& [shape, rows] : shapes) {
    const double predicted = predicted_time(*rows.front(), device);
    for (const auto* row : rows)
      sum += std::abs(std::log(predicted / row->time_s));
    count += static_cast<int>(rows.size());
  }
  return sum / count;
}

/// The constants that these rows depend on.
std::vector<Knob> knobs_for(const std::vector<KernelTime>& rows) {
  const auto fp8 = [](const KernelTime& row) { return row.gemm.precision == "fp8"; };
  const bool any = std::any_of(rows.begin(), rows.end(), fp8);
  const bool all = std::all_of(rows.begin(), rows.end(), fp8);
  std::vector<Knob> knobs;
  for (const auto& knob : KNOBS) {
    const std::string key = knob.key;
    if ((key == "gemm_efficiency" && all) || (key == "gemm_fp8_efficiency" && !any))
      continue;
    knobs.push_back(knob);
  }
  return knobs;
}

/// Of `knobs` those that are asked for; all where none are.
std::vector<Knob> asked_of(const std::vector<Knob>& knobs, const std::vector<std::string>& asked) {
  if (asked.empty())
    return knobs;
  std::vector<Knob> chosen;
  std::vector<std::string> unknown = asked, known;
  for (const auto& knob : knobs) {
    known.emplace_back(knob.key);
    if (std::erase(unknown, knob.key) > 0)
      chosen.push_back(knob);
  }
  if (!unknown.empty())
    throw base::UserError("--constants: " + base::unknown_word("constant of these rows", unknown.front(), known));
  return chosen;
}

FitErrors errors(const std::vector<KernelFit::Row>& rows, bool seen, double KernelFit::Row::*predicted) {
  std::vector<double> list;
  for (const auto& row : rows)
    if (row.seen == seen)
      list.push_back(row.*predicted / row.measured.time_s - 1);
  return model::errors_of(list);
}

} // namespace

double predicted_time(const KernelTime& row, const Device& device) {
  model::Kernel kernel;
  kernel.kind = model::KernelKind::GEMM;
  kernel.gemm = row.gemm;
  if (row.gemm.precision == "fp8") // the output has 16 bits
    kernel.writes = row.gemm.output();
  return model::time_alone(kernel, device).value();
}

KernelFit fit_kernels(const Device& device, const std::vector<KernelTime>& rows,
                      const std::vector<std::string>& constants) {
  Shapes shapes;
  for (const auto& row : rows)
    shapes[shape_of(row)].push_back(&row);
  if (shapes.size() < FEWEST_SHAPES)
    throw base::UserError(fmt::format("{} different shapes; a fit needs {} or more", shapes.size(), FEWEST_SHAPES));
  Shapes seen;
  std::size_t number = 0;
  for (const auto& one : shapes)
    if (number++ % 2 == 0)
      seen.insert(one);

  const auto knobs = asked_of(knobs_for(rows), constants);
  Device start = device;
  for (const auto& knob : knobs)
    if (knob.get(start) <= 0)
      knob.set(start, knob.start);
  KernelFit fit;
  fit.device = descend(start, knobs, [&](const Device& tried) { return misfit(seen, tried); });
  for (const auto& knob : knobs) { // rounded as they are printed, so that the errors are those of the printed ones
    const std::string after = shown(knob.key, knob.get(fit.device));
    fit.constants.push_back({knob.key, shown(knob.key, knob.get(device)), after});
    platform::set_device_key(fit.device, knob.key, after);
  }
  for (const auto& row : rows)
    fit.rows.push_back(
        {row, seen.contains(shape_of(row)), predicted_time(row, device), predicted_time(row, fit.device)});
  fit.seen_before = errors(fit.rows, true, &KernelFit::Row::before_s);
  fit.seen_after = errors(fit.rows, true, &KernelFit::Row::after_s);
  fit.unseen_before = errors(fit.rows, false, &KernelFit::Row::before_s);
  fit.unseen_after = errors(fit.rows, false, &KernelFit::Row::after_s);
  return fit;
}

} // namespace tandem::study
