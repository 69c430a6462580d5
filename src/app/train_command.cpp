// tandem train: one model and parallel plan, strategies side by side.
#include "app/commands.h"
#include "app/inner_run.h"
#include "app/progress.h"
#include "app/train_run.h"
#include "base/log.h"
#include "base/output_file.h"
#include "report/train_report.h"
#include "study/run_stats.h"

#include <functional>
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

void run_train(const TrainFlags& flags, const Origins& origins, InnerRun* inner) {
  flags.verbosity.apply();
  if (inner != nullptr) {
    if (inner->stops_before_running([&] { return train_inputs(flags); }))
      return;
    const auto run = train_run(flags);
    inner->output = {report::train_csv(run), report::train_json(run)};
    return;
  }
  const auto format = flags.output.choose(origins).format;
  for (const auto& file : {flags.output.file, flags.timeline, flags.stats})
    if (!file.empty() && file != "-")
      base::check_writable(file);
  if (flags.folding.explain) {
    flags.output.write(explained_train(flags));
    return;
  }
  for (const auto& what : flags.simplified)
    base::log_warning(what);
  const study::RunStats stats;
  model::TrainRun run;
  {
    Progress progress;
    study::ProgressBoard::Show show;
    if (!flags.verbosity.quiet)
      show = [&progress](const study::RunProgress& so_far) { progress.show(so_far); };
    run = train_run(flags, show);
  }
  flags.output.write(formatted(run, flags, format));
  if (!flags.stats.empty())
    stats.write(flags.stats);
}

} // namespace

void add_train(CLI::App& app, InnerRun* inner) {
  auto flags = std::make_shared<TrainFlags>();
  auto* command = app.add_subcommand("train", "simulate a training iteration of one model and parallel plan");
  command->footer(
      "Examples:\n"
      "  tandem train --model gpt3-175b --platform platforms/dgx-a100.xml --nodes 8 --tp 8 --pp 8 --sp --recompute "
      "selective --global-batch 32 --detail\n"
      "  tandem train --model llama2-7b --seq 4096 --platform platforms/dgx-h100.xml --zero 3 --recompute full\n"
      "  tandem train --layers 24 --hidden 2304 --heads 24 --seq 2048 --platform platforms/t3-ring-8.xml --precision "
      "fp16 --tp 8 --strategy tp=sequential --strategy tp=t3-mca\n"
      "  tandem train --plan workloads/examples/pretrain-gpt.sh --platform platforms/dgx-a100.xml --recompute full\n"
      "Models: tandem list models. Inputs: docs/inputs.md; results: docs/results.md.");
  flags->add_to(*command);
  command->callback([flags, command, inner] {
    const auto origins = apply_environment(*command);
    flags->apply_plan(*command);
    run_train(*flags, origins, inner);
  });
}

} // namespace tandem::app
