// What `tandem plan` finds: the best plans, and the numbers that prove that no other is better.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tandem::model {

/// A plan with one choice of strategies that was simulated.
struct PlannedCase {
  std::string plan;       ///< in words
  std::string strategies; ///< empty: the defaults
  std::string command;    ///< `tandem train ...` that reproduces it
  int gpus = 0;
  int tp = 1, cp = 1, ep = 1, pp = 1, dp = 1, vpp = 1, zero = 0;
  std::int64_t micro_batch = 1;
  int micro_batches = 1;
  bool sequence_parallel = false;
  std::string schedule, recompute;
  double bound_s = 0.0; ///< of the iteration, before it was simulated
  double iteration_s = 0.0, tokens_per_s = 0.0, tokens_per_gpu_hour = 0.0, mfu = 0.0, peak_memory_bytes = 0.0;
  double energy_j = 0.0, j_per_token = 0.0, bound_j = 0.0; ///< of the iteration; where the objective is energy
};

struct PlanSearch {
  std::string model, platform, device, objective;
  std::map<std::string, std::string> settings, digests;
  std::vector<std::string> assumed;
  std::string version;
  std::vector<int> gpus;
  std::int64_t global_batch = 0, sequence = 0;
  double parameters = 0.0, hbm_capacity = 0.0;

  // The proof. enumerated = refused + out_of_memory + out_of_memory_simulated + simulated + pruned.
  std::uint64_t enumerated = 0;
  std::map<std::string, std::uint64_t> refused; ///< by reason
  std::uint64_t out_of_memory = 0;              ///< by the closed form
  std::uint64_t out_of_memory_simulated = 0;    ///< where the closed form is a bound only
  std::uint64_t simulated = 0;
  std::uint64_t pruned = 0; ///< their bound is not below what was found
  bool proven = false;      ///< no pruned plan can be among the best
  double tolerance = 0.0;   ///< relative: they are proven to be that near to the best
  std::string best_pruned;  ///< the pruned plan with the least bound; empty: none was pruned
  double best_pruned_bound_s = 0.0;
  double best_pruned_bound_j = 0.0; ///< where the objective is energy
  double largest_gap = 0.0; ///< of a simulated plan: (time - bound) / time; of energy where that is the objective
  double mean_gap = 0.0;

  std::vector<PlannedCase> best;  ///< best first
  std::vector<PlannedCase> front; ///< none of the simulated is both as fast and as small, on as few GPUs; fastest first
  bool front_proven = false;
};

} // namespace tandem::model
