// One collective of `tandem collective`: planned and proven on its group, played alone or together with others.
#pragma once

#include "collective/cuts.h"
#include "collective/strategy.h"
#include "engine/play.h"
#include "model/cluster.h"
#include "model/collective_run.h"
#include "study/concurrent.h"
#include "study/granularity.h"
#include "study/run_limit.h"
#include "study/run_progress.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tandem::study {

struct CollectiveTask {
  std::shared_ptr<const model::Cluster> group; ///< what it is planned on: GPU i is its rank i
  std::vector<std::uint32_t> members;          ///< which rank of the whole cluster that is
  collective::Request request;
  std::string strategy;  ///< as asked for
  std::string algorithm; ///< of that name, unless the strategy chooses one
  double lower_bound_s = 0.0;
  std::size_t size_index = 0; ///< of its size among those asked for
  engine::Fold fold = engine::Fold::AUTO;
  Granularity granularity = Granularity::STEP;
  CostLimits limits{};   ///< a simulation that is estimated to cost more is refused (Infeasible)
  bool energy = false;   ///< of a task that is played alone
  base::Seconds start{}; ///< from here on `count` in a row
  int count = 1;
};

/// `cuts` are those of the group. Throws Infeasible when the strategy cannot do it, with its reason.
CollectiveTask make_task(std::shared_ptr<const model::Cluster> group, std::vector<std::uint32_t> members,
                         const collective::Cuts& cuts, const collective::Request& request, const std::string& strategy,
                         engine::Fold fold);

/// Throws Bug when verify() does not agree.
model::Schedule proven(const CollectiveTask& task);
/// proven(), its steps as flows where the task wants that; of one rank, the copy that it is out of place. Throws
/// Infeasible when they cannot be.
model::Schedule playable(const CollectiveTask& task);

/// What a process that plays has to tell.
struct CollectiveAnswer {
  std::vector<double> times_s;             ///< from each task's start to its end
  std::string algorithm, protocol, choice; ///< of the first task
  int played_gpus = 0;
  std::uint64_t activities = 0;
  model::LinkUse links; ///< of all that played, until the last ended
  std::optional<model::EnergyUse> energy;
};
std::string to_wire(const CollectiveAnswer& answer);
CollectiveAnswer from_collective_wire(const std::string& text);

/// On a machine where nothing else is. Throws Bug when a check fails.
CollectiveAnswer play_alone(const CollectiveTask& task, ReportProgress progress = {});
/// All at once on `cluster`, each on a stream of its own. Throws as above.
CollectiveAnswer play_together(const model::Cluster& cluster, const std::vector<CollectiveTask>& tasks,
                               ReportProgress progress = {});

/// What play_together() plays, with the schedules proven.
std::vector<Party> parties_of(const std::vector<CollectiveTask>& tasks);

} // namespace tandem::study
