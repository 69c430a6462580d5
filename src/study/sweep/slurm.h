// A study on a Slurm cluster: a job array whose tasks are shards, followed until all is done.
#pragma once

#include "study/sweep/result_store.h"
#include "study/sweep/sweep.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tandem::study {

struct SlurmOptions {
  std::string program;            ///< path of the program that the tasks run, the same on every node
  std::string study, store;       ///< files, as the user named them; the tasks run in this working directory
  std::size_t array_size = 0;     ///< tasks; 0: one for each point to run, up to 1000
  std::vector<std::string> words; ///< for sbatch: "--partition=all"
  double poll_s = 2.0;            ///< between two looks at the queue
  int submissions = 3;            ///< of a shard whose task was lost, before the study is left incomplete
  std::function<void(const SweepProgress&)> progress;
};

/// Submits an array of `tandem sweep --shard i/N`, each with a store of its own in the folder `STORE.slurm`; looks at
/// the queue (squeue), takes over what the shards have, and submits those again whose tasks ended without all of their
/// points. Where the folder names an array of this study that is still queued it is followed instead. Returns when no
/// task is left; points that no submission finished stay PENDING. Throws UserError: no sbatch, or what it says; on
/// SIGINT Interrupted, and the array goes on.
void run_on_slurm(const PreparedStudy& study, ResultStore& store, const SlurmOptions& options);

} // namespace tandem::study
