// --max-time and --max-memory: what a simulation may be estimated to cost.
#pragma once

#include "app/options.h"
#include "study/run_limit.h"

#include <string>

namespace tandem::app {

struct LimitFlags {
  std::string longest = "600s";
  std::string most_memory; ///< empty: what the machine has
  void add_to(CLI::App& command);
  /// Throws UserError.
  [[nodiscard]] study::CostLimits limits() const;
};

} // namespace tandem::app
