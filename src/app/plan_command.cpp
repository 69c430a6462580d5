// tandem plan: the best parallel plans of a model on a machine, with a proof.
#include "app/commands.h"
#include "app/plan_flags.h"
#include "app/progress.h"
#include "base/digest.h"
#include "base/output_file.h"
#include "report/plan_report.h"
#include "study/run_stats.h"

#include <memory>
#include <unistd.h>

namespace tandem::app {

namespace {

std::string plan_text(const model::PlanSearch& search, const PlanFlags& flags, const std::string& format) {
  constexpr std::size_t WIDTH = 160;
  if (format == "json")
    return report::plan_json(search);
  if (format == "csv")
    return report::plan_csv(search);
  const bool terminal = flags.train.output.file == "-" && isatty(STDOUT_FILENO) != 0;
  return report::plan_table(search, {.width = WIDTH, .colour = terminal});
}

model::PlanSearch searched(const PlanFlags& flags) {
  const auto model = flags.train.read_transformer();
  const auto cluster = study::load_cluster(flags.train.platform, flags.train.machine.choice());
  auto options = flags.options();
  const auto base = flags.train.plan_for(model, static_cast<int>(cluster.gpus.size()));
  Progress progress;
  if (!flags.train.verbosity.quiet)
    options.progress = [&progress](const std::string& text) { progress.say(text); };
  auto found = study::find_plans(model, base, cluster, options);
  found.settings.merge(flags.train.machine.settings());
  found.digests = study::input_digests(cluster);
  if (!model.file.empty())
    found.digests[model.file] = base::digest_file(model.file);
  return found;
}

void run_plan(const PlanFlags& flags, const Origins& origins) {
  flags.train.verbosity.apply();
  const auto format = flags.train.output.choose(origins).format;
  for (const auto& file : {flags.train.output.file, flags.train.stats})
    if (!file.empty() && file != "-")
      base::check_writable(file);
  const study::RunStats stats;
  flags.train.output.write(plan_text(searched(flags), flags, format));
  if (!flags.train.stats.empty())
    stats.write(flags.train.stats);
}

} // namespace

void add_plan(CLI::App& app) {
  auto flags = std::make_shared<PlanFlags>();
  auto* command = app.add_subcommand("plan", "find the best parallel plan of a model on a machine, and prove it");
  command->footer("Examples:\n"
                  "  tandem plan --layers 4 --hidden 1024 --heads 16 --seq 512 --platform platforms/dgx-a100.xml "
                  "--global-batch 16 --top 3\n"
                  "  tandem plan --layers 8 --hidden 2048 --heads 16 --seq 1024 --platform platforms/dgx-a100.xml "
                  "--global-batch 16 --gpus 4,8 --tp 1,2,4 --cp 1 --objective tokens-per-gpu-hour\n"
                  "Inputs: docs/inputs.md; results: docs/results.md; what is proven: docs/models.md.");
  flags->add_to(*command);
  command->callback([flags, command] { run_plan(*flags, apply_environment(*command)); });
}

} // namespace tandem::app
