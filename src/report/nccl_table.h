// The results of `tandem collective` as nccl-tests prints them, as JSON and as CSV.
#pragma once

#include "model/collective_run.h"
#include "report/table.h"

#include <string>

namespace tandem::report {

/// Columns and number formats of nccl-tests 2.13 and later: a log and this can be compared line by line. The simulated
/// time stands in both halves, as buffers have no place here that would tell them apart; #wrong is 0 because the
/// schedule is proven.
std::string nccl_table(const model::CollectiveRun& run);
/// Simulated beside measured times, and the mean absolute error of small and large sizes.
std::string against_table(const model::CollectiveRun& run, const Layout& layout);
std::string collective_json(const model::CollectiveRun& run);
std::string collective_csv(const model::CollectiveRun& run);

} // namespace tandem::report
