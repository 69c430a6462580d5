// T3's fused GEMM and reduce-scatter, or all-to-all: address map, tracker, triggered DMA, near-memory updates (Pati et
// al., ASPLOS 2024); over nodes, which is an extension, in each node first and then between them.
#pragma once

#include "collective/address_map.h"
#include "collective/composer.h"

namespace tandem::collective {

struct TrackAndTrigger {
  model::Arbitration arbitration = model::Arbitration::SHARED_QUEUE;
  Topology topology = Topology::RING;
  int block_tiles = 0; ///< tiles that one DMA command covers at most; 0: as many as a stage has
  Topology within = Topology::RING, between = Topology::RING; ///< of HIERARCHICAL: in a node, between nodes
};

/// Gives the schedule the device's tracker and the arbitration of its memory.
void add_tracker(Composer& composer, model::Arbitration arbitration);
/// The size of equal blocks of a chunk, none larger than `most`: a short last block would leave the link waiting for
/// its memory access.
std::uint32_t even_blocks(std::uint32_t pieces_per_chunk, std::uint32_t most);

/// Fused GEMM and reduce-scatter, then ring all-gather, or over nodes one between nodes and one in each. Precondition:
/// the device has near-memory reduction, the request a producer; HIERARCHICAL: the ranks are several whole nodes.
///
/// The address map of a rank, by the position at which it makes a chunk:
///   first            stores go straight to the next rank's memory (ring), where they update;
///   second to last-1 local updates; once a block has its local and its incoming update, the tracker fires its DMA, an
///                    update at the next rank;
///   last             the own chunk: local updates; complete when the last incoming update is in.
/// Over nodes: the same within each node, for the chunks of another node at a time; the node's sum of a block, local
/// and all that its GPUs brought, waits for what the nodes before have added and goes on by DMA, an update there too.
/// Direct: every chunk but the own goes straight to its owner's memory; nothing is read again.
/// All-to-all: every chunk is stored locally, and the tracker fires the DMA of each block to its owner; nothing is
/// reduced, and no near-memory reduction is needed.
model::Schedule plan_track_and_trigger(const std::string& name, const TrackAndTrigger& options, const Request& request,
                                       const model::Cluster& cluster);

/// A strategy that plans so, with the parameters block and algorithm; the all-gather of a GEMM's input as
/// plan_gather_and_trigger() does.
StrategyInfo track_and_trigger_strategy(const std::string& name, const std::string& summary,
                                        model::Arbitration arbitration);

} // namespace tandem::collective
