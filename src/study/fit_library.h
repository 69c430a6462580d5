// Fits a library's constants to measured times of one operation.
#pragma once

#include "model/cluster.h"
#include "model/collective_op.h"
#include "workload/nccl_log.h"

#include <vector>

namespace tandem::study {

struct LibraryFit {
  model::Library library;
  /// Whether the fit saw the row; it sees every other one, the rest is for checking.
  std::vector<bool> is_seen;
};

/// Changes base and rate of each algorithm and protocol that can do the operation, so that the mean absolute logarithm
/// of expected / measured is least over every other row. Starts from the cluster's library. A call takes at least
/// `host_s`. Throws UserError: no library, fewer than six rows above 0 bytes, or nothing of it does the operation here.
LibraryFit fit_library(const model::Cluster& cluster, model::CollectiveKind kind, int ranks,
                       const std::vector<workload::MeasuredRow>& rows, double host_s);

} // namespace tandem::study
