// Entries are made once and numbered in the order in which they are first asked for.
#include "study/training/job_maker.h"

#include "base/error.h"
#include "study/training/step_tasks.h"

#include <algorithm>

namespace tandem::study {

JobMaker::JobMaker(const workload::ParallelPlan& plan, const workload::RankGrid& grid, const model::Cluster& cluster)
    : grid_(grid), cluster_(cluster) {
  job_.ranks = plan.ranks();
  job_.streams = stream_names();
  job_.memory_accounts = model::memory_account_names();
  job_.groupings = {grid.alone(),
                    grid.tp(),
                    grid.cp(),
                    grid.ep(),
                    grid.dp(),
                    grid.expert_dp(),
                    grid.shards(plan.shards()),
                    grid.replicas(plan.shards())};
  for (const auto& grouping : job_.groupings)
    add_shapes(grouping);
}

/// The shape of a group: how many neighbours in it share a node.
void JobMaker::add_shapes(const model::Grouping& grouping) {
  std::map<std::vector<int>, std::uint32_t> known;
  auto& alike = alike_.emplace_back();
  for (std::uint32_t group = 0; group < grouping.groups().size(); ++group) {
    std::vector<int> runs;
    int node = -1;
    for (const auto member : grouping.groups()[group]) {
      const int here = cluster_.node_of(model::Rank(member));
      if (here != node)
        runs.push_back(0);
      node = here;
      ++runs.back();
    }
    alike.push_back(known.try_emplace(std::move(runs), group).first->second);
  }
}

std::uint32_t JobMaker::name(const std::string& text) {
  const auto [entry, is_new] = names_.try_emplace(text, static_cast<std::uint32_t>(job_.names.size()));
  if (is_new)
    job_.names.push_back(text);
  return entry->second;
}

std::uint32_t JobMaker::memory(const std::vector<model::MemoryChange>& begin,
                               const std::vector<model::MemoryChange>& end) {
  if (begin.empty() && end.empty())
    return 0;
  constexpr std::uint8_t BETWEEN = 255; // parts what begins from what ends
  std::vector<std::pair<std::uint8_t, double>> key;
  for (const auto& change : begin)
    key.emplace_back(change.account, change.bytes.value());
  key.emplace_back(BETWEEN, 0.0);
  for (const auto& change : end)
    key.emplace_back(change.account, change.bytes.value());
  const auto [entry, is_new] =
      memories_.try_emplace(std::move(key), static_cast<std::uint32_t>(job_.memory_changes.size()));
  if (is_new)
    job_.memory_changes.push_back({begin, end});
  return entry->second;
}

std::uint32_t JobMaker::stages(int from, int to) {
  const auto [entry, is_new] = stages_.try_emplace({from, to}, static_cast<std::uint32_t>(job_.groupings.size()));
  if (is_new) {
    job_.groupings.push_back(grid_.stages(from, to));
    add_shapes(job_.groupings.back());
  }
  return entry->second;
}

const std::vector<std::uint32_t>& JobMaker::planning_members(std::uint32_t grouping, std::uint32_t rank) const {
  const auto place = job_.groupings[grouping].place(rank);
  if (!place)
    throw base::Bug("rank " + std::to_string(rank) + " is in no group of " + job_.groupings[grouping].name());
  return job_.groupings[grouping].groups()[alike_[grouping][place->group]];
}

bool JobMaker::is_uniform(std::uint32_t grouping) const {
  const auto& shapes = alike_[grouping];
  return std::all_of(shapes.begin(), shapes.end(), [](std::uint32_t first) { return first == 0; });
}

std::vector<std::uint32_t> JobMaker::shapes(std::uint32_t rank) const {
  std::vector<std::uint32_t> list;
  for (std::uint32_t grouping = TP_GROUPS; grouping < FIRST_STAGE_GROUPS; ++grouping)
    list.push_back(alike_[grouping][job_.groupings[grouping].place(rank)->group]);
  return list;
}

} // namespace tandem::study
