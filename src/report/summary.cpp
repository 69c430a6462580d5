// Means, extremes and most frequent limits per strategy.
#include "report/summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tandem::report {

namespace {

/// Values of one figure over cases, and the means asked of them.
struct Sample {
  std::vector<double> values;
  void add(const std::optional<double>& value) {
    if (value)
      values.push_back(*value);
  }
  [[nodiscard]] std::optional<double> mean() const {
    if (values.empty())
      return std::nullopt;
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  }
  /// Precondition: all values are positive.
  [[nodiscard]] std::optional<double> geomean() const {
    if (values.empty())
      return std::nullopt;
    double logs = 0.0;
    for (const double value : values)
      logs += std::log(value);
    return std::exp(logs / static_cast<double>(values.size()));
  }
  [[nodiscard]] std::optional<double> max() const {
    return values.empty() ? std::nullopt : std::optional(*std::max_element(values.begin(), values.end()));
  }
  [[nodiscard]] std::optional<double> min() const {
    return values.empty() ? std::nullopt : std::optional(*std::min_element(values.begin(), values.end()));
  }
};

std::optional<double> gemm_read_ratio(const model::CaseResult& result, const model::CaseResult* baseline) {
  if (!baseline || baseline->dram.gemm_read <= 0.0 || result.dram.gemm_read <= 0.0)
    return std::nullopt;
  return baseline->dram.gemm_read / result.dram.gemm_read;
}

void count_limits(StrategySummary& summary, const std::vector<std::string>& kinds) {
  for (const std::string& kind : kinds) {
    const auto count = static_cast<std::size_t>(std::count(kinds.begin(), kinds.end(), kind));
    if (count > summary.limit_count) {
      summary.limit_count = count;
      summary.limit = kind;
    }
  }
}

StrategySummary summarize_one(const std::string& strategy, const std::string& baseline_name,
                              const std::vector<CaseGroup>& groups) {
  StrategySummary summary;
  summary.strategy = strategy;
  Sample speedups, reductions, read_ratios;
  std::vector<std::string> kinds;
  for (const CaseGroup& group : groups) {
    const model::CaseResult* result = group.find(strategy);
    if (!result)
      continue;
    const model::CaseResult* baseline = group.find(baseline_name);
    ++summary.count;
    if (result->time_s > 0.0)
      summary.mean_exposed_share += result->exposed_s / result->time_s;
    summary.ideal = summary.ideal || result->ideal;
    if (result->speedup > 0.0)
      speedups.add(result->speedup);
    reductions.add(dram_reduction(*result, baseline));
    read_ratios.add(gemm_read_ratio(*result, baseline));
    if (!result->limit.empty())
      kinds.push_back(limit_kind(result->limit));
  }
  if (summary.count > 0)
    summary.mean_exposed_share /= static_cast<double>(summary.count);
  summary.geomean_speedup = speedups.geomean();
  summary.max_speedup = speedups.max();
  summary.min_speedup = speedups.min();
  summary.mean_dram_reduction = reductions.mean();
  summary.max_dram_reduction = reductions.max();
  summary.gemm_read_ratio_geomean = read_ratios.geomean();
  count_limits(summary, kinds);
  return summary;
}

} // namespace

const model::CaseResult* CaseGroup::find(const std::string& strategy) const {
  const auto found = std::find_if(results.begin(), results.end(),
                                  [&](const model::CaseResult* result) { return result->strategy == strategy; });
  return found == results.end() ? nullptr : *found;
}

std::vector<CaseGroup> case_groups(const model::Comparison& comparison) {
  std::vector<CaseGroup> groups;
  for (const model::CaseResult& result : comparison.cases) {
    const CaseKey key(result);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const CaseGroup& other) { return other.key == key; });
    if (group == groups.end())
      group = groups.insert(groups.end(), CaseGroup{key, {}});
    group->results.push_back(&result);
  }
  return groups;
}

std::vector<StrategySummary> summarize(const model::Comparison& comparison) {
  const std::vector<CaseGroup> groups = case_groups(comparison);
  std::vector<StrategySummary> summaries;
  for (const model::CaseResult& result : comparison.cases) {
    const bool known = std::any_of(summaries.begin(), summaries.end(),
                                   [&](const StrategySummary& other) { return other.strategy == result.strategy; });
    if (!known)
      summaries.push_back(summarize_one(result.strategy, comparison.baseline, groups));
  }
  return summaries;
}

std::string limit_kind(const std::string& limit) {
  return limit.substr(0, std::min(limit.find(':'), limit.find(" (")));
}

std::optional<double> dram_reduction(const model::CaseResult& result, const model::CaseResult* baseline) {
  if (!baseline || baseline->dram.total() <= 0.0 || result.dram.total() <= 0.0)
    return std::nullopt;
  return 1.0 - result.dram.total() / baseline->dram.total();
}

} // namespace tandem::report
