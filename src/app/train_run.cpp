// One model, plan and cluster.
#include "app/train_run.h"

#include "base/error.h"
#include "study/train.h"

#include <fmt/format.h>
#include <utility>

namespace tandem::app {

model::TrainRun train_run(const TrainFlags& flags, std::function<void(std::size_t, std::size_t)> progress) {
  const auto language_model = flags.read_model();
  auto cluster = study::load_cluster(flags.platform, flags.machine.choice());
  const auto all = static_cast<int>(cluster.gpus.size());
  if (flags.gpus > all)
    throw base::UserError(
        fmt::format("--gpus {}: {} has {} GPUs (--nodes gives it more)", flags.gpus, flags.platform, all));
  if (flags.gpus > 0)
    cluster.gpus.resize(static_cast<std::size_t>(flags.gpus));
  const auto plan = flags.plan_for(language_model, all);
  study::TrainOptions options;
  options.strategies = flags.strategies;
  options.granularity = flags.granularity == "step" ? study::Granularity::STEP : study::Granularity::FLOW;
  options.iterations = flags.iterations;
  options.warmup = flags.warmup;
  options.jobs = flags.jobs;
  options.version = program_version();
  options.progress = std::move(progress);
  auto run = study::run_training(language_model, plan, cluster, options);
  run.settings.merge(flags.machine.settings());
  if (const auto missing = study::does_not_fit(run); !missing.empty() && !flags.ignore_memory)
    throw base::Infeasible(missing);
  return run;
}

} // namespace tandem::app
