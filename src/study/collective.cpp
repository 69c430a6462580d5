// Plans, proves, plays and checks one collective per size and strategy.
#include "study/collective.h"

#include "base/digest.h"
#include "base/error.h"
#include "collective/bounds.h"
#include "collective/msccl/reader.h"
#include "collective/msccl/schedule.h"
#include "collective/strategy.h"
#include "collective/verify.h"
#include "engine/play.h"
#include "report/checks.h"
#include "study/case_run.h"
#include "study/fork_pool.h"
#include "study/load_cluster.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::study {

using model::CollectiveKind;

namespace {

constexpr std::uint64_t FLOAT_BYTES = 4, PART_BYTES = 16;

struct Task {
  const model::Cluster* cluster;
  collective::Request request;
  std::string strategy, algorithm;
  double lower_bound_s;
  engine::Fold fold;
};

model::Schedule proven(const Task& task) {
  auto schedule = collective::select_strategy(task.strategy).strategy->plan(task.request, *task.cluster);
  if (const auto wrong = collective::verify(schedule); !wrong.empty())
    throw base::Bug(fmt::format("strategy {}: the schedule is not proven: {}", task.strategy, wrong));
  return schedule;
}

/// The end of a run and what was played, as they come back from the process: one per line.
std::string play(const Task& task) {
  const auto schedule = proven(task);
  const auto recording = engine::play(*task.cluster, {&schedule}, {.fold = task.fold, .start_times_s = {}});
  model::CaseResult result;
  result.time_s = recording.end_s;
  result.lower_bound_s = task.lower_bound_s;
  const auto& slowest = recording.items.front()[slowest_rank(recording.items.front())];
  result.compute_s = slowest.compute_s;
  result.exposed_s = slowest.exposed_s;
  result.idle_s = slowest.idle_s;
  if (const auto failed = report::failed_checks(recording, result); !failed.empty())
    throw base::Bug(fmt::format("{} of {:.0f} B: {}", task.strategy, task.request.op.bytes.value(), failed.front()));
  const auto& algorithm = schedule.algorithm.empty() ? task.algorithm : schedule.algorithm;
  return fmt::format("{:a}\n{}\n{}\n{}\n{}\n{}", recording.end_s, algorithm,
                     schedule.protocol ? schedule.protocol->name : "none", recording.classes(), recording.activities,
                     schedule.choice);
}

model::CollectiveRow row_of(const Task& task, const std::string& answer) {
  std::vector<std::string> lines(1);
  for (const char c : answer)
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  return {.strategy = task.strategy,
          .algorithm = lines.at(1),
          .protocol = lines.at(2),
          .choice = lines.at(5),
          .played_gpus = std::stoi(lines.at(3)),
          .activities = std::stoull(lines.at(4)),
          .size_bytes = static_cast<std::uint64_t>(task.request.op.bytes.value()),
          .time_s = std::strtod(lines.at(0).c_str(), nullptr),
          .lower_bound_s = task.lower_bound_s,
          .measured_s = std::nullopt};
}

int ranks_of(const model::Cluster& cluster, const CollectiveOptions& options) {
  const int ranks = options.ranks == 0 ? static_cast<int>(cluster.gpus.size()) : options.ranks;
  if (static_cast<std::size_t>(ranks) > cluster.gpus.size())
    throw base::UserError({.file = cluster.file},
                          fmt::format("it has {} GPUs; {} ranks are asked for", cluster.gpus.size(), ranks));
  if (options.root >= ranks)
    throw base::UserError(fmt::format("root {} does not exist; allowed: 0 to {}", options.root, ranks - 1));
  return ranks;
}

std::vector<Task> make_tasks(const model::Cluster& cluster, const CollectiveOptions& options, int ranks) {
  std::vector<Task> tasks;
  auto strategies = options.strategies;
  if (strategies.empty())
    strategies = {default_strategy(options.kind, cluster)};
  for (const auto& strategy : strategies) {
    const auto selection = collective::select_strategy(strategy);
    if (std::count(strategies.begin(), strategies.end(), strategy) > 1)
      throw base::UserError("strategy " + strategy + " is given twice");
    for (const auto size : options.sizes) {
      const collective::Request request{
          {options.kind, ranks, model::Bytes(static_cast<double>(size)), options.root, options.pairs}, std::nullopt};
      if (const auto reason = selection.strategy->why_not(request, cluster); !reason.empty())
        throw base::Infeasible("strategy " + strategy + " cannot do it: " + reason);
      tasks.push_back({&cluster, request, strategy, selection.name,
                       collective::lower_bound(request, cluster, selection.wire_factor).value(), options.fold});
    }
  }
  return tasks;
}

} // namespace

/// Calls follow each other: no sooner than a process has issued this one's kernels can it issue the next one's.
double host_time(const model::Cluster& cluster, CollectiveKind kind, int ranks, int gpus_per_process) {
  if (!cluster.library)
    return 0.0;
  const bool sends_to_all =
      kind == CollectiveKind::ALL_TO_ALL || kind == CollectiveKind::SCATTER || kind == CollectiveKind::GATHER;
  const double peers = sends_to_all ? ranks - 1 : 0;
  return gpus_per_process * (cluster.library->host_issue.value() + peers * cluster.library->host_per_peer.value());
}

std::string default_strategy(CollectiveKind kind, const model::Cluster& cluster) {
  if (kind == CollectiveKind::ALL_TO_ALL_V)
    return "pairwise";
  if (kind == CollectiveKind::BARRIER)
    return "bruck";
  if (kind == CollectiveKind::SEND_RECV)
    return "direct";
  if (cluster.library)
    return "auto";
  switch (kind) {
  case CollectiveKind::ALL_TO_ALL:
  case CollectiveKind::SCATTER:
  case CollectiveKind::GATHER:
    return "direct";
  default:
    return "ring";
  }
}

std::uint64_t runnable_size(CollectiveKind kind, int ranks, std::uint64_t bytes) {
  const auto n = static_cast<std::uint64_t>(ranks);
  switch (kind) {
  case CollectiveKind::BARRIER:
    return 0;
  case CollectiveKind::ALL_TO_ALL_V: // as the matrix says
    return bytes;
  case CollectiveKind::ALL_REDUCE:
  case CollectiveKind::BROADCAST:
  case CollectiveKind::REDUCE:
  case CollectiveKind::SEND_RECV:
    return bytes / FLOAT_BYTES * FLOAT_BYTES;
  default:
    return bytes / n / PART_BYTES * PART_BYTES * n;
  }
}

model::CollectiveRun run_collective(const model::Cluster& cluster, const CollectiveOptions& options) {
  const int ranks = ranks_of(cluster, options);
  const auto tasks = make_tasks(cluster, options, ranks);
  std::vector<std::function<std::string()>> jobs;
  for (const auto& task : tasks)
    jobs.emplace_back([&task] { return play(task); });
  const auto answers = run_forked(jobs, {options.jobs, options.progress});

  model::CollectiveRun run{.kind = options.kind,
                           .ranks = ranks,
                           .root = options.root,
                           .gpus_per_process = options.gpus_per_process,
                           .platform = cluster.file,
                           .device = cluster.gpus.front().device->name,
                           .library = cluster.library ? cluster.library->name : "",
                           .log = {},
                           .rows = {},
                           .assumed = cluster.all_assumed(),
                           .digests = input_digests(cluster),
                           .settings = engine::settings(),
                           .version = options.version};
  run.settings["fold"] = name_of(options.fold);
  run.digests.merge(strategy_digests(options.strategies));
  auto claims = codec_claims(options.strategies);
  run.settings.merge(claims.errors);
  run.assumed.insert(run.assumed.end(), claims.assumed.begin(), claims.assumed.end());
  const double host_s = host_time(cluster, options.kind, ranks, options.gpus_per_process);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    auto row = row_of(tasks[i], answers[i]);
    row.is_host_bound = host_s > row.time_s;
    row.time_s = std::max(row.time_s, host_s);
    run.rows.push_back(std::move(row));
  }
  return run;
}

std::vector<ExplainedRun> explain_collective(const model::Cluster& cluster, const CollectiveOptions& options) {
  std::vector<ExplainedRun> runs;
  for (const auto& task : make_tasks(cluster, options, ranks_of(cluster, options))) {
    const auto schedule = proven(task);
    auto lines = engine::explain_classes(cluster, model::job_of({&schedule}));
    const auto size = base::format_bytes(task.request.op.bytes);
    if (!runs.empty() && runs.back().name.starts_with(task.strategy + ",") && runs.back().lines == lines)
      runs.back().name += ", " + size;
    else
      runs.push_back({task.strategy + ", " + size, std::move(lines)});
  }
  return runs;
}

std::string export_algorithm(const model::Cluster& cluster, const CollectiveOptions& options) {
  constexpr double EVEN = 720720.0 * 65536.0; // bytes of each rank: pieces are alike for any usual number of them
  if (options.strategies.size() == 1)
    if (const auto selection = collective::select_strategy(options.strategies.front());
        selection.file.ends_with(".xml") && selection.error.empty()) { // as it is, without a codec
      const auto& file = selection.file;
      const auto algorithm = collective::msccl::read_algorithm(file);
      if (algorithm.kind != options.kind)
        throw base::UserError({.file = file}, fmt::format("it does {}, not {}", model::to_string(algorithm.kind),
                                                          model::to_string(options.kind)));
      return collective::msccl::to_xml(algorithm);
    }
  auto sized = options;
  const int ranks = ranks_of(cluster, options);
  sized.sizes = {static_cast<std::uint64_t>(EVEN) * static_cast<std::uint64_t>(ranks)};
  const auto tasks = make_tasks(cluster, sized, ranks);
  if (tasks.size() != 1)
    throw base::UserError(fmt::format("one strategy is exported; found {}", tasks.size()));
  const auto schedule =
      collective::select_strategy(tasks.front().strategy).strategy->plan(tasks.front().request, cluster);
  if (const auto wrong = collective::verify(schedule); !wrong.empty())
    throw base::Bug(fmt::format("strategy {}: the schedule is not proven: {}", tasks.front().strategy, wrong));
  return collective::msccl::to_xml(collective::msccl::from_schedule(schedule));
}

} // namespace tandem::study
