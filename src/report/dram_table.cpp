// The table of DRAM traffic by category.
#include "report/dram_table.h"

#include "report/case_tables.h"
#include "report/scale.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::report {

namespace {

struct Category {
  const char* name;
  double model::DramSummary::*bytes;
};
constexpr Category CATEGORIES[] = {
    {"GEMM read", &model::DramSummary::gemm_read},   {"GEMM write", &model::DramSummary::gemm_write},
    {"RS read", &model::DramSummary::rs_read},       {"RS write", &model::DramSummary::rs_write},
    {"AG read", &model::DramSummary::ag_read},       {"AG write", &model::DramSummary::ag_write},
    {"other read", &model::DramSummary::other_read}, {"other write", &model::DramSummary::other_write},
};

/// Mean over the cases that the strategy was run on.
double mean(const std::vector<CaseGroup>& groups, const std::string& strategy, double model::DramSummary::*bytes) {
  double sum = 0.0;
  std::size_t count = 0;
  for (const CaseGroup& group : groups)
    if (const auto* result = group.find(strategy)) {
      sum += result->dram.*bytes;
      ++count;
    }
  return count == 0 ? 0.0 : sum / static_cast<double>(count);
}

} // namespace

std::string dram_table(const std::vector<CaseGroup>& groups, const std::vector<StrategySummary>& strategies,
                       const Layout& layout) {
  std::vector<Category> shown;
  std::vector<double> amounts;
  for (const Category& category : CATEGORIES) {
    std::vector<double> means;
    for (const StrategySummary& strategy : strategies)
      means.push_back(mean(groups, strategy.strategy, category.bytes));
    if (std::none_of(means.begin(), means.end(), [](double bytes) { return bytes > 0.0; }))
      continue;
    shown.push_back(category);
    amounts.insert(amounts.end(), means.begin(), means.end());
  }
  if (shown.empty())
    return {};
  const Scale scale = Scale::of_bytes(amounts);
  std::vector<Column> columns = {{"strategy"}};
  for (const Category& category : shown)
    columns.push_back({category.name, Align::RIGHT});
  Table table(columns);
  for (const StrategySummary& strategy : strategies) {
    std::vector<Cell> row = {
        {strategy_text(strategy.strategy, strategy.ideal), strategy.ideal ? Tint::DIM : Tint::NONE}};
    for (const Category& category : shown)
      row.emplace_back(scale.text_or_dash(mean(groups, strategy.strategy, category.bytes)));
    table.add(std::move(row));
  }
  const auto title =
      fmt::format("DRAM traffic per GPU, {}{}", scale.unit(), groups.size() > 1 ? ", mean over the cases" : "");
  return tinted(title, Tint::BOLD, layout.colour) + '\n' + table.text(layout);
}

} // namespace tandem::report
