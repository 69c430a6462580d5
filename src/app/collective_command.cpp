// tandem collective: one operation alone, as nccl-tests shows it.
#include "app/commands.h"
#include "app/fold_flags.h"
#include "app/machine_flags.h"
#include "app/progress.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/log.h"
#include "base/output_file.h"
#include "base/units.h"
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
constexpr double LARGEST = 1125899906842624.0; // 1 PiB

struct CollectiveFlags {
  std::string operation, platform, smallest = "8", largest = "128M", factor = "2", step, log, fit, exported, matrix;
  std::vector<std::string> strategies;
  MachineFlags machine;
  FoldFlags folding;
  int ranks = 0, root = 0, gpus_per_process = 0, jobs = 0;
  Output output;
  Verbosity verbosity;
};

struct Operation {
  const char* name; ///< without '-' and '_', as nccl-tests' programs are called
  CollectiveKind kind;
};
constexpr std::array OPERATIONS{
    Operation{"allreduce", CollectiveKind::ALL_REDUCE},   Operation{"reducescatter", CollectiveKind::REDUCE_SCATTER},
    Operation{"allgather", CollectiveKind::ALL_GATHER},   Operation{"alltoall", CollectiveKind::ALL_TO_ALL},
    Operation{"broadcast", CollectiveKind::BROADCAST},    Operation{"reduce", CollectiveKind::REDUCE},
    Operation{"scatter", CollectiveKind::SCATTER},        Operation{"gather", CollectiveKind::GATHER},
    Operation{"alltoallv", CollectiveKind::ALL_TO_ALL_V}, Operation{"sendrecv", CollectiveKind::SEND_RECV},
    Operation{"barrier", CollectiveKind::BARRIER}};

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const auto& operation : OPERATIONS)
    names.emplace_back(operation.name);
  return names;
}

/// all_reduce, all-reduce and allreduce are the same.
CollectiveKind operation_of(const std::string& text) {
  std::string plain;
  for (const char c : text)
    if (c != '-' && c != '_')
      plain += c;
  for (const auto& operation : OPERATIONS)
    if (plain == operation.name)
      return operation.kind;
  throw base::UserError(base::unknown_word("operation", text, operation_names()));
}

/// nccl-tests writes bytes without a unit.
std::uint64_t size_of(const std::string& flag, const std::string& text) {
  try {
    const bool digits =
        !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    const double bytes = (digits ? base::parse_bytes(text + "B") : base::parse_bytes(text)).value();
    if (bytes != std::floor(bytes) || bytes > LARGEST)
      throw base::UserError(base::in_quotes(text) + " is not a whole number of bytes up to 1 PiB");
    return static_cast<std::uint64_t>(bytes);
  } catch (const base::UserError& error) {
    throw base::UserError(flag + ": " + error.what());
  }
}

double factor_of(const std::string& text) {
  try {
    return base::parse_number(text);
  } catch (const base::UserError& error) {
    throw base::UserError(std::string("-f: ") + error.what());
  }
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

/// Gives the cluster a library of its own, fitted to the log. Returns which rows the fit saw.
std::vector<bool> fit(model::Cluster& cluster, const study::CollectiveOptions& options, int ranks,
                      const workload::NcclLog& log) {
  const double host_s =
      cluster.library ? study::host_time(cluster, options.kind, ranks, options.gpus_per_process) : 0.0;
  auto fitted = study::fit_library(cluster, options.kind, ranks, log.rows, host_s);
  fitted.library.source = "fitted to every other row of " + log.file + ", from " + fitted.library.name;
  fitted.library.name = std::filesystem::path(log.file).stem().string();
  cluster.library = std::make_shared<const model::Library>(std::move(fitted.library));
  return fitted.is_seen;
}

void run_command(const CollectiveFlags& flags, const Origins& origins) {
  flags.verbosity.apply();
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
  if (!flags.exported.empty()) {
    Output{.file = flags.exported, .format = {}}.write(study::export_algorithm(cluster, options));
    return;
  }
  const int ranks = options.ranks == 0 ? static_cast<int>(cluster.gpus.size()) : options.ranks;
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
      options.progress = [&progress](std::size_t done, std::size_t all) { progress.show(done, all); };
    run = study::run_collective(cluster, options);
  }
  run.log = log_file;
  if (!flags.fit.empty())
    run.fitted_library = platform::library_text(*cluster.library);
  for (std::size_t row = 0; row < run.rows.size() && !log.rows.empty(); ++row)
    run.rows[row].measured_s = log.rows[row % log.rows.size()].time_s;
  for (std::size_t row = 0; row < run.rows.size() && !is_fitted.empty(); ++row)
    run.rows[row].is_fitted = is_fitted[row % is_fitted.size()];
  if (!log_file.empty())
    run.digests[log_file] = base::digest_file(log_file);
  if (!flags.matrix.empty())
    run.digests[flags.matrix] = base::digest_file(flags.matrix);
  run.settings.merge(flags.machine.settings());
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
      "algorithm (default: auto where the GPUs name a library, else ring or direct)")
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
  command.add_option("-n,--ranks", flags.ranks, "GPUs that take part, the platform's first (default: 0, all)")
      ->type_name("N")
      ->check(whole_number(0, MOST_RANKS));
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
  command.add_option("--export", flags.exported, "write the strategy as an MSCCL algorithm, and time nothing")
      ->type_name("FILE")
      ->check(not_empty());
  flags.machine.add_to(command);
  flags.folding.add_to(command);
  add_jobs(command, flags.jobs);
  flags.output.add_to(command);
  flags.verbosity.add_to(command);
}

} // namespace

void add_collective(CLI::App& app) {
  auto flags = std::make_shared<CollectiveFlags>();
  auto* command = app.add_subcommand("collective", "time a collective alone at many sizes, in nccl-tests' table");
  command->footer(
      "Examples:\n"
      "  tandem collective allreduce --platform platforms/dgx-h100.xml -b 8 -e 1G -f 2\n"
      "  tandem collective allreduce --platform platforms/t3-ring-8.xml --strategy ring --strategy tree:chunks=32\n"
      "  tandem collective alltoall --platform platforms/dgx-h100.xml --strategy direct:window=2 -n 6\n"
      "  tandem collective allreduce --platform platforms/dgx-a100.xml --nodes 4 -b 1M -e 64M -f 8\n"
      "  tandem collective broadcast --platform platforms/dgx-h100.xml -r 3 --format json -o broadcast.json\n"
      "  tandem collective allreduce --platform platforms/dgx-h100.xml --strategy ring --export ring.xml\n"
      "  tandem collective allreduce --platform platforms/dgx-h100.xml --strategy ring.xml:sms=4\n"
      "  tandem collective allreduce --platform platforms/dgx-h100.xml -o ring.log\n"
      "  tandem collective allreduce --platform platforms/dgx-h100.xml --strategy tree --against ring.log\n"
      "Which algorithm and protocol a library takes: docs/models.md, \"Libraries\".");
  add_flags(*command, *flags);
  command->callback([flags, command] { run_command(*flags, apply_environment(*command)); });
}

} // namespace tandem::app
