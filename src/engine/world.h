// What the ranks of one simulation share.
#pragma once

#include "engine/executor.h"
#include "engine/folding.h"
#include "engine/machine.h"
#include "engine/play.h"
#include "engine/roles.h"
#include "model/job.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tandem::engine {

struct World {
  const Folding& folding;
  const Machine& machine;
  const model::Job& job;
  const PlayOptions& options;
  const Roles& roles;
  const std::vector<SharedSchedule>& schedules; ///< as the job's
  bool shares_memory_by_stream = false;         ///< some schedule wants another arbitration than FAIR
  std::vector<std::unique_ptr<Executor>> gpus;  ///< that are played
  std::vector<double> flow_bytes;               ///< by flow class, of one flow
  std::string failure;                          ///< first error that an actor met
  std::uint64_t operations = 0;                 ///< of all that are played
  std::uint64_t operations_ended = 0;

  [[nodiscard]] Executor& gpu(std::uint32_t number) const { return *gpus[number]; }
};

} // namespace tandem::engine
