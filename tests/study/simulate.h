// Runs cases under strategies, each in a forked child, and hands back their results.
#pragma once

#include "model/cluster.h"
#include "model/result.h"
#include "model/workload.h"

#include <functional>
#include <string>
#include <vector>

namespace tandem::study {

/// What is run on what.
struct Job {
  model::Case described;
  std::string strategy;
  model::Cluster cluster;
};

/// In the order of the runs. The conservation checks must hold: a failed one throws Bug.
std::vector<model::CaseResult> simulate_all(const std::vector<Job>& runs);

/// The shipped platform file of that name, with its devices.
model::Cluster shipped_platform(const std::string& file);

/// One sub-layer: a GEMM and its collective.
model::Case sublayer(int ranks, const model::Gemm& gemm,
                     model::CollectiveKind kind = model::CollectiveKind::ALL_REDUCE);

/// A workload in the words of a file in workloads/.
model::Workload workload_of(const std::string& text);
/// A file in workloads/.
model::Workload shipped_workload(const std::string& file);

/// |a - b| relative to b.
double relative_error(double a, double b);

} // namespace tandem::study
