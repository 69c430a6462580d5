// What the ranks of one simulation share.
#pragma once

#include "engine/executor.h"
#include "engine/machine.h"
#include "engine/play.h"
#include "engine/program_index.h"
#include "model/job.h"

#include <memory>
#include <string>
#include <vector>

namespace tandem::engine {

/// A schedule with what all ranks share of it.
struct SharedSchedule {
  explicit SharedSchedule(const model::Schedule& described);
  const model::Schedule& schedule;
  model::SpanBytes bytes;
  std::vector<ProgramIndex> indices; ///< per program
};

struct World {
  const Machine& machine;
  const model::Job& job;
  const PlayOptions& options;
  std::vector<SharedSchedule> schedules; ///< as the job's
  bool shares_memory_by_stream = false;  ///< some schedule wants another arbitration than FAIR
  std::vector<std::unique_ptr<Executor>> ranks;
  std::vector<double> link_bytes;
  std::string failure; ///< first error that an actor met

  [[nodiscard]] Executor& rank(int number) const { return *ranks[static_cast<std::size_t>(number)]; }
};

} // namespace tandem::engine
