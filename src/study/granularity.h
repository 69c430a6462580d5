// How far the steps of a collective are played one by one.
#pragma once

#include <string>
#include <vector>

namespace tandem::study {

enum class Granularity {
  STEP, ///< each
  FLOW, ///< repeated steps as one long flow, where the schedule's structure allows it (collective/flow.h)
};

/// How far flows were from steps at most, as a share of the time, in measurements with other collectives on the same
/// links; docs/models.md, "Granularity".
constexpr double FLOW_ERROR = 0.95;
/// That in words, for results.
std::string flow_error_text();

/// "step", "flow".
std::vector<std::string> granularity_names();
/// Throws UserError with the nearest name.
Granularity granularity_of(const std::string& name);

} // namespace tandem::study
