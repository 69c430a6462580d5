// The results of `tandem train` as a table, as JSON and as CSV.
#pragma once

#include "model/train_result.h"
#include "report/table.h"

#include <string>

namespace tandem::report {

/// One row per choice of strategies, then what was used; `detail`: every stage too.
std::string train_table(const model::TrainRun& run, const Layout& layout, bool detail);
/// Keys are described in docs/results.md.
std::string train_json(const model::TrainRun& run);
std::string train_csv(const model::TrainRun& run);

} // namespace tandem::report
