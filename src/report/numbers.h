// Numbers in reports: at most 12 significant digits, so that the same bytes come out at any optimisation level and in
// any locale.
#pragma once

#include <string>

namespace tandem::report {

constexpr double PER_US = 1e6; ///< microseconds in a second

/// Shortest text with at most 12 significant digits ("0.1", "50331648", "1.5e-07"); it is a JSON number. Negative zero
/// prints as "0". Throws Bug when the value is not finite: no result may hold such a number.
std::string number(double value);

/// The double nearest to number(value): what a reader of the report gets back.
double rounded(double value);

} // namespace tandem::report
