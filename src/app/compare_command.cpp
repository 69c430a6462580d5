// tandem compare: strategies side by side.
#include "app/commands.h"
#include "app/options.h"
#include "base/output_file.h"
#include "report/comparison_table.h"
#include "report/csv.h"
#include "report/json.h"
#include "study/compare.h"
#include "study/run_stats.h"
#include "workload/workload_reader.h"

#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace tandem::app {

namespace {

struct CompareFlags {
  std::string workload;
  std::vector<std::string> strategies, devices, set, only;
  std::string platform, timeline, stats;
  int jobs = 0;
  std::uint64_t seed = 0;
  bool detail = false, print_config = false;
  Output output;
  Verbosity verbosity;
};

study::CompareOptions options_of(const CompareFlags& flags) {
  study::CompareOptions options;
  options.strategies = flags.strategies;
  options.platform = flags.platform;
  options.device_paths = flags.devices;
  for (const auto& [key, value] : read_assignments("--set", flags.set)) {
    if (!key.starts_with("device."))
      throw base::UserError("--set: unknown key '" + key +
                            "'; allowed: device.KEY (tandem list devices shows the keys)");
    options.device_values[key.substr(7)] = value;
  }
  options.only = read_assignments("--only", flags.only);
  options.timeline = flags.timeline;
  options.jobs = flags.jobs;
  options.seed = flags.seed;
  options.version = program_version();
  if (!flags.verbosity.quiet)
    options.progress = show_progress;
  return options;
}

/// The command as it will run, as flags that bring it about again.
std::string config_text(const CompareFlags& flags, const model::Workload& workload) {
  std::string text = fmt::format("workload: {}\nplatform: {}\nbaseline: {}\nstrategies:\n", workload.file,
                                 flags.platform.empty() ? "as each case says" : flags.platform, workload.baseline);
  for (const auto& strategy : flags.strategies.empty() ? workload.strategies : flags.strategies)
    text += fmt::format("  - {}  # {}\n", strategy, flags.strategies.empty() ? "workload" : "flag");
  for (const auto& value : flags.set)
    text += fmt::format("set: {}  # flag\n", value);
  for (const auto& value : flags.only)
    text += fmt::format("only: {}  # flag\n", value);
  text += fmt::format("jobs: {}  # {}\nseed: {}\ncases:\n", flags.jobs,
                      flags.jobs == 0 ? "default: one per core" : "flag", flags.seed);
  for (const auto& described : workload.cases)
    text += fmt::format("  - {{model: {}, tp: {}, sublayer: {}, phase: {}, platform: {}}}\n", described.model,
                        described.tp, described.sublayer, described.phase, described.platform);
  return text;
}

void run_compare(const CompareFlags& flags) {
  flags.verbosity.apply();
  const auto options = options_of(flags);
  flags.output.check();
  for (const auto& file : {flags.timeline, flags.stats})
    if (!file.empty())
      base::check_writable(file);
  const auto workload = workload::read_workload(flags.workload);
  if (flags.print_config) {
    flags.output.write(config_text(flags, workload));
    return;
  }
  const study::RunStats stats;
  const auto comparison = study::compare(workload, options);
  const auto format = flags.output.chosen_format();
  const bool terminal = flags.output.file == "-" && isatty(STDOUT_FILENO) != 0;
  flags.output.write(format == "json"  ? report::comparison_json(comparison)
                     : format == "csv" ? report::comparison_csv(comparison)
                                       : report::comparison_table(
                                             comparison, {.detail = flags.detail, .colour = terminal, .width = 132}));
  if (!flags.stats.empty())
    stats.write(flags.stats);
}

} // namespace

void add_compare(CLI::App& app) {
  auto flags = std::make_shared<CompareFlags>();
  auto* command = app.add_subcommand("compare", "run a workload under several collective strategies, side by side");
  command->footer(
      "Examples:\n"
      "  tandem compare workloads/t3.yaml\n"
      "  tandem compare workloads/t3.yaml --strategy sequential --strategy t3:block=32 --only tp=8 --detail\n"
      "  tandem compare workloads/t3.yaml --only model=T-NLG --only tp=8 --only sublayer=FC-2 --timeline "
      "t3.trace.json\n"
      "  tandem compare workloads/examples/h100-node.yaml --format json -o result.json\n"
      "  tandem compare workloads/t3.yaml --set device.hbm_bandwidth=2TBps\n"
      "Timelines open in https://ui.perfetto.dev. Keys of results: docs/results.md; of inputs: docs/inputs.md.");
  command->add_option("WORKLOAD", flags->workload, "workload file (YAML)")->required();
  command
      ->add_option("--strategy", flags->strategies,
                   "NAME or NAME:key=value:...; repeat for several (default: the workload's)")
      ->type_name("S");
  command
      ->add_option("--platform", flags->platform,
                   "platform file (SimGrid XML) instead of the workload's; {tp} is replaced")
      ->type_name("FILE")
      ->envname("TANDEM_PLATFORM");
  command
      ->add_option("--devices", flags->devices, "device file, or folder of device files, to look in first; repeatable")
      ->type_name("PATH");
  command->add_option("--set", flags->set, "device.KEY=VALUE over the device file; repeatable")->type_name("K=V");
  command->add_option("--only", flags->only, "keep cases with model=, tp=, sublayer= or phase=; repeatable")
      ->type_name("K=V");
  command->add_flag("--detail", flags->detail, "a block for each case, however many there are");
  command->add_option("--timeline", flags->timeline, "write a Chrome/Perfetto timeline of one case")->type_name("FILE");
  command->add_option("--stats", flags->stats, "write wall time, CPU time and memory of this run")->type_name("FILE");
  command->add_option("--seed", flags->seed, "seed of everything random (nothing is, so far)")->envname("TANDEM_SEED");
  command->add_option("-j,--jobs", flags->jobs, "simulations at a time (default: one per core)")
      ->check(CLI::Range(0, 4096))
      ->envname("TANDEM_JOBS");
  command->add_flag("--print-config", flags->print_config, "print what would run, and stop");
  flags->output.add_to(*command);
  flags->verbosity.add_to(*command);
  command->callback([flags] { run_compare(*flags); });
}

} // namespace tandem::app
