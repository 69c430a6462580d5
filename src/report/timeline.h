// Timelines for Perfetto (ui.perfetto.dev) and chrome://tracing: what every GPU and every link did, and when. Described
// in docs/results.md.
#pragma once

#include "model/cluster.h"
#include "model/recording.h"
#include "model/schedule.h"

#include <ostream>
#include <string>
#include <vector>

namespace tandem::report {

/// One recording with what was played. Nothing is owned; all must outlive the call.
struct TimelineRun {
  std::string name; ///< the strategy
  const model::Recording* recording = nullptr;
  std::vector<const model::Schedule*> items; ///< the sequence that was played
  std::vector<std::string> item_names;       ///< per item
  const model::Cluster* cluster = nullptr;
};

/// Writes the runs side by side, one process per run and GPU:
/// - tracks for phases, kernels, SM communication, copy engines (DMA), near-memory reduction, arrivals and tracker
///   triggers, and one for each link that the GPU sends into. Operations that run at once on one track go to numbered
///   tracks beside it; consecutive ones of one label share a slice;
/// - an arrow from each transfer to its arrival;
/// - counters of HBM and link traffic and of tracker entries in use. The bytes of an operation are spread evenly over
///   its time, so sums may pass the peak for a moment. A link's counter stands with the first GPU that sends into it,
///   and counts every GPU's bytes.
///
/// Operations that only wait for others, without time or traffic, are left out. Same runs, same bytes.
/// Precondition (else Bug): every operation of every rank was recorded (PlayOptions::record_ops).
void write_timeline(std::ostream& out, const std::vector<TimelineRun>& runs);

} // namespace tandem::report
