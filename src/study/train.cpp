// Makes, plays and sums up one training job per choice of strategies.
#include "study/train.h"

#include "base/error.h"
#include "base/output_file.h"
#include "engine/play.h"
#include "report/checks.h"
#include "report/iteration_timeline.h"
#include "study/fork_pool.h"
#include "study/training/critical_path.h"
#include "study/training/fitting_plan.h"
#include "study/training/training_job.h"
#include "study/training/training_summary.h"
#include "workload/model_flops.h"
#include "workload/parameters.h"
#include "workload/plan_values.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>
#include <variant>

namespace tandem::study {

namespace {

struct Setting {
  const model::AnyModel& model;
  const workload::ParallelPlan& plan;
  const model::Cluster& cluster;
  const TrainOptions& options;
};

std::string name_of_case(const std::string& strategies) {
  return strategies.empty() ? "default strategies" : strategies;
}

TrainingJob job_of(const Setting& setting, const std::string& strategies) {
  const auto& options = setting.options;
  const auto chosen = strategies.empty() ? DimensionStrategies() : read_dimension_strategies(strategies);
  return make_training_job(setting.model, setting.plan, setting.cluster, chosen, options.granularity,
                           options.iterations);
}

/// The ranks that were asked for, or the first of each stage.
void write_timeline(const Setting& setting, const TrainingJob& made, const model::Recording& recording,
                    const report::TasksOfClasses& critical) {
  const auto& job = made.job;
  report::IterationTimeline shown{
      &job, &recording, setting.options.timeline_ranks, {}, {critical.begin(), critical.end()}};
  if (shown.ranks.empty()) {
    std::set<int> stages;
    for (const auto& stage : made.stages)
      if (stages.insert(stage.stage).second)
        shown.ranks.push_back(stage.rank);
  }
  for (const auto rank : shown.ranks)
    shown.rank_names.push_back(
        fmt::format("rank {}, stage {}", rank, made.stages[job.program_of.empty() ? 0 : job.program_of[rank]].stage));
  base::OutputFile file(setting.options.timeline);
  report::write_iteration_timeline(file.stream(), shown);
  file.commit();
}

std::string play(const Setting& setting, const std::string& strategies, ReportProgress progress) {
  const auto& options = setting.options;
  const auto made = job_of(setting, strategies);
  engine::PlayOptions how;
  how.fold = options.fold;
  how.record_times = how.record_tasks = true;
  const RunLimit limit(options.limits, name_of_case(strategies),
                       "--granularity flow, --fold auto and --set platform.routing=spray make them fewer");
  how.before = limit.before_playing(proof_cost(made.job));
  how.progress = std::move(progress);
  const auto recording = engine::play(setting.cluster, made.job, how);
  auto result = summarize_training(made, setting.plan, setting.model, recording, options.warmup);
  auto path = critical_path(made, recording);
  result.critical_path = std::move(path.terms);
  result.strategies = strategies;
  add_links(result, recording, setting.cluster);
  if (options.energy)
    add_energy(result, recording, setting.cluster);
  result.lower_bound_s = training_bound(made, setting.plan, *setting.cluster.gpus.front().device);
  if (const auto failed = report::failed_checks(recording, result); !failed.empty())
    throw base::Bug(fmt::format("{}: {}", name_of_case(strategies), failed.front()));
  if (!options.timeline.empty())
    write_timeline(setting, made, recording, path.tasks);
  return to_wire(result);
}

/// What the user got wrong is told of before anything runs.
void check(const model::AnyModel& model, const workload::ParallelPlan& plan, const model::Cluster& cluster,
           const TrainOptions& options) {
  workload::check_plan(model, plan, static_cast<int>(cluster.gpus.size()));
  if (options.energy)
    model::require_power(cluster);
  if (options.warmup < 0 || options.warmup >= options.iterations)
    throw base::UserError(
        fmt::format("a warm-up of {} of {} iterations leaves none to report", options.warmup, options.iterations));
  if (!options.timeline.empty() && options.strategies.size() > 1)
    throw base::UserError(
        fmt::format("a timeline shows one choice of strategies; {} are asked for", options.strategies.size()));
  for (const auto& strategies : options.strategies)
    (void)read_dimension_strategies(strategies);
}

/// One case with the defaults where none is asked for.
std::vector<std::string> cases_of(const TrainOptions& options) {
  return options.strategies.empty() ? std::vector<std::string>{""} : options.strategies;
}

} // namespace

std::vector<ExplainedRun> explain_training(const model::AnyModel& model, const workload::ParallelPlan& plan,
                                           const model::Cluster& cluster, const TrainOptions& options) {
  check(model, plan, cluster, options);
  std::vector<ExplainedRun> runs;
  for (const auto& strategies : cases_of(options)) {
    const auto made = job_of({model, plan, cluster, options}, strategies);
    runs.push_back({name_of_case(strategies), engine::explain_classes(cluster, made.job)});
  }
  return runs;
}

std::string to_string(const workload::ParallelPlan& plan) {
  std::string text = fmt::format("tp {}{}", plan.layer.tp, plan.layer.sequence_parallel ? " (sequence parallel)" : "");
  if (plan.layer.cp > 1)
    text += fmt::format(", cp {}", plan.layer.cp);
  if (plan.layer.ep > 1)
    text += fmt::format(", ep {}", plan.layer.ep);
  text += fmt::format(", pp {}", plan.pp);
  if (plan.pp > 1)
    text += fmt::format(" ({}{})", workload::to_string(plan.schedule),
                        plan.vpp > 1 ? fmt::format(", vpp {}", plan.vpp) : std::string());
  text += fmt::format(", dp {}", plan.dp);
  if (plan.zero > 0)
    text += fmt::format(", zero {}{}", plan.zero,
                        plan.shard_size > 0 ? fmt::format(" over {}", plan.shard_size) : std::string());
  return text;
}

std::string does_not_fit(const model::AnyModel& model, const workload::ParallelPlan& plan, const model::TrainRun& run) {
  for (const auto& result : run.cases)
    for (const auto& stage : result.stages) {
      const double held = stage.memory.peak_bytes;
      if (held <= run.hbm_capacity)
        continue;
      std::string parts;
      for (std::size_t account = 0; account < run.memory_accounts.size(); ++account)
        if (stage.memory.at_peak[account] > 0.0)
          parts += fmt::format("{}{} {:.1f}", parts.empty() ? "" : ", ", run.memory_accounts[account],
                               stage.memory.at_peak[account] / 1e9);
      const auto change = change_that_fits(model, plan, stage, run.hbm_capacity);
      return fmt::format(
          "out of memory: a GPU of stage {} holds {:.1f} GB ({} GB), and {} has {:.1f} GB: {:.1f} GB are "
          "missing; {} (--ignore-memory simulates all the same)",
          stage.stage, held / 1e9, parts, run.device, run.hbm_capacity / 1e9, (held - run.hbm_capacity) / 1e9,
          !change.empty()                                       ? change + " would fit"
          : std::holds_alternative<model::LanguageModel>(model) ? "it takes more GPUs for the model: a larger tp or pp"
                                                                : "it takes a smaller micro-batch or more GPUs");
    }
  return {};
}

model::TrainRun run_training(const model::AnyModel& model, const workload::ParallelPlan& plan,
                             const model::Cluster& cluster, const TrainOptions& options) {
  check(model, plan, cluster, options);
  const auto strategies = cases_of(options);
  const Setting setting{model, plan, cluster, options};
  std::vector<std::function<std::string()>> jobs;
  const ProgressBoard board(strategies.size(), options.progress);
  for (const auto& one : strategies)
    jobs.emplace_back([&setting, one, report = board.reporter(jobs.size())] { return play(setting, one, report); });
  const auto answers = run_forked(jobs, {options.jobs, board.watcher()});

  const auto& device = *cluster.gpus.front().device;
  model::TrainRun run;
  run.model = model::name_of(model);
  run.model_file = model::file_of(model);
  run.samples = model::samples_of(model);
  run.counts_tokens = run.samples == "sequences";
  run.platform = cluster.file;
  run.device = device.name;
  run.plan = to_string(plan);
  run.configuration = workload::plan_values(plan);
  run.gpus = plan.ranks();
  run.micro_batches = plan.micro_batches();
  run.global_batch = plan.global_batch;
  run.sequence = plan.layer.sequence;
  run.parameters = static_cast<double>(workload::total_parameters(model));
  run.peak_name = plan.layer.precision;
  run.peak_flops = device.peak.at(plan.layer.precision).value();
  run.hbm_capacity = device.hbm_capacity.value();
  run.memory_accounts = model::memory_account_names();
  const double model_flops =
      workload::model_flops(model, static_cast<double>(plan.global_batch), plan.layer.sequence).value();
  for (const auto& answer : answers) {
    auto result = from_training_wire(answer);
    result.model_flops = model_flops;
    result.samples_per_s = static_cast<double>(plan.global_batch) / result.iteration_s;
    result.tokens_per_s = result.samples_per_s * static_cast<double>(plan.layer.sequence);
    run.cases.push_back(std::move(result));
  }
  run.assumed = cluster.all_assumed({.training = true, .energy = options.energy});
  if (const auto* language = std::get_if<model::LanguageModel>(&model); language && language->prediction_layers > 0)
    run.assumed.push_back(
        fmt::format("no training of the model's layers of multi-token prediction ({})", language->prediction_layers));
  run.settings = engine::settings();
  if (options.granularity == Granularity::FLOW)
    run.settings.insert({{"granularity", "flow"}, {"granularity_error", flow_error_text()}});
  run.version = options.version;
  return run;
}

} // namespace tandem::study
