// Puts the parts of the comparison's text together: cases, summary, limits, notes, checks.
#include "report/comparison_table.h"

#include "base/text.h"
#include "report/case_tables.h"
#include "report/checks.h"
#include "report/dram_table.h"
#include "report/scale.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tandem::report {

namespace {

constexpr std::size_t MOST_BLOCKS =
    4; ///< with more cases than these, a table of all cases takes the place of the blocks

std::string heading(const model::Comparison& comparison, const std::vector<CaseGroup>& groups) {
  std::string text = comparison.title.empty() ? "Comparison" : comparison.title;
  if (!comparison.workload_file.empty())
    text += fmt::format(" ({})", comparison.workload_file);
  return text + ": " + base::counted(groups.size(), "case");
}

std::string or_dash(const std::optional<double>& value, std::string (*text)(double)) {
  return value ? text(*value) : "-";
}

/// "1.56x fewer": the baseline's reads over the strategy's.
std::string fewer_text(double ratio) {
  if (std::abs(ratio - 1.0) < 0.005)
    return "same";
  return ratio > 1.0 ? times_text(ratio) + " fewer" : times_text(1.0 / ratio) + " more";
}

std::string exposed_text(const StrategySummary& summary) {
  return summary.ideal ? "-" : fmt::format("{:.0f}%", 100.0 * summary.mean_exposed_share);
}

std::string summary_table(const std::vector<StrategySummary>& strategies, const std::string& baseline,
                          std::size_t cases, const Layout& layout) {
  Table table({{"strategy"},
               {"cases", Align::RIGHT},
               {"speed-up geomean", Align::RIGHT},
               {"max", Align::RIGHT},
               {"min", Align::RIGHT},
               {"exposed", Align::RIGHT},
               {"DRAM mean", Align::RIGHT},
               {"DRAM best", Align::RIGHT},
               {"GEMM reads", Align::RIGHT}});
  for (const StrategySummary& s : strategies) {
    const std::string count = fmt::format("{}", s.count);
    if (s.strategy == baseline) {
      table.add({s.strategy, count, "base", "base", "base", exposed_text(s), "base", "base", "base"});
      continue;
    }
    table.add({{strategy_text(s.strategy, s.ideal), s.ideal ? Tint::DIM : Tint::NONE},
               count,
               {or_dash(s.geomean_speedup, times_text), Tint::BOLD},
               or_dash(s.max_speedup, times_text),
               or_dash(s.min_speedup, times_text),
               exposed_text(s),
               or_dash(s.mean_dram_reduction, change_text),
               or_dash(s.max_dram_reduction, change_text),
               or_dash(s.gemm_read_ratio_geomean, fewer_text)});
  }
  std::string out =
      tinted("Summary over " + base::counted(cases, "case"), Tint::BOLD, layout.colour) + '\n' + table.text(layout);
  out += wrapped(
      fmt::format(
          "Against {}: speed-up, DRAM bytes per GPU (mean and best change), GEMM reads (geomean). Exposed: share "
          "of the time in which a GPU only communicates, mean.",
          baseline),
      layout);
  return out;
}

std::string limits_text(const std::vector<StrategySummary>& strategies, const Layout& layout) {
  Table table({{"strategy"}, {"cases", Align::RIGHT}, {"limited most often by"}});
  bool any = false;
  for (const StrategySummary& s : strategies) {
    if (s.limit_count == 0)
      continue;
    any = true;
    table.add({strategy_text(s.strategy, s.ideal), fmt::format("{} of {}", s.limit_count, s.count), s.limit});
  }
  return any ? '\n' + table.text(layout) : std::string();
}

/// Each text once, in the order in which it first comes.
template <class Texts> std::vector<std::string> distinct(const model::Comparison& comparison, Texts texts) {
  std::vector<std::string> found;
  for (const model::CaseResult& result : comparison.cases)
    for (const std::string& text : texts(result))
      if (std::find(found.begin(), found.end(), text) == found.end())
        found.push_back(text);
  return found;
}

std::string notes_text(const model::Comparison& comparison, const Layout& layout) {
  std::vector<std::string> lines;
  if (std::any_of(comparison.cases.begin(), comparison.cases.end(), [](const model::CaseResult& r) { return r.ideal; }))
    lines.emplace_back("[bound]: an ideal that no machine can run, for comparison only.");
  const auto assumed = distinct(
      comparison, [](const model::CaseResult& r) -> const auto& { return r.assumed; });
  if (!assumed.empty())
    lines.push_back(fmt::format("Assumed, without a source: {}.", fmt::join(assumed, ", ")));
  for (const std::string& note : distinct(
           comparison, [](const model::CaseResult& r) -> const auto& { return r.notes; }))
    lines.push_back(note);
  if (lines.empty())
    return {};
  std::string out = '\n' + tinted("Notes", Tint::BOLD, layout.colour) + '\n';
  for (const std::string& line : lines)
    out += wrapped(line, layout);
  return out;
}

} // namespace

std::string comparison_table(const model::Comparison& comparison, const ComparisonView& view) {
  const Layout layout{view.width, 2, view.colour};
  const std::vector<CaseGroup> groups = case_groups(comparison);
  const std::vector<StrategySummary> strategies = summarize(comparison);
  const bool blocks = view.detail || groups.size() <= MOST_BLOCKS;

  std::string out = tinted(heading(comparison, groups), Tint::BOLD, view.colour) + '\n';
  if (comparison.interrupted)
    out += "INTERRUPTED: only what had been simulated until then\n";
  if (blocks) {
    for (const CaseGroup& group : groups)
      out += '\n' + case_block(group, comparison.baseline, layout);
  } else {
    out += '\n' + case_overview(groups, strategies, comparison.baseline, layout);
    out += '\n' + dram_table(groups, strategies, layout);
  }
  if (groups.size() > 1)
    out += '\n' + summary_table(strategies, comparison.baseline, groups.size(), layout);
  if (!blocks)
    out += limits_text(strategies, layout);
  out += notes_text(comparison, layout);
  const Layout plain{view.width, 0, view.colour};
  return out + '\n' + wrapped(checks_line(comparison.cases.size()), plain);
}

} // namespace tandem::report
