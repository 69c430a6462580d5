// A comparison as JSON. Keys are described in docs/results.md.
#pragma once

#include "model/result.h"

#include <string>

namespace tandem::report {

/// The whole comparison: what was asked, every case, and the summary per strategy. Seconds, bytes and plain ratios,
/// numbers of at most 12 digits. Throws Bug on a number that is not finite.
std::string comparison_json(const model::Comparison& comparison);

} // namespace tandem::report
