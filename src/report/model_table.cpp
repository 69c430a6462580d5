// A row per model.
#include "report/model_table.h"

#include <fmt/format.h>

namespace tandem::report {

namespace {

/// "174.6B", "25.56M": four digits.
std::string counted(std::int64_t parameters) {
  const auto value = static_cast<double>(parameters);
  if (value >= 1e9)
    return fmt::format("{:.4g}B", value / 1e9);
  return fmt::format("{:.4g}M", value / 1e6);
}

std::string number_or_dash(std::int64_t value) {
  return value > 0 ? fmt::format("{}", value) : "-";
}

} // namespace

std::string model_table(const std::vector<ModelRow>& rows, const Layout& layout) {
  Table table({{"file"},
               {"model"},
               {"parameters", Align::RIGHT},
               {"active", Align::RIGHT},
               {"layers", Align::RIGHT},
               {"hidden", Align::RIGHT},
               {"heads", Align::RIGHT},
               {"experts", Align::RIGHT},
               {"source"}});
  for (const auto& row : rows)
    table.add({row.file, row.name, counted(row.parameters), row.active == row.parameters ? "all" : counted(row.active),
               number_or_dash(row.layers), number_or_dash(row.hidden), number_or_dash(row.heads),
               number_or_dash(row.experts), row.source});
  return table.text(layout);
}

} // namespace tandem::report
