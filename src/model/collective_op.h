// What a collective operation promises, whatever algorithm carries it out.
#pragma once

#include "base/units.h"

#include <memory>
#include <string>
#include <vector>

namespace tandem::model {

/// The kinds that this version plays, in MPI's words. With chunk r the part of the vector that belongs to rank r:
/// REDUCE_SCATTER leaves rank r with the sum of chunk r; ALL_GATHER spreads chunk r from rank r to all; ALL_TO_ALL
/// brings chunk r of every rank s to rank r, at the place of chunk s; ALL_TO_ALL_V is that with a size for each pair.
/// BROADCAST and SCATTER begin, and REDUCE and GATHER end, at the root alone. SEND_RECV brings the vector of each rank
/// to the next one. BARRIER moves nothing: no rank is done before each has begun.
enum class CollectiveKind {
  REDUCE_SCATTER,
  ALL_GATHER,
  ALL_REDUCE,
  ALL_TO_ALL,
  BROADCAST,
  REDUCE,
  SCATTER,
  GATHER,
  ALL_TO_ALL_V,
  SEND_RECV,
  BARRIER
};

std::string to_string(CollectiveKind kind);

/// It begins or ends at one rank.
bool has_root(CollectiveKind kind);

/// The data is whole where it begins and only moves: nothing is summed.
bool only_moves(CollectiveKind kind);

/// `bytes` is the whole vector (N chunks) on each rank that has it, as nccl-tests counts all-reduce.
struct CollectiveOp {
  CollectiveKind kind = CollectiveKind::ALL_REDUCE;
  int ranks = 1;
  base::Bytes bytes{};
  int root = 0; ///< of BROADCAST, REDUCE, SCATTER and GATHER
  /// Of ALL_TO_ALL_V: bytes that rank s has for rank d, at [s * ranks + d]; `bytes` is then a rank's mean.
  std::shared_ptr<const std::vector<double>> pairs{};
};

} // namespace tandem::model
