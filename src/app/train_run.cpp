// One model, plan and cluster.
#include "app/train_run.h"

#include "base/digest.h"
#include "base/error.h"
#include "model/rank_list.h"
#include "report/train_report.h"
#include "study/train.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <utility>

namespace tandem::app {

namespace {

struct Asked {
  model::AnyModel model;
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
  check_strategies(flags.strategies);
  options.strategies = flags.strategies;
  options.granularity = study::granularity_of(flags.granularity);
  options.fold = flags.folding.choice();
  options.limits = flags.limit.limits();
  options.iterations = flags.iterations;
  options.warmup = flags.warmup;
  options.energy = flags.energy;
  options.timeline = flags.timeline;
  if (!flags.timeline_ranks.empty())
    options.timeline_ranks = value_of_flag("--timeline-ranks", [&] {
      return model::parse_rank_list(flags.timeline_ranks, static_cast<std::size_t>(asked.plan.ranks()));
    });
  options.jobs = flags.jobs;
  options.version = program_version();
  return asked;
}

/// Of all files that an iteration depends on.
std::map<std::string, std::string> digests_of(const TrainFlags& flags, const model::AnyModel& trained,
                                              const model::Cluster& cluster) {
  auto digests = study::input_digests(cluster);
  for (const auto& file : {model::file_of(trained), flags.plan_file, flags.read_framework().file})
    if (!file.empty())
      digests[file] = base::digest_file(file);
  return digests;
}

} // namespace

std::string explained_train(const TrainFlags& flags) {
  const auto asked = asked_for(flags);
  return explained_text(study::explain_training(asked.model, asked.plan, asked.cluster, asked.options));
}

study::PointInputs train_inputs(const TrainFlags& flags) {
  const auto trained = flags.read_model();
  const auto cluster = study::load_cluster(flags.platform, flags.machine.choice());
  study::PointInputs inputs;
  inputs.files = digests_of(flags, trained, cluster);
  std::vector<std::string> strategies;
  for (const auto& text : flags.strategies)
    for (const auto& [dimension, strategy] : study::read_dimension_strategies(text))
      strategies.push_back(strategy);
  inputs.files.merge(study::strategy_digests(strategies));
  // Of an iteration every layer of every micro-batch is played, once for each pipeline stage that has it.
  constexpr double SECONDS_PER_LAYER = 1e-3;
  const auto& plan = flags.plan;
  const double ranks = flags.gpus > 0 ? flags.gpus : static_cast<double>(cluster.gpus.size());
  const double dp = flags.dp > 0 ? flags.dp : std::max(1.0, ranks / (plan.layer.tp * plan.layer.cp * plan.pp));
  const double micro_batches = flags.global_batch == 0
                                   ? (plan.pp == 1 ? 1.0 : 4.0 * plan.pp)
                                   : static_cast<double>(flags.global_batch) /
                                         (dp * static_cast<double>(std::max<std::int64_t>(1, flags.micro_batch)));
  const double cases = static_cast<double>(std::max<std::size_t>(1, flags.strategies.size()));
  inputs.work = SECONDS_PER_LAYER * cases * flags.iterations * std::max(1.0, micro_batches) *
                static_cast<double>(workload::layers_of(trained));
  inputs.csv_header = report::train_csv({});
  return inputs;
}

model::TrainRun train_run(const TrainFlags& flags, study::ProgressBoard::Show progress) {
  auto asked = asked_for(flags);
  asked.options.progress = std::move(progress);
  auto run = study::run_training(asked.model, asked.plan, asked.cluster, asked.options);
  run.settings.merge(flags.machine.settings());
  for (const auto& what : flags.simplified)
    run.assumed.push_back("plan: " + what);
  run.digests = digests_of(flags, asked.model, asked.cluster);
  const auto missing = study::does_not_fit(asked.model, asked.plan, run);
  if (!missing.empty() && !flags.ignore_memory)
    throw base::Infeasible(missing);
  return run;
}

} // namespace tandem::app
