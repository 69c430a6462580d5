// What `tandem train` shows: an iteration of one model and plan under several choices of strategies.
#pragma once

#include "base/units.h"
#include "model/energy.h"
#include "model/job.h"
#include "model/link_use.h"
#include "model/recording.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tandem::model {

/// Accounts of a rank's memory, in the order of Job::memory_accounts; what is held from ACTIVATIONS on is given back.
enum MemoryAccount : std::uint8_t { PARAMETERS, GRADIENTS, OPTIMIZER_STATES, ACTIVATIONS, BUFFERS };
std::vector<std::string> memory_account_names();

/// Seconds of an iteration on a rank, or their mean over ranks. They sum to the iteration.
struct Breakdown {
  double compute_s = 0.0;   ///< forward, backward and what is recomputed
  double recompute_s = 0.0; ///< of compute_s
  std::array<double, DIMENSIONS> exposed_s{};
  double bubble_s = 0.0; ///< idle, or waiting for another stage
  double optimizer_s = 0.0;
  double other_s = 0.0;
  [[nodiscard]] double sum() const;
};

/// The first rank of a pipeline stage; the others of the stage do the same.
struct StageResult {
  int stage = 0;
  std::uint32_t rank = 0;
  int first_layer = 0, layers = 0; ///< of the first model chunk
  double parameters = 0.0;
  Breakdown breakdown;
  MemoryUse memory;
  RankEnergy energy; ///< of an iteration; zero where it was not asked for
};

/// A part of the critical path: "GEMM", "tp all-reduce".
struct PathTerm {
  std::string what;
  double seconds = 0.0;
};

struct TrainCase {
  std::string strategies; ///< as asked for; empty: the defaults
  double iteration_s = 0.0;
  double samples_per_s = 0.0;
  double tokens_per_s = 0.0;                      ///< of what is no text: samples
  double model_flops = 0.0, hardware_flops = 0.0; ///< of an iteration, all GPUs
  double lower_bound_s = 0.0;                     ///< all GEMMs and attention of the busiest stage at the matrix peak
  Breakdown breakdown;                            ///< mean over all ranks
  LinkUse links;                                  ///< of an iteration
  std::vector<StageResult> stages;
  std::vector<PathTerm> critical_path; ///< of the last iteration, the longest first; they sum to it
  std::vector<std::string> used;       ///< "tp all-reduce: auto -> ring Simple"
  std::vector<std::string> assumed;    ///< parameters without a source
  std::uint64_t activities = 0;
  std::uint64_t tasks = 0;
  int classes = 0;                 ///< of ranks, of which one was played each
  std::optional<EnergyUse> energy; ///< of an iteration, all GPUs; only when asked for
};

struct TrainRun {
  std::string model, model_file, platform, device;
  std::string plan;                                               ///< in words
  std::vector<std::pair<std::string, std::string>> configuration; ///< every value of the plan, defaults included
  std::map<std::string, std::string> settings; ///< of the simulator, and what flags change of the machine
  int gpus = 0, micro_batches = 0;
  std::int64_t global_batch = 0; ///< samples of an iteration
  std::int64_t sequence = 0;     ///< tokens of a sample, where it has any
  double parameters = 0.0;
  double peak_flops = 0.0; ///< of a GPU, at the precision
  std::string peak_name;   ///< "bf16"
  double hbm_capacity = 0.0;
  std::string samples;       ///< what a batch counts: "sequences", "images", "samples"
  bool counts_tokens = true; ///< a sample is a sequence of tokens
  std::vector<std::string> memory_accounts;
  std::vector<TrainCase> cases;
  std::vector<std::string> assumed;
  std::map<std::string, std::string> digests;
  std::string version;
};

} // namespace tandem::model
