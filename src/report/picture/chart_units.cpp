// The units of the page (assets/page.js).
#include "report/picture/chart.h"

#include <fmt/format.h>
#include <map>

namespace tandem::report {

ShownUnit shown_unit(const std::string& unit, double most) {
  static const std::map<std::string, std::vector<ShownUnit>> SCALES{
      {"s", {{1, "s"}, {1e3, "ms"}, {1e6, "µs"}}},
      {"us", {{1e-6, "s"}, {1e-3, "ms"}, {1, "µs"}}},
      {"B", {{1e-12, "TB"}, {1e-9, "GB"}, {1e-6, "MB"}, {1e-3, "kB"}, {1, "B"}}},
      {"tokens/s", {{1e-6, "million tokens/s"}, {1e-3, "thousand tokens/s"}, {1, "tokens/s"}}},
      {"share", {{100, "%"}}}};
  const auto found = SCALES.find(unit);
  if (found == SCALES.end())
    return {1.0, unit};
  for (const auto& scale : found->second)
    if (most * scale.factor >= 1.0)
      return scale;
  return found->second.back();
}

std::string with_unit(const std::string& subject, const ShownUnit& unit) {
  return unit.unit.empty() ? subject : fmt::format("{} ({})", subject, unit.unit);
}

std::string four_digits(double value) {
  constexpr double WHOLE_FROM = 1e4;
  return value >= WHOLE_FROM ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

} // namespace tandem::report
