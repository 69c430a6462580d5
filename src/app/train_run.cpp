// One model, plan and cluster.
#include "app/train_run.h"

#include "base/digest.h"
#include "base/error.h"
#include "model/rank_list.h"
#include "study/train.h"

#include <fmt/format.h>
#include <utility>

namespace tandem::app {

namespace {

struct Asked {
  model::LanguageModel model;
  model::Cluster cluster;
  workload::ParallelPlan plan;
  study::TrainOptions options;
};

Asked asked_for(const TrainFlags& flags) {
  Asked asked{flags.read_model(), study::load_cluster(flags.platform, flags.machine.choice()), {}, {}};
  const auto all = static_cast<int>(asked.cluster.gpus.size());
  if (flags.gpus > all)
    throw base::UserError(
        fmt::format("--gpus {}: {} has {} GPUs (--nodes gives it more)", flags.gpus, flags.platform, all));
  if (flags.gpus > 0)
    asked.cluster.gpus.resize(static_cast<std::size_t>(flags.gpus));
  asked.plan = flags.plan_for(asked.model, all);
  auto& options = asked.options;
  options.strategies = flags.strategies;
  options.granularity = study::granularity_of(flags.granularity);
  options.fold = flags.folding.choice();
  options.longest_s = flags.limit.seconds();
  options.iterations = flags.iterations;
  options.warmup = flags.warmup;
  options.timeline = flags.timeline;
  if (!flags.timeline_ranks.empty())
    options.timeline_ranks = model::parse_rank_list(flags.timeline_ranks, static_cast<std::size_t>(asked.plan.ranks()));
  options.jobs = flags.jobs;
  options.version = program_version();
  return asked;
}

} // namespace

std::string explained_train(const TrainFlags& flags) {
  const auto asked = asked_for(flags);
  return explained_text(study::explain_training(asked.model, asked.plan, asked.cluster, asked.options));
}

model::TrainRun train_run(const TrainFlags& flags, std::function<void(std::size_t, std::size_t)> progress) {
  auto asked = asked_for(flags);
  asked.options.progress = std::move(progress);
  auto run = study::run_training(asked.model, asked.plan, asked.cluster, asked.options);
  run.settings.merge(flags.machine.settings());
  for (const auto& what : flags.simplified)
    run.assumed.push_back("plan: " + what);
  run.digests = study::input_digests(asked.cluster);
  if (!asked.model.file.empty())
    run.digests[asked.model.file] = base::digest_file(asked.model.file);
  if (!flags.plan_file.empty())
    run.digests[flags.plan_file] = base::digest_file(flags.plan_file);
  const auto missing = study::does_not_fit(asked.model, asked.plan, run);
  if (!missing.empty() && !flags.ignore_memory)
    throw base::Infeasible(missing);
  return run;
}

} // namespace tandem::app
