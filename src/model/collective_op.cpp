// Names and properties of the operations.
#include "model/collective_op.h"

#include "base/error.h"
#include "model/collective_run.h"

namespace tandem::model {

std::string to_string(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::REDUCE_SCATTER:
    return "reduce-scatter";
  case CollectiveKind::ALL_GATHER:
    return "all-gather";
  case CollectiveKind::ALL_REDUCE:
    return "all-reduce";
  case CollectiveKind::ALL_TO_ALL:
    return "all-to-all";
  case CollectiveKind::BROADCAST:
    return "broadcast";
  case CollectiveKind::REDUCE:
    return "reduce";
  case CollectiveKind::SCATTER:
    return "scatter";
  case CollectiveKind::GATHER:
    return "gather";
  case CollectiveKind::ALL_TO_ALL_V:
    return "all-to-all-v";
  case CollectiveKind::SEND_RECV:
    return "sendrecv";
  case CollectiveKind::BARRIER:
    return "barrier";
  }
  throw base::Bug("unnamed collective");
}

bool has_root(CollectiveKind kind) {
  return kind == CollectiveKind::BROADCAST || kind == CollectiveKind::REDUCE || kind == CollectiveKind::SCATTER ||
         kind == CollectiveKind::GATHER;
}

bool only_moves(CollectiveKind kind) {
  return kind == CollectiveKind::ALL_GATHER || kind == CollectiveKind::BROADCAST || kind == CollectiveKind::SCATTER ||
         kind == CollectiveKind::GATHER || kind == CollectiveKind::ALL_TO_ALL_V || kind == CollectiveKind::BARRIER;
}

double bus_factor(CollectiveKind kind, int ranks) {
  switch (kind) {
  case CollectiveKind::ALL_REDUCE:
    return 2.0 * (ranks - 1) / ranks;
  case CollectiveKind::BROADCAST:
  case CollectiveKind::REDUCE:
  case CollectiveKind::SEND_RECV:
    return 1.0;
  default:
    return static_cast<double>(ranks - 1) / ranks;
  }
}

} // namespace tandem::model
