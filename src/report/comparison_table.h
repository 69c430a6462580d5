// What `tandem compare` shows on a terminal: the cases, the summary per strategy, what limits them, and what the
// numbers rest on.
#pragma once

#include "model/result.h"

#include <cstddef>
#include <string>

namespace tandem::report {

struct ComparisonView {
  bool detail = false; ///< a block per case however many there are; otherwise more than four cases share one table
  bool colour = false;
  std::size_t width = 120; ///< characters; 0: no limit
};

/// The whole text, ended by a newline. Precondition: every result has passed failed_checks(); the last line says so.
std::string comparison_table(const model::Comparison& comparison, const ComparisonView& view = {});

} // namespace tandem::report
