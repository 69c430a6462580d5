// The same job as `tandem train` plays.
#include "study/planning/simulate_plan.h"

#include "base/error.h"
#include "engine/play.h"
#include "report/checks.h"
#include "study/training/training_job.h"
#include "study/training/training_summary.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tandem::study {

PlayedPlan play_plan(const model::LanguageModel& model, const workload::ParallelPlan& plan,
                     const model::Cluster& cluster, const std::string& strategies, bool energy) {
  const auto chosen = strategies.empty() ? DimensionStrategies() : read_dimension_strategies(strategies);
  const auto made = make_training_job(model, plan, cluster, chosen, Granularity::FLOW, 1);
  engine::PlayOptions how;
  how.fold = engine::Fold::AUTO;
  how.record_times = true;
  const auto recording = engine::play(cluster, made.job, how);
  auto result = summarize_training(made, plan, model, recording, 0);
  result.lower_bound_s = training_bound(made, plan, *cluster.gpus.front().device);
  if (const auto failed = report::failed_checks(recording, result); !failed.empty())
    throw base::Bug(failed.front());
  PlayedPlan played{result.iteration_s};
  if (energy)
    played.energy_j = model::energy_use(recording, cluster, result.iteration_s).total();
  for (const auto& stage : result.stages)
    played.peak_memory_bytes = std::max(played.peak_memory_bytes, stage.memory.peak_bytes);
  return played;
}

std::string to_wire(const PlayedPlan& played) {
  return nlohmann::json::array({played.iteration_s, played.peak_memory_bytes, played.energy_j}).dump();
}

PlayedPlan from_played_wire(const std::string& text) {
  const auto numbers = nlohmann::json::parse(text);
  return {numbers.at(0).get<double>(), numbers.at(1).get<double>(), numbers.at(2).get<double>()};
}

} // namespace tandem::study
