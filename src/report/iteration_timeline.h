// Timeline of a training iteration for Perfetto (ui.perfetto.dev) and chrome://tracing: what the streams of some ranks
// did, task by task. Described in docs/results.md.
#pragma once

#include "model/job.h"
#include "model/recording.h"

#include <cstdint>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tandem::report {

/// Tasks, each with the class of ranks that has it.
using TasksOfClasses = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct IterationTimeline {
  const model::Job* job = nullptr;
  const model::Recording* recording = nullptr;                ///< with tasks and times
  std::vector<std::uint32_t> ranks;                           ///< to show; in this order
  std::vector<std::string> rank_names;                        ///< as many: "rank 8, stage 1"
  std::set<std::pair<std::uint32_t, std::uint32_t>> critical; ///< TasksOfClasses of the critical path
};

/// One process per rank and one track per stream that it uses, with a slice for each task: name, category (what it
/// computes or communicates for), and as arguments micro-batch, group, bytes,
/// strategy and whether it is on the critical path; above them the iterations,
/// as PyTorch's profiler marks steps, and a counter of the memory's accounts. Tasks without time are left out. Same
/// recording, same bytes. Precondition (else Bug): tasks were recorded.
void write_iteration_timeline(std::ostream& out, const IterationTimeline& shown);

} // namespace tandem::report
