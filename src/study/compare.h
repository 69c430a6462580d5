// `tandem compare`: every case of a workload under every strategy, each in a process of its own.
#pragma once

#include "model/result.h"
#include "model/workload.h"
#include "study/fold_choice.h"
#include "study/load_cluster.h"
#include "study/run_limit.h"
#include "study/run_progress.h"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tandem::study {

struct CompareOptions {
  std::vector<std::string> strategies; ///< empty: the workload's
  std::string platform;                ///< empty: the workload's; {tp} is replaced
  MachineChoice machine;
  std::map<std::string, std::string> only; ///< case key (model, tp, sublayer, phase) -> the value to keep
  std::string timeline;                    ///< file for the timeline; empty: none
  bool energy = false;                     ///< tell it as well
  engine::Fold fold = engine::Fold::AUTO;
  CostLimits limits{}; ///< of each simulation
  int jobs = 0;
  std::uint64_t seed = 0;
  std::string version;
  ProgressBoard::Show progress; ///< may be empty
};

/// Throws UserError for what the user can mend, Infeasible when a strategy cannot do a case or a simulation would cost
/// more than the limits, Bug when a check fails.
model::Comparison compare(const model::Workload& workload, const CompareOptions& options);

/// Digests of all files that compare() would read, by path. Throws UserError as it does.
std::map<std::string, std::string> comparison_digests(const model::Workload& workload, const CompareOptions& options);

/// The rank classes of what compare() would play. Throws as it does.
std::vector<ExplainedRun> explain_comparison(const model::Workload& workload, const CompareOptions& options);

} // namespace tandem::study
