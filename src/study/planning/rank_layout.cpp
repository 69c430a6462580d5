// Grid, groupings and first ranks of a plan's degrees.
#include "study/planning/rank_layout.h"

namespace tandem::study {

RankLayout::RankLayout(const workload::ParallelPlan& plan, const model::Cluster& cluster)
    : grid_(plan.sizes(), plan.order), job_(plan, grid_, cluster), first_rank_(static_cast<std::size_t>(plan.pp)) {
  for (int rank = plan.ranks() - 1; rank >= 0; --rank)
    first_rank_[static_cast<std::size_t>(grid_.stage(rank))] = static_cast<std::uint32_t>(rank);
}

RankLayout& RankLayouts::of(const workload::ParallelPlan& plan, const model::Cluster& cluster) {
  const auto sizes = plan.sizes();
  auto& known = known_[{sizes.tp, sizes.cp, sizes.ep, sizes.dp, sizes.pp, plan.shards(), plan.order}];
  if (!known)
    known = std::make_unique<RankLayout>(plan, cluster);
  return *known;
}

} // namespace tandem::study
