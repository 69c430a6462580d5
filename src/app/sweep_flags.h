// The flags of `tandem sweep`.
#pragma once

#include "app/options.h"
#include "study/sweep/sweep.h"

#include <optional>
#include <string>
#include <vector>

namespace tandem::app {

struct SweepFlags {
  std::string study, store, shard;
  std::vector<std::string> merge;
  bool dry_run = false;
  bool slurm = false;
  int array_size = 0; ///< 0: a task for each point
  std::string partition, time;
  std::vector<std::string> sbatch;
  int jobs = 0;
  Output output;
  Verbosity verbosity;

  void add_to(CLI::App& command);
  /// --store, or the study's name with .sqlite in the working directory.
  [[nodiscard]] std::string store_path() const;
  /// --partition, --time and --sbatch as sbatch takes them.
  [[nodiscard]] std::vector<std::string> sbatch_words() const;
  /// Throws UserError: no I/N, or I is not below N.
  [[nodiscard]] study::Shard which_shard() const;
};

} // namespace tandem::app
