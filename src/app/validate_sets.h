// Sets of published iteration times against `tandem train`.
#pragma once

#include "model/validation.h"

#include <functional>
#include <string>
#include <vector>

namespace tandem::app {

/// Files of the sets: those that are named (a file, or the name of one of workloads/validation/), or all that come with
/// the program. Throws UserError.
std::vector<std::string> validation_files(const std::vector<std::string>& names);

/// Simulates every row, several at a time; jobs as PoolOptions has it. Throws UserError with the row's place for flags
/// that are none, and whatever a row's run throws.
std::vector<model::ValidationResult> validate_sets(const std::vector<std::string>& files, int jobs,
                                                   const std::function<void(std::size_t, std::size_t)>& progress);

} // namespace tandem::app
