// Choice of units and digits for columns of numbers.
#include "report/scale.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tandem::report {

Scale::Scale(const std::vector<double>& values, const std::vector<Step>& ascending) {
  const double largest = values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
  const Step* chosen = &ascending.front();
  for (const Step& step : ascending)
    if (largest >= step.factor)
      chosen = &step;
  unit_ = chosen->name;
  factor_ = chosen->factor;
  const double shown = largest / factor_;
  if (shown >= 1000.0)
    decimals_ = 0;
  else if (shown >= 100.0)
    decimals_ = 1;
  else if (shown >= 10.0)
    decimals_ = 2;
}

Scale Scale::of_seconds(const std::vector<double>& values) {
  return Scale(values, {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}});
}

Scale Scale::of_bytes(const std::vector<double>& values) {
  return Scale(values, {{"B", 1.0}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}});
}

std::string Scale::text(double value) const {
  return fmt::format("{:.{}f}", value / factor_, decimals_);
}

std::string times_text(double factor) {
  return fmt::format("{:.2f}x", factor);
}

std::string change_text(double reduction) {
  const double percent = -100.0 * reduction;
  return std::abs(percent) < 0.05 ? "0.0%" : fmt::format("{:+.1f}%", percent);
}

} // namespace tandem::report
