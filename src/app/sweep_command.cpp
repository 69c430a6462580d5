// tandem sweep: a study's points, in parallel, kept as they end.
#include "app/commands.h"
#include "app/point_commands.h"
#include "app/sweep_bar.h"
#include "app/sweep_flags.h"
#include "base/error.h"
#include "base/log.h"
#include "base/output_file.h"
#include "report/sweep_report.h"
#include "study/fork_pool.h"
#include "study/sweep/slurm.h"
#include "study/sweep/sweep_plan.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace tandem::app {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t SWEEP_WIDTH = 200;

/// What is written must be able to be, and must not be what is read.
void check_files(const SweepFlags& flags) {
  const auto store = flags.store_path();
  std::error_code error; // paths that cannot be followed differ
  for (const auto& written : {store, flags.output.file}) {
    if (written != "-" && fs::equivalent(written, flags.study, error))
      throw base::UserError({.file = written}, "is the study itself, and would be written");
    for (const auto& merged : flags.merge)
      if (written != "-" && fs::equivalent(written, merged, error))
        throw base::UserError({.file = merged}, "is both read and written");
  }
  if (flags.output.file == store)
    throw base::UserError({.file = store}, "is both the store and the output; choose two names");
  if (flags.output.file != "-")
    base::check_writable(flags.output.file);
  if (!flags.dry_run)
    base::check_writable(store);
}

std::string formatted(const model::SweepResult& result, const SweepFlags& flags, const std::string& format) {
  if (format == "json")
    return report::sweep_json(result);
  if (format == "csv")
    return report::sweep_csv(result);
  const bool terminal = flags.output.file == "-" && isatty(STDOUT_FILENO) != 0;
  return report::sweep_table(result, {.width = SWEEP_WIDTH, .colour = terminal});
}

std::string formatted_plan(const study::SweepPlan& plan, const std::string& format) {
  return format == "json"  ? study::plan_json(plan)
         : format == "csv" ? study::plan_csv(plan)
                           : study::plan_table(plan, {.width = SWEEP_WIDTH});
}

void run(const study::PreparedStudy& study, const study::PointRunner& runner, study::ResultStore& store,
         const SweepFlags& flags) {
  SweepBar bar;
  study::SweepOptions options{.jobs = flags.jobs, .progress = {}};
  if (!flags.verbosity.quiet)
    options.progress = [&bar](const study::SweepProgress& progress) { bar.show(progress); };
  try {
    if (flags.slurm)
      study::run_on_slurm(study, store,
                          {.program = fs::read_symlink("/proc/self/exe").string(),
                           .study = flags.study,
                           .store = flags.store_path(),
                           .array_size = static_cast<std::size_t>(flags.array_size),
                           .words = flags.sbatch_words(),
                           .progress = options.progress});
    else
      study::run_points(study, runner, store, options);
  } catch (const study::Interrupted&) {
    base::log_warning(
        fmt::format("{} keeps the points that are done; the same command runs the others", flags.store_path()));
    throw;
  }
}

/// Ends the program with the exit code that says how the study went; its results are written.
void judge(const model::SweepResult& result) {
  const auto count = [&](model::PointStatus status) {
    return std::count_if(result.points.begin(), result.points.end(),
                         [&](const model::SweepPoint& point) { return point.status == status; });
  };
  for (const auto& point : result.points)
    if (point.status == model::PointStatus::FAILED) {
      const auto message = fmt::format("{} of {} points failed, and run again next time. Point {}: {}\n  {}",
                                       count(model::PointStatus::FAILED), result.points.size(), point.point,
                                       point.reason, point.command);
      if (point.reason.find("not enough memory") != std::string::npos)
        throw base::Infeasible(message);
      throw base::Bug(message);
    }
  if (const auto missing = count(model::PointStatus::PENDING); missing > 0)
    throw base::Infeasible(fmt::format("{} of {} points have not been run", missing, result.points.size()));
  if (!result.points.empty() && count(model::PointStatus::OK) == 0)
    throw base::Infeasible(
        fmt::format("no point is feasible; point {}: {}", result.points.front().point, result.points.front().reason));
}

void run_sweep(const SweepFlags& flags, const Origins& origins) {
  flags.verbosity.apply();
  const auto format = flags.output.choose(origins).format;
  const auto shard = flags.which_shard();
  const auto study = study::read_study(flags.study, point_commands());
  check_files(flags);
  const auto runner = point_runner();
  const auto all = study::prepare(study, words_of_environment(study), runner, program_version());
  flags.verbosity.apply(); // reading the points' inputs has silenced it
  const auto part = study::part_of(all, shard);
  if (flags.dry_run) {
    flags.output.write(formatted_plan(study::plan_of(part, flags.store_path(), flags.jobs), format));
    return;
  }
  study::ResultStore store(flags.store_path());
  store.describe(all.result);
  for (const auto& file : flags.merge)
    base::log_info(fmt::format("{}: {} results taken over", file, store.absorb(file)));
  if (flags.merge.empty())
    run(part, runner, store, flags);
  auto result = part.result;
  store.fill(result);
  flags.output.write(formatted(result, flags, format));
  judge(result);
}

} // namespace

void add_sweep(CLI::App& app) {
  auto flags = std::make_shared<SweepFlags>();
  auto* command = app.add_subcommand(
      "sweep", "run a study, every combination of its axes, in parallel; what is done is kept and not run again");
  command->footer(
      "Examples:\n"
      "  tandem sweep workloads/studies/small.yaml --dry-run\n"
      "  tandem sweep workloads/studies/small.yaml\n"
      "  tandem sweep workloads/studies/small.yaml -o small.csv\n"
      "  tandem sweep workloads/studies/small.yaml --shard 0/2 --store shard-0.sqlite\n"
      "  tandem sweep workloads/studies/small.yaml --shard 1/2 --store shard-1.sqlite\n"
      "  tandem sweep workloads/studies/small.yaml --store whole.sqlite --merge shard-0.sqlite shard-1.sqlite\n"
      "Interrupted (Ctrl-C) or killed at any moment, the same command goes on where it was. Studies that ship: "
      "docs/studies.md.");
  flags->add_to(*command);
  command->callback([flags, command] { run_sweep(*flags, apply_environment(*command)); });
}

} // namespace tandem::app
