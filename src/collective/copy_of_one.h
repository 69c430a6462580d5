// What a collective of one rank is where its buffers are apart.
#pragma once

#include "collective/strategy.h"

namespace tandem::collective {

/// Whether the one rank of `op` has anything to bring into its receive buffer.
bool is_copy_of_one(const model::CollectiveOp& op);
/// A launch and one copy within the memory, whatever the strategy: NCCL calls cudaMemcpyAsync for a communicator of one
/// rank where the buffers differ, and does nothing where they are one (NVIDIA/nccl src/enqueue.cc, ncclLaunchOneRank).
model::Schedule copy_of_one(const Request& request, const model::Cluster& cluster);

} // namespace tandem::collective
