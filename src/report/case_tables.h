// Tables of single cases: a block with one line per strategy, or many cases in one table of speed-ups.
#pragma once

#include "report/summary.h"
#include "report/table.h"

#include <string>
#include <vector>

namespace tandem::report {

/// "ideal-overlap [bound]": no machine runs an ideal.
std::string strategy_text(const std::string& strategy, bool ideal);

/// Heading and one line per strategy: times, DRAM traffic, limit; below it what is known of bounded resources.
/// `baseline` is a strategy's name.
std::string case_block(const CaseGroup& group, const std::string& baseline, const Layout& layout);

/// One row per case with the speed-ups of all strategies; times where the baseline was not run.
std::string case_overview(const std::vector<CaseGroup>& groups, const std::vector<StrategySummary>& strategies,
                          const std::string& baseline, const Layout& layout);

} // namespace tandem::report
