// A study as table, CSV and JSON: inputs first, then how each point ended, then its metrics.
#pragma once

#include "model/sweep_result.h"
#include "report/table.h"

#include <string>

namespace tandem::report {

/// A row for each row of a point's result, with what varies and the metrics that tell most; a point without a result
/// has its reason.
std::string sweep_table(const model::SweepResult& study, const Layout& layout);

/// RFC 4180. Columns: point, the inputs, status, reason, command, row, and the metrics of the command's own CSV; they
/// never depend on the results. A point without a result has one row.
std::string sweep_csv(const model::SweepResult& study);

/// The study, and of each point its inputs, status, reason, command, digest and the command's own document (null
/// without one).
std::string sweep_json(const model::SweepResult& study);

} // namespace tandem::report
