// The answer of one case under one strategy, ready to be shown: what tables, JSON and CSV print.
#pragma once

#include "model/energy.h"
#include "model/link_use.h"
#include "model/recording.h"
#include "model/workload.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tandem::model {

/// DRAM traffic per GPU (mean over the ranks), bytes.
struct DramSummary {
  double gemm_read = 0, gemm_write = 0, rs_read = 0, rs_write = 0, ag_read = 0, ag_write = 0, other_read = 0,
         other_write = 0;
  [[nodiscard]] double total() const {
    return gemm_read + gemm_write + rs_read + rs_write + ag_read + ag_write + other_read + other_write;
  }
};

/// What gemm_s of the sub-layers consists of, slowest rank: SMs at work; only memory accesses of the kernel (reads
/// before and writes after a stage's compute); launches; neither (the kernel waits for communication). They sum to
/// gemm_s where one kernel at a time runs.
struct GemmSplit {
  double compute_s = 0, memory_s = 0, launch_s = 0, waiting_s = 0;
};

/// One step of a case. `kind`: "sub-layer" (a GEMM and its collective), "GEMM", "batched GEMM" (attention) or
/// "element-wise".
struct ItemTime {
  std::string name, kind;
  double time_s = 0;
};

struct CaseResult {
  std::string model;
  int tp = 1;
  std::string sublayer;
  std::string phase;
  std::string platform;
  std::string strategy; ///< as asked for: name:key=value
  bool ideal = false;   ///< a bound, not a schedule that a machine can run
  double time_s = 0;
  double gemm_s = 0, rs_s = 0, ag_s = 0;           ///< from first start to last end of the phase, slowest rank
  double compute_s = 0, exposed_s = 0, idle_s = 0; ///< slowest rank; they sum to time_s except for ideal bounds
  GemmSplit gemm_split;
  double other_s = 0;       ///< kernels of a layer outside its sub-layers
  double speedup = 0;       ///< baseline's time / time; 0 when the baseline was not run
  double lower_bound_s = 0; ///< no schedule can beat this (docs/models.md)
  DramSummary dram;
  LinkUse links;
  std::vector<ItemTime>
      items;             ///< cases of more than one step: the time of each; they sum to time_s when ranks are alike
  std::string limit;     ///< one line: what limits it
  std::string algorithm; ///< "ring", "direct"
  std::vector<ResourceUse> resources;
  double memory_intensity = 0;
  int queue_threshold = -1;
  std::optional<EnergyUse> energy{}; ///< only when asked for
  int played_gpus = 0;               ///< each for all ranks that do the same
  std::vector<std::string> assumed;  ///< assumed numbers that this result rests on
  std::vector<std::string> notes;
};

/// Everything that a comparison prints.
struct Comparison {
  std::string title;
  std::string workload_file;
  std::string baseline;
  std::vector<CaseResult> cases;
  std::map<std::string, std::string> digests;  ///< input file -> SHA-256 or FNV digest
  std::map<std::string, std::string> settings; ///< SimGrid's and the command's resolved configuration
  std::string version;
  std::uint64_t seed = 0;
  bool interrupted = false; ///< only what had been simulated when the user stopped it
};

} // namespace tandem::model
