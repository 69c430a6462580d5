// tandem train: one model and parallel plan, strategies side by side.
#include "app/commands.h"
#include "app/progress.h"
#include "app/train_flags.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/output_file.h"
#include "report/train_report.h"
#include "study/run_stats.h"
#include "study/train.h"

#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace tandem::app {

namespace {

std::string formatted(const model::TrainRun& run, const TrainFlags& flags, const std::string& format) {
  constexpr std::size_t WIDTH = 160;
  if (format == "json")
    return report::train_json(run);
  if (format == "csv")
    return report::train_csv(run);
  const bool terminal = flags.output.file == "-" && isatty(STDOUT_FILENO) != 0;
  return report::train_table(run, {.width = WIDTH, .colour = terminal}, flags.detail);
}

void run_train(const TrainFlags& flags, const Origins& origins) {
  flags.verbosity.apply();
  const auto format = flags.output.choose(origins).format;
  for (const auto& file : {flags.output.file, flags.stats})
    if (!file.empty() && file != "-")
      base::check_writable(file);
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
  options.fold = flags.folding.choice();
  if (flags.folding.explain) {
    flags.output.write(explained_text(study::explain_training(language_model, plan, cluster, options)));
    return;
  }
  const study::RunStats stats;
  model::TrainRun run;
  {
    Progress progress;
    if (!flags.verbosity.quiet)
      options.progress = [&progress](std::size_t done, std::size_t count) { progress.show(done, count); };
    run = study::run_training(language_model, plan, cluster, options);
  }
  run.settings.merge(flags.machine.settings());
  run.digests = study::input_digests(cluster);
  if (!language_model.file.empty())
    run.digests[language_model.file] = base::digest_file(language_model.file);
  if (const auto missing = study::does_not_fit(language_model, plan, run); !missing.empty() && !flags.ignore_memory)
    throw base::Infeasible(missing);
  flags.output.write(formatted(run, flags, format));
  if (!flags.stats.empty())
    stats.write(flags.stats);
}

} // namespace

void add_train(CLI::App& app) {
  auto flags = std::make_shared<TrainFlags>();
  auto* command = app.add_subcommand("train", "simulate a training iteration of one model and parallel plan");
  command->footer(
      "Examples:\n"
      "  tandem train --model gpt3-175b --platform platforms/dgx-a100.xml --nodes 8 --tp 8 --pp 8 --sp --recompute "
      "selective --global-batch 32 --detail\n"
      "  tandem train --model llama2-7b --seq 4096 --platform platforms/dgx-h100.xml --zero 3 --recompute full\n"
      "  tandem train --layers 24 --hidden 2304 --heads 24 --seq 2048 --platform platforms/t3-ring-8.xml --precision "
      "fp16 --tp 8 --strategy tp=sequential --strategy tp=t3-mca\n"
      "Models: tandem list models. Inputs: docs/inputs.md; results: docs/results.md.");
  flags->add_to(*command);
  command->callback([flags, command] { run_train(*flags, apply_environment(*command)); });
}

} // namespace tandem::app
