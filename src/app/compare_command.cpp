// tandem compare: strategies side by side.
#include "app/commands.h"
#include "app/compare_flags.h"
#include "app/inner_run.h"
#include "app/progress.h"
#include "base/error.h"
#include "base/log.h"
#include "base/output_file.h"
#include "base/text.h"
#include "report/comparison_table.h"
#include "report/csv.h"
#include "report/json.h"
#include "study/compare.h"
#include "study/fork_pool.h"
#include "study/run_stats.h"
#include "workload/workload_reader.h"

#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <unistd.h>

namespace tandem::app {

namespace {

study::CompareOptions options_of(const CompareFlags& flags) {
  study::CompareOptions options;
  options.strategies = flags.strategies;
  options.platform = flags.platform;
  options.machine = flags.machine.choice();
  options.only = read_assignments("--only", flags.only);
  options.timeline = flags.timeline;
  options.fold = flags.folding.choice();
  options.limits = flags.limit.limits();
  options.energy = flags.energy;
  options.jobs = flags.jobs;
  options.seed = flags.seed;
  options.version = program_version();
  return options;
}

/// The files that are written must be able to be, must differ, and must not be what is read.
void check_outputs(const CompareFlags& flags) {
  namespace fs = std::filesystem;
  const auto same = [](const std::string& a, const std::string& b) {
    std::error_code error; // paths that cannot be followed are compared as they are written
    const auto absolute_a = fs::weakly_canonical(a, error), absolute_b = fs::weakly_canonical(b, error);
    return absolute_a == absolute_b;
  };
  std::vector<std::pair<std::string, std::string>> seen = {{"WORKLOAD", flags.workload}};
  if (!flags.platform.empty())
    seen.emplace_back("--platform", flags.platform);
  for (const auto& [flag, file] : {std::pair("--output", flags.output.file), std::pair("--timeline", flags.timeline),
                                   std::pair("--stats", flags.stats)}) {
    if (file.empty() || (file == "-" && flag == std::string("--output")))
      continue;
    for (const auto& [other, path] : seen)
      if (same(file, path) && !(fs::exists(path) && !fs::is_regular_file(path))) // /dev/null may take everything
        throw base::UserError(fmt::format("{} and {} are the same file {}", other, flag, base::in_quotes(file)));
    base::check_writable(file);
    seen.emplace_back(flag, file);
  }
}

std::string formatted(const model::Comparison& comparison, const CompareFlags& flags, const std::string& format) {
  constexpr std::size_t WIDTH = 132;
  if (format == "json")
    return report::comparison_json(comparison);
  if (format == "csv")
    return report::comparison_csv(comparison);
  const bool terminal = flags.output.file == "-" && isatty(STDOUT_FILENO) != 0;
  return report::comparison_table(comparison, {.detail = flags.detail, .colour = terminal, .width = WIDTH});
}

study::PointInputs compare_inputs(const model::Workload& workload, const study::CompareOptions& options) {
  constexpr double SECONDS_PER_GPU = 2e-3;
  study::PointInputs inputs;
  inputs.files = study::comparison_digests(workload, options);
  const auto& strategies = options.strategies.empty() ? workload.strategies : options.strategies;
  for (const auto& described : workload.cases)
    inputs.work += SECONDS_PER_GPU * described.tp * static_cast<double>(strategies.size());
  inputs.csv_header = report::comparison_csv({});
  return inputs;
}

model::Comparison compared(const CompareFlags& flags, const model::Workload& workload,
                           const study::CompareOptions& options) {
  auto comparison = study::compare(workload, options);
  comparison.settings.merge(flags.machine.settings());
  for (const auto& [key, value] : options.only)
    comparison.settings["only/" + key] = value;
  return comparison;
}

void run_inner(const CompareFlags& flags, InnerRun& inner) {
  const auto options = options_of(flags);
  if (inner.stage == InnerRun::Stage::FLAGS)
    return;
  const auto workload = workload::read_workload(flags.workload);
  if (inner.stops_before_running([&] { return compare_inputs(workload, options); }))
    return;
  const auto comparison = compared(flags, workload, options);
  inner.output = {report::comparison_csv(comparison), report::comparison_json(comparison)};
}

void run_compare(const CompareFlags& flags, const Origins& origins, InnerRun* inner) {
  if (inner != nullptr) {
    flags.verbosity.apply();
    run_inner(flags, *inner);
    return;
  }
  flags.verbosity.apply();
  auto options = options_of(flags);
  const auto format = flags.output.choose(origins).format;
  if (!flags.print_config)
    check_outputs(flags);
  const auto workload = workload::read_workload(flags.workload);
  if (flags.print_config) {
    print(config_text(flags, origins, workload));
    return;
  }
  if (flags.folding.explain) {
    flags.output.write(explained_text(study::explain_comparison(workload, options)));
    return;
  }
  base::log_info(workload.file + ": " + base::counted(workload.cases.size(), "case"));
  const study::RunStats stats;
  model::Comparison comparison;
  {
    Progress progress;
    if (!flags.verbosity.quiet)
      options.progress = [&progress](const study::RunProgress& so_far) { progress.show(so_far); };
    comparison = compared(flags, workload, options);
  }
  flags.output.write(formatted(comparison, flags, format));
  if (!flags.stats.empty())
    stats.write(flags.stats);
  if (comparison.interrupted)
    throw study::Interrupted();
}

void add_flags(CLI::App& command, CompareFlags& flags) {
  command.add_option("WORKLOAD", flags.workload, "workload file (YAML)")->required();
  add_repeatable(command, "--strategy", flags.strategies,
                 "NAME[:key=value...][+CODEC[:key=value...]], or FILE.so instead of NAME (default: the workload's)")
      ->type_name("S");
  command
      .add_option("--platform", flags.platform,
                  "platform file (SimGrid XML) instead of the workload's; {tp} stands for a case's tp")
      ->type_name("FILE")
      ->check(not_empty());
  flags.machine.add_to(command);
  flags.folding.add_to(command);
  flags.limit.add_to(command);
  add_repeatable(command, "--only", flags.only, "keep cases with this model=, tp=, sublayer= or phase=")
      ->type_name("K=V");
  add_switch(command, "--energy", flags.energy, "joules too; the device file states what GPUs draw");
  add_switch(command, "--detail", flags.detail, "a block for each case, however many there are");
  command.add_option("--timeline", flags.timeline, "write a Chrome/Perfetto timeline of one case")
      ->type_name("FILE")
      ->check(not_empty());
  command.add_option("--stats", flags.stats, "write wall time, CPU time and memory of this run (JSON)")
      ->type_name("FILE")
      ->check(not_empty());
  command.add_option("--seed", flags.seed, "seed of everything random (nothing is, so far)")
      ->type_name("N")
      ->check(whole_number(0, std::numeric_limits<long long>::max()));
  add_jobs(command, flags.jobs);
  add_switch(command, "--print-config", flags.print_config, "print every setting and what decided it, and stop");
  flags.output.add_to(command);
  flags.verbosity.add_to(command);
}

} // namespace

void add_compare(CLI::App& app, InnerRun* inner) {
  auto flags = std::make_shared<CompareFlags>();
  auto* command = app.add_subcommand("compare", "run a workload under several collective strategies, side by side");
  command->footer(
      "Examples:\n"
      "  tandem compare workloads/t3.yaml\n"
      "  tandem compare workloads/t3.yaml --strategy sequential --strategy t3:block=32 --only tp=8 --detail\n"
      "  tandem compare workloads/t3.yaml --only model=T-NLG --only tp=8 --only sublayer=FC-2 --timeline "
      "t3.trace.json\n"
      "  tandem compare workloads/examples/h100-node.yaml --format json -o result.json\n"
      "  tandem compare workloads/examples/one-sublayer.yaml --set device.hbm_bandwidth=2TBps\n"
      "  tandem compare workloads/t3.yaml --print-config\n"
      "Timelines open in https://ui.perfetto.dev. Inputs: docs/inputs.md; results: docs/results.md.");
  add_flags(*command, *flags);
  command->callback([flags, command, inner] { run_compare(*flags, apply_environment(*command), inner); });
}

} // namespace tandem::app
