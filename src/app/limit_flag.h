// --max-time: how long a simulation may be estimated to take.
#pragma once

#include "app/options.h"

#include <string>

namespace tandem::app {

struct LimitFlag {
  std::string longest = "600s";
  void add_to(CLI::App& command);
  /// 0: any time. Throws UserError.
  [[nodiscard]] double seconds() const;
};

} // namespace tandem::app
