// Small random jobs on small random clusters, to be played whole and folded.
#pragma once

#include "model/cluster.h"
#include "model/job.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tandem::test {

/// Whom a task of a case is for.
enum class Among { ALL, NODES, SAME_PLACES, HALVES };

struct FoldTask {
  std::string strategy = "ring";
  model::CollectiveKind kind = model::CollectiveKind::ALL_REDUCE;
  bool with_gemm = false;
  Among among = Among::ALL;
  std::uint16_t stream = 0;
  std::uint32_t pieces = 4; ///< multiples of 16 B that each rank has of the vector
  std::uint32_t odd_bytes = 0;
};

/// Nodes of GPUs with a link each to and from a switch, and an uplink of the node's over a core of links.
struct FoldCase {
  std::uint32_t nodes = 1, per_node = 2;
  bool shares_uplink = false; ///< one of the node's for all its GPUs, else one each
  std::uint32_t cores = 0;    ///< links in the core, taken by the sender's node; 0: it never limits
  bool fatpipe_core = false;
  bool far_is_slower = true;                                     ///< latency between nodes
  std::optional<std::uint32_t> odd_link{}, odd_device{}, late{}; ///< that is 1 % slower; of another kind; starts later
  std::vector<FoldTask> tasks{FoldTask{}};

  [[nodiscard]] std::uint32_t ranks() const { return nodes * per_node; }
  [[nodiscard]] std::string text() const;
};

model::Cluster cluster_of(const FoldCase& described);
/// Throws Infeasible when a strategy cannot do its task there.
model::Job job_of(const FoldCase& described, const model::Cluster& cluster);
std::vector<double> starts_of(const FoldCase& described);

FoldCase random_case(std::uint32_t seed);
/// Cases that are smaller in one respect, the most so first.
std::vector<FoldCase> smaller(const FoldCase& described);

/// Plays the case in a child, whole or folded: how many GPUs were played, and how the runs differ in words; empty: by
/// less than 1e-9 in all that was recorded of every rank and link.
struct FoldAnswer {
  std::size_t played = 0;
  std::string difference;
};
FoldAnswer fold_and_compare(const FoldCase& described);

} // namespace tandem::test
