// The flags of `tandem compare`, and how it prints what they amount to.
#pragma once

#include "app/fold_flags.h"
#include "app/limit_flags.h"
#include "app/machine_flags.h"
#include "app/options.h"
#include "model/workload.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::app {

struct CompareFlags {
  std::string workload;
  std::vector<std::string> strategies, only;
  MachineFlags machine;
  FoldFlags folding;
  LimitFlags limit;
  std::string platform, timeline, stats;
  int jobs = 0;
  std::uint64_t seed = 0;
  bool detail = false, print_config = false, energy = false;
  Output output;
  Verbosity verbosity;
};

/// --print-config: YAML, each value with what decided it.
std::string config_text(const CompareFlags& flags, const Origins& origins, const model::Workload& workload);

} // namespace tandem::app
