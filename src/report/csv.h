// A comparison as CSV: one row per case and strategy, inputs first, then metrics.
#pragma once

#include "model/result.h"

#include <string>
#include <string_view>

namespace tandem::report {

/// Header and rows, lines ended by CR LF, fields quoted where RFC 4180 asks for it. The columns never depend on the
/// results; several resources, assumed numbers or notes share a field, separated by "; ". An unknown speed-up is an
/// empty field. Throws Bug on a number that is not finite.
std::string comparison_csv(const model::Comparison& comparison);

/// One field, quoted when it holds a comma, a quote or a line break.
std::string csv_field(std::string_view text);

} // namespace tandem::report
