// What a collective operation promises, whatever algorithm carries it out.
#pragma once

#include "base/units.h"

#include <string>

namespace tandem::model {

/// The kinds that this version plays. REDUCE_SCATTER leaves rank r with the sum of chunk r; ALL_GATHER spreads chunk r
/// from rank r to all.
enum class CollectiveKind { REDUCE_SCATTER, ALL_GATHER, ALL_REDUCE };

std::string to_string(CollectiveKind kind);

/// `bytes` is the whole vector (N chunks) on each rank, as nccl-tests counts all-reduce.
struct CollectiveOp {
  CollectiveKind kind = CollectiveKind::ALL_REDUCE;
  int ranks = 1;
  base::Bytes bytes{};
};

} // namespace tandem::model
