// Why one result is faster than another: inputs that differ, and the difference of their times term by term.
#pragma once

#include "report/result_pairs.h"
#include "report/table.h"

#include <string>
#include <utility>
#include <vector>

namespace tandem::report {

/// One term of both sides, 0 where a side has none.
struct TermChange {
  std::string what;
  double a_s = 0.0, b_s = 0.0;
};
/// Terms of both, the largest change first.
std::vector<TermChange> changes(const NamedTimes& a, const NamedTimes& b);

/// A block per pair; of more than `blocks` pairs a line each.
std::string diff_table(const std::vector<ResultPair>& pairs, const Layout& layout, std::size_t blocks);
std::string diff_json(const std::vector<ResultPair>& pairs, const std::string& version);

} // namespace tandem::report
