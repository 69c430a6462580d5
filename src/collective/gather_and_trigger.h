// T3's hardware before a GEMM: the all-gather of its input goes by triggered DMA, and its arrivals release the stages
// that read it. An extension: the paper names an all-gather as another use and does not evaluate it.
#pragma once

#include "collective/track_and_trigger.h"

namespace tandem::collective {

/// One kernel, whose tiles are made in the order in which their rows come. Precondition: the request has a consumer.
///
/// The own rows go by DMA from the launch on. The tracker counts the stores that come in block by block: a complete
/// block releases the stages that wait for its rows and, on a ring, fires its DMA to the next rank. Direct: the own
/// rows go to each other rank, the next one first, one DMA after the other. Nothing is reduced, and no near-memory
/// reduction is needed.
model::Schedule plan_gather_and_trigger(const std::string& name, const TrackAndTrigger& options, const Request& request,
                                        const model::Cluster& cluster);

} // namespace tandem::collective
