// Blocks and overview of `tandem compare`.
#include "report/case_tables.h"

#include "report/dram_table.h"
#include "report/energy_report.h"
#include "report/scale.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::report {

namespace {

using model::CaseResult;

std::string heading(const CaseKey& key) {
  std::string text = fmt::format("{}, TP {}, {}", key.model, key.tp, key.sublayer);
  if (!key.phase.empty())
    text += fmt::format(" ({})", key.phase);
  if (!key.platform.empty())
    text += fmt::format(" on {}", key.platform);
  return text;
}

/// The fastest that a machine can run; null when there is nothing to choose from.
const CaseResult* fastest(const CaseGroup& group) {
  const CaseResult* best = nullptr;
  std::size_t runnable = 0;
  for (const CaseResult* result : group.results) {
    if (result->ideal)
      continue;
    ++runnable;
    if (!best || result->time_s < best->time_s)
      best = result;
  }
  return runnable > 1 ? best : nullptr;
}

/// "tracker 12 of 256 at peak; memory queue limited to 10 entries (...)"; empty when nothing of the kind was used.
std::string resource_line(const CaseResult& result) {
  std::vector<std::string> parts;
  for (const model::ResourceUse& use : result.resources)
    parts.push_back(fmt::format("{} {} of {} at peak{}", use.name, use.peak, use.capacity,
                                use.spills > 0 ? fmt::format(", {} spills", use.spills) : std::string()));
  if (result.queue_threshold >= 0)
    parts.push_back(fmt::format(
        "memory queue {} (memory busy {:.0f}% of the first stage)",
        result.queue_threshold == 0 ? "not limited" : fmt::format("limited to {} entries", result.queue_threshold),
        100.0 * result.memory_intensity));
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// "sub-layer 36 %, GEMM 41 %, ...": shares of the time by kind of item; empty for a case of one item.
std::string share_line(const CaseResult& result) {
  std::vector<std::pair<std::string, double>> kinds;
  for (const model::ItemTime& item : result.items) {
    const auto known =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.first == item.kind; });
    if (known == kinds.end())
      kinds.emplace_back(item.kind, item.time_s);
    else
      known->second += item.time_s;
  }
  std::vector<std::string> parts;
  for (const auto& [kind, time] : kinds)
    parts.push_back(fmt::format("{} {:.1f} %", kind, 100.0 * time / result.time_s));
  return parts.empty() ? std::string() : fmt::format("time: {}", fmt::join(parts, ", "));
}

std::string energy_text(const CaseResult& result) {
  return result.energy ? "energy: " + energy_line(*result.energy, result.time_s, result.tp) : std::string();
}

/// What limits each strategy, beside its name, and below that its bounded resources.
std::string limit_lines(const CaseGroup& group, const Layout& layout) {
  std::size_t name_width = 0;
  for (const CaseResult* result : group.results)
    name_width = std::max(name_width, characters(strategy_text(result->strategy, result->ideal)));
  std::string out;
  for (const CaseResult* result : group.results) {
    const std::string name = strategy_text(result->strategy, result->ideal);
    const Layout beside{layout.width, layout.indent + name_width + 2, layout.colour};
    std::string lines;
    for (const std::string& text : {result->limit, share_line(*result), resource_line(*result), energy_text(*result)})
      if (!text.empty())
        lines += wrapped(text, beside, 0);
    if (!lines.empty()) // the name takes the place of the first line's indent
      out += lines.replace(layout.indent, name.size(), name);
  }
  return out.empty() ? out
                     : std::string(layout.indent, ' ') + tinted("limited by", Tint::DIM, layout.colour) + '\n' + out;
}

/// The columns of a block before the limit.
class BlockColumns {
public:
  BlockColumns(const CaseGroup& group, const std::string& baseline)
      : baseline_name_(baseline), baseline_(group.find(baseline)), best_(fastest(group)),
        time_(Scale::of_seconds(amounts(group, [](const CaseResult& r) { return r.time_s; }))),
        dram_(Scale::of_bytes(amounts(group, [](const CaseResult& r) { return r.dram.total(); }))),
        other_(std::any_of(group.results.begin(), group.results.end(),
                           [](const CaseResult* r) { return r->other_s > 0.0; })) {}

  [[nodiscard]] std::vector<Column> headers() const {
    std::vector<Column> columns = {{"strategy"}};
    const auto add = [&](const std::string& text) { columns.push_back({text, Align::RIGHT}); };
    add("time " + time_.unit());
    add("speed-up");
    for (const char* phase : {"GEMM ", "RS ", "AG "})
      add(phase + time_.unit());
    if (other_)
      add("other " + time_.unit());
    add("exposed " + time_.unit());
    add("DRAM/GPU " + dram_.unit());
    add("DRAM change");
    return columns;
  }

  [[nodiscard]] std::vector<Cell> row(const CaseResult& result) const {
    const Tint best = &result == best_ ? Tint::GREEN : Tint::NONE;
    std::vector<Cell> cells = {{strategy_text(result.strategy, result.ideal), result.ideal ? Tint::DIM : best},
                               {time_.text(result.time_s), best},
                               {speedup(result), best},
                               time_.text_or_dash(result.gemm_s),
                               time_.text_or_dash(result.rs_s),
                               time_.text_or_dash(result.ag_s)};
    if (other_)
      cells.emplace_back(time_.text_or_dash(result.other_s));
    cells.emplace_back(result.ideal ? "-" : time_.text(result.exposed_s));
    cells.emplace_back(dram_.text_or_dash(result.dram.total()));
    cells.push_back(change(result));
    return cells;
  }

private:
  template <class Value> static std::vector<double> amounts(const CaseGroup& group, Value value) {
    std::vector<double> values;
    for (const CaseResult* result : group.results)
      values.push_back(value(*result));
    return values;
  }

  [[nodiscard]] std::string speedup(const CaseResult& result) const {
    if (result.strategy == baseline_name_)
      return "base";
    return result.speedup > 0.0 ? times_text(result.speedup) : "-";
  }

  [[nodiscard]] Cell change(const CaseResult& result) const {
    if (result.strategy == baseline_name_)
      return "base";
    const std::optional<double> reduction = dram_reduction(result, baseline_);
    return reduction ? Cell(change_text(*reduction)) : Cell("-");
  }

  std::string baseline_name_;
  const CaseResult* baseline_;
  const CaseResult* best_;
  Scale time_, dram_;
  bool other_;
};

} // namespace

std::string strategy_text(const std::string& strategy, bool ideal) {
  return ideal ? strategy + " [bound]" : strategy;
}

std::string case_block(const CaseGroup& group, const std::string& baseline, const Layout& layout) {
  const BlockColumns block(group, baseline);
  Table table(block.headers());
  for (const CaseResult* result : group.results)
    table.add(block.row(*result));
  std::vector<StrategySummary> strategies;
  for (const CaseResult* result : group.results) {
    StrategySummary& strategy = strategies.emplace_back();
    strategy.strategy = result->strategy;
    strategy.ideal = result->ideal;
  }
  return tinted(heading(group.key), Tint::BOLD, layout.colour) + '\n' + table.text(layout) +
         limit_lines(group, layout) + "  " + dram_table({group}, strategies, layout);
}

std::string case_overview(const std::vector<CaseGroup>& groups, const std::vector<StrategySummary>& strategies,
                          const std::string& baseline, const Layout& layout) {
  const bool has_baseline = std::any_of(groups.begin(), groups.end(),
                                        [&](const CaseGroup& group) { return group.find(baseline) != nullptr; });
  // A platform per TP degree (a ring of that size) goes without saying.
  const bool platforms = std::any_of(groups.begin(), groups.end(), [&](const CaseGroup& group) {
    return std::any_of(groups.begin(), groups.end(), [&](const CaseGroup& other) {
      return other.key.tp == group.key.tp && other.key.platform != group.key.platform;
    });
  });
  std::vector<double> times;
  for (const CaseGroup& group : groups)
    for (const CaseResult* result : group.results)
      times.push_back(result->time_s);
  const Scale scale = Scale::of_seconds(times);

  std::vector<Column> columns = {{"model"}, {"TP", Align::RIGHT}, {"sub-layer"}, {"phase"}};
  if (platforms)
    columns.push_back({"platform"});
  for (const StrategySummary& strategy : strategies) {
    const bool shows_time = !has_baseline || strategy.strategy == baseline;
    columns.push_back(
        {strategy_text(strategy.strategy, strategy.ideal) + (shows_time ? " " + scale.unit() : ""), Align::RIGHT});
  }
  Table table(columns);
  for (const CaseGroup& group : groups) {
    const CaseResult* best = fastest(group);
    std::vector<Cell> row = {group.key.model, fmt::format("{}", group.key.tp), group.key.sublayer, group.key.phase};
    if (platforms)
      row.emplace_back(group.key.platform);
    for (const StrategySummary& strategy : strategies) {
      const CaseResult* result = group.find(strategy.strategy);
      const Tint tint = result && result == best ? Tint::GREEN : Tint::NONE;
      if (!result)
        row.emplace_back("-");
      else if (!has_baseline || strategy.strategy == baseline)
        row.emplace_back(scale.text(result->time_s), tint);
      else
        row.emplace_back(result->speedup > 0.0 ? times_text(result->speedup) : "-", tint);
    }
    table.add(std::move(row));
  }
  const std::string title = has_baseline ? "Speed-up over " + baseline : std::string("Time per case");
  const bool same = std::all_of(groups.begin(), groups.end(), [&](const CaseGroup& group) {
    return group.key.platform == groups.front().key.platform;
  });
  const std::string where = !same || groups.empty() || groups.front().key.platform.empty()
                                ? std::string()
                                : " on " + groups.front().key.platform;
  return tinted(title + where, Tint::BOLD, layout.colour) + '\n' + table.text(layout);
}

} // namespace tandem::report
