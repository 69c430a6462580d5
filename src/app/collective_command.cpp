// tandem collective: one operation alone, as nccl-tests shows it.
#include "app/beside_flag.h"
#include "app/collective_words.h"
#include "app/commands.h"
#include "app/fold_flags.h"
#include "app/inner_run.h"
#include "app/limit_flags.h"
#include "app/machine_flags.h"
#include "app/progress.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/log.h"
#include "base/output_file.h"
#include "base/units.h"
#include "model/rank_list.h"
#include "platform/libraries.h"
#include "report/nccl_table.h"
#include "study/collective.h"
#include "study/fit_library.h"
#include "study/load_cluster.h"
#include "workload/byte_matrix.h"
#include "workload/nccl_log.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

namespace tandem::app {

namespace {

using model::CollectiveKind;

constexpr int MOST_RANKS = 1 << 20, MOST_ROWS = 1000;

struct CollectiveFlags {
  std::string operation, platform, smallest = "8", largest = "128M", factor = "2", step, log, fit, exported, matrix,
                                   group;
  std::string granularity = "step";
  std::vector<std::string> strategies, beside;
  MachineFlags machine;
  FoldFlags folding;
  LimitFlags limit;
  int ranks = 0, root = 0, gpus_per_process = 0, jobs = 0;
  bool energy = false;
  Output output;
  Verbosity verbosity;
};

double factor_of(const std::string& text) {
  return value_of_flag("-f", [&] { return base::parse_number(text); });
}

std::vector<std::uint64_t> sizes_of(const CollectiveFlags& flags) {
  const auto smallest = size_of("-b", flags.smallest), largest = size_of("-e", flags.largest);
  if (smallest > largest)
    throw base::UserError(fmt::format("-b {} is more than -e {}", flags.smallest, flags.largest));
  const auto step = flags.step.empty() ? 0 : size_of("-i", flags.step);
  const double factor = factor_of(flags.factor);
  if (!flags.step.empty() && step == 0)
    throw base::UserError("-i: 0 leads nowhere; allowed: a size above 0");
  if (flags.step.empty() && (factor <= 1.0 || (smallest == 0 && largest > 0)))
    throw base::UserError(smallest == 0 ? "-b 0 cannot be multiplied; give -i STEP instead of -f"
                                        : fmt::format("-f: {} leads nowhere; allowed: a factor above 1", flags.factor));
  std::vector<std::uint64_t> sizes;
  for (auto size = smallest; size <= largest;) {
    sizes.push_back(size);
    if (sizes.size() > MOST_ROWS)
      throw base::UserError(fmt::format("more than {} sizes; give a larger -f or -i", MOST_ROWS));
    size = step > 0 ? size + step
                    : std::max(size + 1, static_cast<std::uint64_t>(std::floor(static_cast<double>(size) * factor)));
  }
  return sizes;
}

/// What nccl-tests would run for these sizes, each once.
std::vector<std::uint64_t> runnable(const std::vector<std::uint64_t>& asked, CollectiveKind kind, int ranks) {
  std::vector<std::uint64_t> sizes;
  for (const auto size : asked)
    if (const auto rounded = study::runnable_size(kind, ranks, size); sizes.empty() || sizes.back() != rounded)
      sizes.push_back(rounded);
  if (sizes.size() < asked.size())
    base::log_warning(
        fmt::format("{} sizes are asked for and {} run: nccl-tests rounds down to whole floats, and to 16 B "
                    "for each rank's own part",
                    asked.size(), sizes.size()));
  return sizes;
}

std::string formatted(const model::CollectiveRun& run, const std::string& format) {
  constexpr std::size_t WIDTH = 132;
  if (format == "json")
    return report::collective_json(run);
  if (format == "csv")
    return report::collective_csv(run);
  return run.log.empty() ? report::nccl_table(run) : report::against_table(run, {.width = WIDTH});
}

/// A barrier has no size, and an all-to-all-v's are its matrix's.
void check_sizes_are_asked_for(const CollectiveFlags& flags, CollectiveKind kind, const Origins& origins) {
  const bool with_matrix = kind == CollectiveKind::ALL_TO_ALL_V;
  if (with_matrix && flags.matrix.empty())
    throw base::UserError("alltoallv needs --matrix FILE, the bytes that each rank has for each other one");
  if (!with_matrix && !flags.matrix.empty())
    throw base::UserError(
        fmt::format("--matrix: {} has one size for all; only alltoallv takes a matrix", model::to_string(kind)));
  if (!with_matrix && kind != CollectiveKind::BARRIER)
    return;
  for (const auto* flag : {"--minbytes", "--maxbytes", "--stepfactor", "--stepbytes", "--against", "--fit"})
    if (origins.of(flag) == "flag")
      throw base::UserError(fmt::format(
          "{}: {}", flag, with_matrix ? "the matrix says how large an all-to-all-v is" : "a barrier moves no bytes"));
}

void give_matrix(const std::string& file, study::CollectiveOptions& options) {
  auto matrix = workload::read_byte_matrix(file);
  if (options.ranks != 0 && options.ranks != matrix.ranks)
    throw base::UserError({.file = file},
                          fmt::format("it is for {} ranks; {} are asked for", matrix.ranks, options.ranks));
  options.ranks = matrix.ranks;
  options.sizes = {static_cast<std::uint64_t>(matrix.total() / matrix.ranks)};
  options.pairs = std::make_shared<const std::vector<double>>(std::move(matrix.bytes));
}

/// The ranks that take part, by --group, and what runs at the same time.
void give_groups(const CollectiveFlags& flags, std::size_t gpus, study::CollectiveOptions& options) {
  if (!flags.group.empty()) {
    options.group = value_of_flag("--group", [&] { return model::parse_rank_list(flags.group, gpus); });
    if (options.pairs && options.group.size() != static_cast<std::size_t>(options.ranks))
      throw base::UserError({.file = flags.matrix},
                            fmt::format("it is for {} ranks; the group has {}", options.ranks, options.group.size()));
  }
  for (const auto& text : flags.beside)
    options.beside.push_back(parse_beside(text, gpus));
}

/// Gives the cluster a library of its own, fitted to the log. Returns which rows the fit saw.
std::vector<bool> fit(model::Cluster& cluster, const study::CollectiveOptions& options, int ranks,
                      const workload::NcclLog& log) {
  const double host_s =
      cluster.library ? study::host_time(cluster, options.kind, ranks, options.gpus_per_process) : 0.0;
  const auto group = options.group.empty() ? cluster : cluster.part(options.group);
  auto fitted = study::fit_library(group, options.kind, ranks, log.rows, host_s);
  fitted.library.source = "fitted to every other row of " + log.file + ", from " + fitted.library.name;
  fitted.library.name = std::filesystem::path(log.file).stem().string();
  cluster.library = std::make_shared<const model::Library>(std::move(fitted.library));
  return fitted.is_seen;
}

/// Files that are read, and a guess at the time: of every size and strategy, by the ranks.
study::PointInputs collective_inputs(const CollectiveFlags& flags) {
  constexpr double SECONDS_PER_ROW = 0.02, SECONDS_PER_RANK = 5e-4;
  (void)operation_of(flags.operation);
  const auto cluster = study::load_cluster(flags.platform, flags.machine.choice());
  study::PointInputs inputs;
  inputs.files = study::input_digests(cluster);
  inputs.files.merge(study::strategy_digests(flags.strategies));
  for (const auto& file : {flags.matrix, flags.log, flags.fit})
    if (!file.empty())
      inputs.files[file] = base::digest_file(file);
  const auto ranks = flags.ranks > 0 ? static_cast<std::size_t>(flags.ranks) : cluster.gpus.size();
  const auto rows = flags.matrix.empty() ? sizes_of(flags).size() : 1;
  const auto strategies = std::max<std::size_t>(1, flags.strategies.size());
  inputs.work =
      static_cast<double>(rows * strategies) * (SECONDS_PER_ROW + SECONDS_PER_RANK * static_cast<double>(ranks));
  inputs.csv_header = report::collective_csv({});
  return inputs;
}

void run_command(const CollectiveFlags& flags, const Origins& origins, InnerRun* inner) {
  flags.verbosity.apply();
  if (inner != nullptr && inner->stops_before_running([&] { return collective_inputs(flags); }))
    return;
  const auto format = flags.output.choose(origins).format;
  const auto kind = operation_of(flags.operation);
  if (!model::has_root(kind) && origins.of("--root") == "flag")
    throw base::UserError(fmt::format("-r: {} has no root", model::to_string(kind)));
  study::CollectiveOptions options{.kind = kind,
                                   .ranks = flags.ranks,
                                   .root = flags.root,
                                   .sizes = {},
                                   .strategies = flags.strategies,
                                   .fold = flags.folding.choice(),
                                   .granularity = study::granularity_of(flags.granularity),
                                   .limits = flags.limit.limits(),
                                   .energy = flags.energy,
                                   .gpus_per_process = std::max(1, flags.gpus_per_process),
                                   .jobs = flags.jobs,
                                   .version = program_version(),
                                   .progress = {}};
  check_sizes_are_asked_for(flags, kind, origins);
  const auto& log_file = flags.fit.empty() ? flags.log : flags.fit;
  workload::NcclLog log;
  if (!flags.matrix.empty())
    give_matrix(flags.matrix, options);
  else if (kind == CollectiveKind::BARRIER)
    options.sizes = {0};
  else if (log_file.empty())
    options.sizes = sizes_of(flags);
  else
    log = workload::read_nccl_log(log_file);
  for (const auto& row : log.rows)
    options.sizes.push_back(row.size_bytes);
  if (flags.gpus_per_process == 0 && log.gpus_per_process > 0)
    options.gpus_per_process = log.gpus_per_process;
  if (flags.output.file != "-")
    base::check_writable(flags.output.file);
  auto cluster = study::load_cluster(flags.platform, flags.machine.choice());
  give_groups(flags, cluster.gpus.size(), options);
  if (!flags.exported.empty()) {
    Output{.file = flags.exported, .format = {}}.write(study::export_algorithm(cluster, options));
    return;
  }
  const int ranks = study::ranks_of(cluster, options);
  if (options.gpus_per_process > ranks)
    throw base::UserError(fmt::format("--ngpus {}: there are {} GPUs", options.gpus_per_process, ranks));
  if (log_file.empty())
    options.sizes = runnable(options.sizes, options.kind, ranks);
  else
    workload::check_log_is_of(log, options.kind, ranks);
  if (flags.folding.explain) {
    flags.output.write(explained_text(study::explain_collective(cluster, options)));
    return;
  }
  std::vector<bool> is_fitted;
  if (!flags.fit.empty())
    is_fitted = fit(cluster, options, ranks, log);
  model::CollectiveRun run;
  {
    Progress progress;
    if (!flags.verbosity.quiet)
      options.progress = [&progress](const study::RunProgress& so_far) { progress.show(so_far); };
    run = study::run_collective(cluster, options);
  }
  run.log = log_file;
  if (!flags.fit.empty())
    run.fitted_library = platform::library_text(*cluster.library);
  for (auto& row : run.rows) {
    if (!log.rows.empty())
      row.measured_s = log.rows[row.size_index].time_s;
    if (!is_fitted.empty())
      row.is_fitted = is_fitted[row.size_index];
  }
  if (!log_file.empty())
    run.digests[log_file] = base::digest_file(log_file);
  if (!flags.matrix.empty())
    run.digests[flags.matrix] = base::digest_file(flags.matrix);
  run.settings.merge(flags.machine.settings());
  if (inner != nullptr)
    inner->output = {report::collective_csv(run), report::collective_json(run)};
  else
    flags.output.write(formatted(run, format));
}

void add_flags(CLI::App& command, CollectiveFlags& flags) {
  command
      .add_option("OPERATION", flags.operation,
                  fmt::format("{} (with or without - and _)", fmt::join(operation_names(), ", ")))
      ->required();
  command.add_option("--platform", flags.platform, "platform file (SimGrid XML)")
      ->required()
      ->type_name("FILE")
      ->check(not_empty());
  add_repeatable(
      command, "--strategy", flags.strategies,
      "NAME[:key=value...][+CODEC[:key=value...]]; instead of NAME also FILE.so, a plugin, or FILE.xml, an MSCCL "
      "algorithm (default: auto where the GPUs name a library that has the operation over the platform's links, else a "
      "bare ring, or direct)")
      ->type_name("S");
  auto* log = command
                  .add_option("--against", flags.log,
                              "log of nccl-tests or rccl-tests: its sizes, and its times beside the simulated ones")
                  ->type_name("LOG")
                  ->check(not_empty());
  auto* fitting =
      command
          .add_option("--fit", flags.fit,
                      "log, as --against: fit the constants of the GPUs' library to every other size, and print the "
                      "errors and the library")
          ->type_name("LOG")
          ->check(not_empty())
          ->excludes(log);
  command.add_option("-b,--minbytes", flags.smallest, "smallest size of the whole vector (default: 8)")
      ->type_name("SIZE")
      ->excludes(log)
      ->excludes(fitting);
  command
      .add_option("-e,--maxbytes", flags.largest, "largest size (default: 128M; K, M and G are 2^10, 2^20 and 2^30)")
      ->type_name("SIZE")
      ->excludes(log);
  auto* factor = command.add_option("-f,--stepfactor", flags.factor, "from one size to the next (default: 2)")
                     ->type_name("F")
                     ->excludes(log);
  command.add_option("-i,--stepbytes", flags.step, "from one size to the next, added instead of multiplied")
      ->type_name("SIZE")
      ->excludes(factor)
      ->excludes(log);
  auto* first =
      command.add_option("-n,--ranks", flags.ranks, "GPUs that take part, the platform's first (default: 0, all)")
          ->type_name("N")
          ->check(whole_number(0, MOST_RANKS));
  command
      .add_option(
          "--group", flags.group,
          "GPUs that take part, in this order: ranks and ranges between commas, as 0-7, 0,8,16 or 0-63:8 (every "
          "8th)")
      ->type_name("LIST")
      ->check(not_empty())
      ->excludes(first);
  command.add_option("-r,--root", flags.root, "root of broadcast, reduce, scatter and gather (default: 0)")
      ->type_name("RANK")
      ->check(whole_number(0, MOST_RANKS));
  command
      .add_option("-g,--ngpus", flags.gpus_per_process,
                  "GPUs of one host process, whose kernels it issues one after the other (default: 0, as the log says, "
                  "or 1)")
      ->type_name("N")
      ->check(whole_number(0, MOST_RANKS));
  command
      .add_option("--matrix", flags.matrix,
                  "of alltoallv: a line for each rank with the bytes that it has for each, between commas or blanks")
      ->type_name("FILE")
      ->check(not_empty());
  auto* exporting =
      command.add_option("--export", flags.exported, "write the strategy as an MSCCL algorithm, and time nothing")
          ->type_name("FILE")
          ->check(not_empty());
  auto* energy = add_switch(command, "--energy", flags.energy, "joules too; the device file states what GPUs draw");
  add_repeatable(command, "--beside", flags.beside, beside_help())
      ->type_name("WORDS")
      ->excludes(energy)
      ->excludes(log)
      ->excludes(fitting)
      ->excludes(exporting);
  flags.machine.add_to(command);
  command
      .add_option("--granularity", flags.granularity,
                  "step: every step; flow: repeated steps as one flow, which not every strategy allows (default: step)")
      ->type_name("MODE")
      ->check(one_of("granularity", study::granularity_names()))
      ->excludes(exporting);
  flags.folding.add_to(command);
  flags.limit.add_to(command);
  add_jobs(command, flags.jobs);
  flags.output.add_to(command);
  flags.verbosity.add_to(command);
}

} // namespace

void add_collective(CLI::App& app, InnerRun* inner) {
  auto flags = std::make_shared<CollectiveFlags>();
  auto* command = app.add_subcommand("collective", "time a collective alone at many sizes, in nccl-tests' table");
  command->footer(
      "Examples:\n"
      "  tandem collective allreduce --platform platforms/dgx-h100.xml -b 8 -e 1G -f 2\n"
      "  tandem collective allreduce --platform platforms/t3-ring-8.xml --strategy ring --strategy tree:chunks=32\n"
      "  tandem collective alltoall --platform platforms/dgx-h100.xml --strategy direct:window=2 -n 6\n"
      "  tandem collective allreduce --platform platforms/dgx-a100.xml --nodes 4 -b 1M -e 64M -f 8\n"
      "  tandem collective allreduce --platform platforms/dgx-a100.xml --nodes 16 --strategy ring --granularity flow "
      "-b 1M "
      "-e 64M -f 8\n"
      "  tandem collective broadcast --platform platforms/dgx-h100.xml -r 3 --format json -o broadcast.json\n"
      "  tandem collective allreduce --platform platforms/dgx-h100.xml --strategy ring --export ring.xml\n"
      "  tandem collective allreduce --platform platforms/dgx-h100.xml --strategy ring.xml:sms=4\n"
      "  tandem collective allreduce --platform platforms/dgx-h100.xml -o ring.log\n"
      "  tandem collective allreduce --platform platforms/dgx-h100.xml --strategy tree --against ring.log\n"
      "  tandem collective allreduce --platform platforms/dgx-h100.xml --nodes 2 --group 0-15:8 -b 1M -e 16M -f 4\n"
      "  tandem collective allgather --platform platforms/dgx-h100.xml --group 0-3 -b 16M -e 64M "
      "--beside \"allreduce bytes=64M group=2-7 strategy=ring:channels=2 start=10us count=2\"\n"
      "Which algorithm and protocol a library takes: docs/models.md, \"Libraries\".");
  add_flags(*command, *flags);
  command->callback([flags, command, inner] { run_command(*flags, apply_environment(*command), inner); });
}

} // namespace tandem::app
