// Whether one rank is played for all that do the same, as the user says it.
#pragma once

#include "engine/play.h"

#include <string>
#include <vector>

namespace tandem::study {

/// "auto", "on", "off".
std::vector<std::string> fold_names();
/// Throws UserError with the nearest name.
engine::Fold fold_of(const std::string& name);
std::string name_of(engine::Fold fold);

/// Why ranks are not all alike: what is played, and its classes in words.
struct ExplainedRun {
  std::string name;
  std::vector<std::string> lines;
};

} // namespace tandem::study
