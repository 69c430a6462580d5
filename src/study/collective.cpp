// A process per size and strategy, and what they answer as rows.
#include "study/collective.h"

#include "base/error.h"
#include "collective/copy_of_one.h"
#include "collective/msccl/reader.h"
#include "collective/msccl/schedule.h"
#include "collective/strategy.h"
#include "engine/play.h"
#include "study/collective_task.h"
#include "study/fork_pool.h"
#include "study/load_cluster.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <set>

namespace tandem::study {

using model::CollectiveKind;

namespace {

constexpr std::uint64_t FLOAT_BYTES = 4, PART_BYTES = 16;

/// Which ranks take part: those of the group, or the first `ranks`.
std::vector<std::uint32_t> members_of(const model::Cluster& cluster, const CollectiveOptions& options) {
  if (!options.group.empty())
    return options.group;
  const auto ranks = options.ranks == 0 ? cluster.gpus.size() : static_cast<std::size_t>(options.ranks);
  if (ranks > cluster.gpus.size())
    throw base::UserError({.file = cluster.file},
                          fmt::format("it has {} GPUs; {} ranks are asked for", cluster.gpus.size(), ranks));
  std::vector<std::uint32_t> members(ranks);
  std::iota(members.begin(), members.end(), 0U);
  return members;
}

void check_root(int root, std::size_t ranks) {
  if (static_cast<std::size_t>(root) >= ranks)
    throw base::UserError(fmt::format("root {} does not exist; allowed: 0 to {}", root, ranks - 1));
}

/// The collective that is timed, by strategy, then size, and the sizes that a strategy cannot do.
struct SizedTasks {
  std::vector<CollectiveTask> tasks;
  std::vector<model::SkippedSize> skipped;
};

/// Throws Infeasible when a strategy can do none of the sizes, with the reason of the first.
SizedTasks make_tasks(const model::Cluster& cluster, const CollectiveOptions& options) {
  const auto members = members_of(cluster, options);
  check_root(options.root, members.size());
  // The first ranks of a cluster are planned as such, whether or not they fill its nodes.
  const auto group =
      std::make_shared<const model::Cluster>(options.group.empty() ? cluster : cluster.part(options.group));
  const collective::Cuts cuts(*group, static_cast<int>(members.size()));
  const auto op_of = [&](std::uint64_t size) {
    return model::CollectiveOp{options.kind, static_cast<int>(members.size()), model::Bytes(static_cast<double>(size)),
                               options.root, options.pairs};
  };
  auto strategies = options.strategies;
  if (strategies.empty())
    strategies = {default_strategy(op_of(options.sizes.empty() ? 0 : options.sizes.front()), *group)};
  SizedTasks all;
  for (const auto& strategy : strategies) {
    if (std::count(strategies.begin(), strategies.end(), strategy) > 1)
      throw base::UserError("strategy " + strategy + " is given twice");
    std::vector<model::SkippedSize> skipped;
    for (std::size_t index = 0; index < options.sizes.size(); ++index) {
      const auto size = options.sizes[index];
      try {
        auto& task = all.tasks.emplace_back(
            make_task(group, members, cuts, {op_of(size), std::nullopt}, strategy, options.fold));
        task.size_index = index;
        task.granularity = options.granularity;
        task.limits = options.limits;
        task.energy = options.energy;
      } catch (const base::Infeasible& refusal) {
        skipped.push_back({strategy, size, refusal.what()});
      }
    }
    if (!skipped.empty() && skipped.size() == options.sizes.size())
      throw base::Infeasible(skipped.front().reason);
    all.skipped.insert(all.skipped.end(), skipped.begin(), skipped.end());
  }
  return all;
}

/// Those that run at the same time.
std::vector<CollectiveTask> make_others(const model::Cluster& cluster, const CollectiveOptions& options) {
  std::vector<CollectiveTask> tasks;
  for (const auto& beside : options.beside) {
    check_root(beside.root, beside.group.size());
    const auto group = std::make_shared<const model::Cluster>(cluster.part(beside.group));
    const model::CollectiveOp op{beside.kind, static_cast<int>(beside.group.size()),
                                 model::Bytes(static_cast<double>(beside.size_bytes)), beside.root};
    auto& task = tasks.emplace_back(make_task(
        group, beside.group, collective::Cuts(*group, static_cast<int>(beside.group.size())), {op, std::nullopt},
        beside.strategy.empty() ? default_strategy(op, *group) : beside.strategy, options.fold));
    task.granularity = options.granularity;
    task.start = beside.start;
    task.count = beside.count;
  }
  return tasks;
}

/// A task with the others.
std::vector<CollectiveTask> together(const CollectiveTask& task, const std::vector<CollectiveTask>& others) {
  std::vector<CollectiveTask> all{task};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

/// What a row rests on whose protocol has another algorithm's costs: "pat: protocol costs of ring".
void note_borrowed_costs(model::CollectiveRun& run, const CollectiveAnswer& answer) {
  const auto at = answer.protocol.find(" of ");
  if (at == std::string::npos)
    return;
  const auto note = answer.algorithm + ": protocol costs" + answer.protocol.substr(at);
  if (std::find(run.assumed.begin(), run.assumed.end(), note) == run.assumed.end())
    run.assumed.push_back(note);
}

model::CollectiveRow row_of(const CollectiveTask& task, const CollectiveAnswer& answer) {
  return {.size_index = task.size_index,
          .strategy = task.strategy,
          .algorithm = answer.algorithm,
          .protocol = answer.protocol,
          .choice = answer.choice,
          .played_gpus = answer.played_gpus,
          .activities = answer.activities,
          .size_bytes = static_cast<std::uint64_t>(task.request.op.bytes.value()),
          .lower_bound_s = task.lower_bound_s,
          .links = answer.links,
          .alone_s = std::nullopt,
          .beside_s = {},
          .measured_s = std::nullopt};
}

model::BesideRun beside_of(const CollectiveTask& task, const CollectiveAnswer& answer, double alone_s) {
  return {.kind = task.request.op.kind,
          .group = task.members,
          .root = task.request.op.root,
          .size_bytes = static_cast<std::uint64_t>(task.request.op.bytes.value()),
          .strategy = task.strategy,
          .algorithm = answer.algorithm,
          .protocol = answer.protocol,
          .start_s = task.start.value(),
          .count = task.count,
          .alone_s = alone_s};
}

/// That take part in any of them.
std::size_t gpus_of(const std::vector<CollectiveTask>& tasks) {
  std::set<std::uint32_t> ranks;
  for (const auto& task : tasks)
    ranks.insert(task.members.begin(), task.members.end());
  return ranks.size();
}

/// What a collective on its own rests on: it has no GEMM, and adds nothing near a memory that cannot.
std::vector<std::string> assumed_without_kernels(const model::Cluster& cluster, bool energy) {
  auto list = cluster.all_assumed({.energy = energy});
  const bool adds_near_memory = cluster.gpus.front().device->near_memory.available;
  std::erase_if(list, [&](const std::string& key) {
    return key.starts_with("gemm_") || key.starts_with("tile_") || key.starts_with("peak.") || key == "vector_peak" ||
           key == "l2" || key == "hbm_capacity" || key.starts_with("queue.") ||
           (key.starts_with("near_memory.") && !adds_near_memory);
  });
  return list;
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

std::string default_strategy(const model::CollectiveOp& op, const model::Cluster& group) {
  const auto is_possible = [&](const std::string& strategy) {
    return collective::select_strategy(strategy).strategy->why_not({op, {}, {}}, group).empty();
  };
  switch (op.kind) {
  case CollectiveKind::ALL_TO_ALL_V:
    return "pairwise";
  case CollectiveKind::BARRIER:
    return group.library && is_possible("bruck:protocol=ll") ? "bruck:protocol=ll" : "bruck";
  default:
    if (group.library && is_possible("auto"))
      return "auto";
  }
  const bool by_ring = op.kind != CollectiveKind::ALL_TO_ALL && op.kind != CollectiveKind::SCATTER &&
                       op.kind != CollectiveKind::GATHER && op.kind != CollectiveKind::SEND_RECV;
  return by_ring ? "ring" : "direct";
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

int ranks_of(const model::Cluster& cluster, const CollectiveOptions& options) {
  return static_cast<int>(members_of(cluster, options).size());
}

model::CollectiveRun run_collective(const model::Cluster& cluster, const CollectiveOptions& options) {
  if (options.energy)
    model::require_power(cluster);
  const auto [tasks, skipped] = make_tasks(cluster, options);
  const auto others = make_others(cluster, options);
  // Each task as it is to be timed, then, where others run at the same time, all of them alone.
  const ProgressBoard board(others.empty() ? tasks.size() : 2 * tasks.size() + others.size(), options.progress);
  std::vector<std::function<std::string()>> jobs;
  const auto add = [&](const std::function<CollectiveAnswer(const ReportProgress&)>& play) {
    jobs.emplace_back([play, report = board.reporter(jobs.size())] { return to_wire(play(report)); });
  };
  for (const auto& task : tasks)
    add([&cluster, &task, &others](const auto& report) {
      return others.empty() ? play_alone(task, report) : play_together(cluster, together(task, others), report);
    });
  if (!others.empty())
    for (const auto& task : tasks)
      add([&task](const auto& report) { return play_alone(task, report); });
  for (const auto& other : others)
    add([&cluster, &other](const auto& report) { return play_together(cluster, {other}, report); });
  const auto answers = run_forked(jobs, {options.jobs, board.watcher()});

  const int ranks = tasks.empty() ? 0 : tasks.front().request.op.ranks;
  model::CollectiveRun run{.kind = options.kind,
                           .ranks = ranks,
                           .group = options.group,
                           .gpus = ranks,
                           .root = options.root,
                           .gpus_per_process = options.gpus_per_process,
                           .platform = cluster.file,
                           .device = cluster.gpus.front().device->name,
                           .library = cluster.library ? cluster.library->name : "",
                           .log = {},
                           .rows = {},
                           .skipped = skipped,
                           .beside = {},
                           .assumed = assumed_without_kernels(cluster, options.energy),
                           .digests = input_digests(cluster),
                           .settings = engine::settings(),
                           .version = options.version};
  run.settings["fold"] = name_of(options.fold);
  if (options.granularity == Granularity::FLOW)
    run.settings.insert({{"granularity", "flow"}, {"granularity_error", flow_error_text()}});
  auto strategies = options.strategies;
  for (const auto& other : others)
    if (std::find(strategies.begin(), strategies.end(), other.strategy) == strategies.end())
      strategies.push_back(other.strategy);
  run.digests.merge(strategy_digests(strategies));
  auto claims = codec_claims(strategies);
  run.settings.merge(claims.errors);
  run.assumed.insert(run.assumed.end(), claims.assumed.begin(), claims.assumed.end());

  const auto with_host = [&](const CollectiveTask& task, double time_s) {
    return std::max(
        time_s, task.count * host_time(cluster, task.request.op.kind, task.request.op.ranks, options.gpus_per_process));
  };
  for (std::size_t i = 0; i < others.size(); ++i) {
    const auto answer = from_collective_wire(answers[2 * tasks.size() + i]);
    run.beside.push_back(beside_of(others[i], answer, with_host(others[i], answer.times_s.front())));
    note_borrowed_costs(run, answer);
  }
  if (!others.empty() && !tasks.empty())
    run.gpus = static_cast<int>(gpus_of(together(tasks.front(), others)));
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto answer = from_collective_wire(answers[i]);
    auto row = row_of(tasks[i], answer);
    row.time_s = with_host(tasks[i], answer.times_s.front());
    row.in_place_s = collective::is_copy_of_one(tasks[i].request.op) ? with_host(tasks[i], 0.0) : row.time_s;
    row.is_host_bound = row.time_s > answer.times_s.front();
    row.energy = answer.energy;
    if (row.is_host_bound)
      row.links.utilisation *= answer.times_s.front() / row.time_s;
    if (row.energy)
      row.energy->ranks.idle_j *= row.time_s / answer.times_s.front();
    if (!others.empty())
      row.alone_s = with_host(tasks[i], from_collective_wire(answers[tasks.size() + i]).times_s.front());
    for (std::size_t other = 0; other < others.size(); ++other)
      row.beside_s.push_back(with_host(others[other], answer.times_s.at(other + 1)));
    note_borrowed_costs(run, answer);
    run.rows.push_back(std::move(row));
  }
  return run;
}

std::vector<ExplainedRun> explain_collective(const model::Cluster& cluster, const CollectiveOptions& options) {
  std::vector<ExplainedRun> runs;
  const auto others = make_others(cluster, options);
  for (const auto& task : make_tasks(cluster, options).tasks) {
    const auto parties = parties_of(together(task, others));
    auto lines = engine::explain_classes(cluster.part(ranks_of(parties)), concurrent_job(parties));
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
  sized.sizes = {static_cast<std::uint64_t>(EVEN) * members_of(cluster, options).size()};
  const auto tasks = make_tasks(cluster, sized).tasks;
  if (tasks.size() != 1)
    throw base::UserError(fmt::format("one strategy is exported; found {}", tasks.size()));
  if (collective::select_strategy(tasks.front().strategy).name.find('+') != std::string::npos)
    throw base::UserError(fmt::format("strategy {}: an MSCCL algorithm has no compression", tasks.front().strategy));
  return collective::msccl::to_xml(collective::msccl::from_schedule(proven(tasks.front())));
}

} // namespace tandem::study
