// What `tandem collective` says of collectives that ran at the same time as the one that is timed.
#pragma once

#include "model/collective_run.h"

#include <cstddef>
#include <string>

namespace tandem::report {

/// A line for each of them, then for rows [first, last) each one's time alone and together and how many times as long
/// that is. All are comments of a nccl-tests table. Empty when there are none.
std::string beside_text(const model::CollectiveRun& run, std::size_t first, std::size_t last);

/// Together / alone; 1 for what takes no time.
double slow_down(double together_s, double alone_s);

} // namespace tandem::report
