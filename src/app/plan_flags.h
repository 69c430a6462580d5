// The flags of `tandem plan`: a model, a machine, and what there is to choose from.
#pragma once

#include "app/train_flags.h"
#include "study/plan.h"

#include <string>
#include <vector>

namespace tandem::app {

struct PlanFlags {
  TrainFlags train; ///< model, platform and what all plans have in common
  std::string gpus, tp, cp, ep, pp, dp, vpp, micro_batch, zero, sequence_parallel, recompute, schedule;
  std::vector<std::string> strategies;
  std::string objective = "time";
  int top = 1, most = 0;
  double tolerance = 0.0; ///< per cent
  bool front = false;

  void add_to(CLI::App& command);
  /// Throws UserError.
  [[nodiscard]] study::PlanOptions options() const;
  /// The words of `tandem train` that a plan's own flags follow.
  [[nodiscard]] std::string train_command(int gpus) const;
};

} // namespace tandem::app
