// What the host of a GPU takes to issue its work: a framework that runs operator by operator calls the driver for every
// kernel, and where kernels are short the GPU waits for it.
#pragma once

#include "base/units.h"

#include <string>

namespace tandem::model {

struct HostIssue {
  std::string name;
  std::string file;           ///< that it was read from; empty: nothing waits for a host (CUDA graphs)
  base::Seconds kernel{};     ///< of the host's time for each kernel that it launches, Python and dispatch included
  base::Seconds collective{}; ///< of its time for each call of a collective, or of a send or a receive

  [[nodiscard]] bool issues() const { return kernel.value() > 0.0 || collective.value() > 0.0; }
};

} // namespace tandem::model
