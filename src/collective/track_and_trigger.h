// T3's fused GEMM and reduce-scatter, or all-to-all: address map, tracker, triggered DMA, near-memory updates (Pati et
// al., ASPLOS 2024).
#pragma once

#include "collective/composer.h"

namespace tandem::collective {

/// Which way the chunks go: along the ring, block by block; or each straight to its owner.
enum class Topology { RING, DIRECT };

struct TrackAndTrigger {
  model::Arbitration arbitration = model::Arbitration::SHARED_QUEUE;
  Topology topology = Topology::RING;
  int block_tiles = 0; ///< tiles that one DMA command covers at most; 0: as many as a stage has
};

/// Fused GEMM and reduce-scatter, then ring all-gather. Precondition: the device has near-memory reduction, the request
/// a producer.
///
/// The address map of a rank, by the position at which it makes a chunk:
///   first            stores go straight to the next rank's memory (ring), where they update;
///   second to last-1 local updates; once a block has its local and its incoming update, the tracker fires its DMA, an
///                    update at the next rank;
///   last             the own chunk: local updates; complete when the last incoming update is in.
/// Direct: every chunk but the own goes straight to its owner's memory; nothing is read again.
/// All-to-all: every chunk is stored locally, and the tracker fires the DMA of each block to its owner; nothing is
/// reduced, and no near-memory reduction is needed.
model::Schedule plan_track_and_trigger(const std::string& name, const TrackAndTrigger& options, const Request& request,
                                       const model::Cluster& cluster);

/// A strategy that plans so, with the parameters block and algorithm.
StrategyInfo track_and_trigger_strategy(const std::string& name, const std::string& summary,
                                        model::Arbitration arbitration);

} // namespace tandem::collective
