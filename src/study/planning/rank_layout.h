// Where the ranks of a plan lie: the same for all plans of the same degrees, of which there are thousands.
#pragma once

#include "model/cluster.h"
#include "study/training/job_maker.h"
#include "workload/parallel_plan.h"
#include "workload/rank_grid.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace tandem::study {

class RankLayout {
public:
  RankLayout(const workload::ParallelPlan& plan, const model::Cluster& cluster);
  RankLayout(const RankLayout&) = delete;
  RankLayout& operator=(const RankLayout&) = delete;

  [[nodiscard]] JobMaker& job() { return job_; }
  [[nodiscard]] std::uint32_t first_rank(int stage) const { return first_rank_[static_cast<std::size_t>(stage)]; }

private:
  workload::RankGrid grid_;
  JobMaker job_;
  std::vector<std::uint32_t> first_rank_; ///< by stage
};

/// Keeps each layout that was asked for.
class RankLayouts {
public:
  RankLayout& of(const workload::ParallelPlan& plan, const model::Cluster& cluster);

private:
  using Key = std::tuple<int, int, int, int, int, int, std::string>; ///< degrees, shards, order
  std::map<Key, std::unique_ptr<RankLayout>> known_;
};

} // namespace tandem::study
