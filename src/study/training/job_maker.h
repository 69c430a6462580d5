// The parts of a training job that all its programs share: groupings, names, changes of memory.
#pragma once

#include "model/cluster.h"
#include "model/job.h"
#include "model/train_result.h"
#include "workload/parallel_plan.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tandem::study {

/// Indices into Job::groupings; those of stages follow.
enum GroupingId : std::uint32_t {
  ALONE,
  TP_GROUPS,
  CP_GROUPS,
  EP_GROUPS,
  DP_GROUPS,
  EXPERT_DP_GROUPS,
  SHARD_GROUPS,
  REPLICA_GROUPS,
  FIRST_STAGE_GROUPS
};

class JobMaker {
public:
  JobMaker(const workload::ParallelPlan& plan, const workload::RankGrid& grid, const model::Cluster& cluster);

  [[nodiscard]] model::Job& job() { return job_; }
  std::uint32_t name(const std::string& text);
  std::uint32_t memory(const std::vector<model::MemoryChange>& begin, const std::vector<model::MemoryChange>& end);
  /// Pairs of ranks of two stages; made when first asked for.
  std::uint32_t stages(int from, int to);
  /// Members of the first group that lies in the cluster's nodes as the rank's own does: what its collectives are
  /// planned on.
  [[nodiscard]] const std::vector<std::uint32_t>& planning_members(std::uint32_t grouping, std::uint32_t rank) const;
  /// Whether all groups of a grouping lie in the nodes alike.
  [[nodiscard]] bool is_uniform(std::uint32_t grouping) const;
  /// First groups of all groupings that the rank's are planned on: ranks for which they agree can run one program.
  [[nodiscard]] std::vector<std::uint32_t> shapes(std::uint32_t rank) const;

private:
  void add_shapes(const model::Grouping& grouping);

  const workload::RankGrid& grid_;
  const model::Cluster& cluster_;
  std::vector<std::vector<std::uint32_t>> alike_; ///< by grouping and group: the first group of the same shape
  model::Job job_;
  std::map<std::string, std::uint32_t> names_;
  std::map<std::vector<std::pair<std::uint8_t, double>>, std::uint32_t> memories_;
  std::map<std::pair<int, int>, std::uint32_t> stages_;
};

} // namespace tandem::study
