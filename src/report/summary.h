// What a comparison says of each strategy over all its cases: speed-up, DRAM traffic against the baseline, and what
// limits it.
#pragma once

#include "model/result.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tandem::report {

/// What identifies a case apart from the strategy; results that agree in it are compared with each other.
struct CaseKey {
  std::string model;
  int tp = 1;
  std::string sublayer, phase, platform;
  explicit CaseKey(const model::CaseResult& result)
      : model(result.model), tp(result.tp), sublayer(result.sublayer), phase(result.phase), platform(result.platform) {}
  bool operator==(const CaseKey&) const = default;
};

/// The results of one case, one per strategy, in the order of the comparison. Pointers into the comparison.
struct CaseGroup {
  CaseKey key;
  std::vector<const model::CaseResult*> results;
  /// The result of a strategy, null when it was not run.
  [[nodiscard]] const model::CaseResult* find(const std::string& strategy) const;
};

/// Groups in order of first appearance.
std::vector<CaseGroup> case_groups(const model::Comparison& comparison);

/// One strategy over its cases. A figure is absent when no case has what it needs (a baseline, traffic on both sides).
struct StrategySummary {
  std::string strategy;
  bool ideal = false;
  std::size_t count = 0; ///< cases
  std::optional<double> geomean_speedup, max_speedup, min_speedup;
  std::optional<double> mean_dram_reduction; ///< arithmetic mean over cases of 1 - DRAM bytes / baseline's DRAM bytes
  std::optional<double> max_dram_reduction;
  double mean_exposed_share = 0.0;               ///< mean over cases of exposed communication / time
  std::optional<double> gemm_read_ratio_geomean; ///< baseline's GEMM reads / its GEMM reads
  std::string limit;                             ///< most frequent kind of limit; the first met among equals
  std::size_t limit_count = 0;                   ///< cases with that kind
};

/// In order of first appearance of the strategies.
std::vector<StrategySummary> summarize(const model::Comparison& comparison);

/// The kind of a limit line: what stands before its first ':' or " (", free of figures that differ by case.
std::string limit_kind(const std::string& limit);

/// 1 - DRAM bytes / baseline's DRAM bytes; absent when either has no traffic.
std::optional<double> dram_reduction(const model::CaseResult& result, const model::CaseResult* baseline);

} // namespace tandem::report
