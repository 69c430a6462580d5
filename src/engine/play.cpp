// Sorts the ranks, builds the machine, lets one actor per GPU run, and gathers the recording.
#include "engine/play.h"

#include "base/error.h"
#include "engine/executor.h"
#include "engine/world.h"

#include <algorithm>

namespace tandem::engine {

namespace {

std::vector<SharedSchedule> shared_schedules(const model::Job& job) {
  std::vector<SharedSchedule> list;
  for (const auto& schedule : job.schedules)
    list.emplace_back(*schedule);
  return list;
}

void check_size(const model::Cluster& cluster, const model::Job& job) {
  if (static_cast<std::size_t>(job.ranks) > cluster.gpus.size())
    throw base::UserError({.file = cluster.file}, "the platform has " + std::to_string(cluster.gpus.size()) +
                                                      " GPUs, " + std::to_string(job.ranks) + " are needed");
}

/// Every flow of a class carries the same over each of its links.
std::vector<double> bytes_on_links(const model::Cluster& cluster, const Folding& folding,
                                   const std::vector<double>& flow_bytes) {
  std::vector<double> bytes(cluster.links.size(), 0.0);
  const auto& graph = folding.graph();
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
    auto flow_class = folding.classes().first_flow[folding.classes().class_of[rank]];
    for (const auto& flow : graph.flows(rank)) {
      const double carried = flow_bytes[flow_class++];
      for (const auto link : graph.crossed(flow.route))
        bytes[graph.links()[link].id.index] += carried;
    }
  }
  return bytes;
}

Load load_of(const model::Job& job, const Folding& folding) {
  Load load{.ranks = job.ranks, .classes = static_cast<int>(folding.played())};
  for (std::uint32_t number = 0; number < folding.played(); ++number) {
    const auto rank = folding.rank(number);
    for (const auto& task : job.program(rank).tasks)
      if (const auto place = job.groupings[task.grouping].place(rank))
        load.operations += job.schedules[task.schedule]->program(static_cast<int>(place->position)).ops.size();
  }
  return load;
}

[[noreturn]] void report_deadlock(const World& world) {
  constexpr std::size_t LINES = 16;
  std::string text = "deadlock: no rank can go on";
  std::size_t shown = 0;
  for (const auto& rank : world.gpus) {
    if (rank->finished() || shown >= LINES)
      continue;
    for (const auto& line : rank->stuck(LINES - shown)) {
      text += "\n  " + line;
      ++shown;
    }
  }
  if (shown == LINES)
    text += "\n  ...";
  throw Deadlock(text);
}

} // namespace

std::map<std::string, std::string> settings() {
  return simgrid_settings();
}

model::Recording play(const model::Cluster& cluster, const model::Job& job, const PlayOptions& options) {
  if (options.record_items && job.programs.size() > 1)
    throw base::Bug("items are recorded where all ranks have one program");
  check_size(cluster, job);
  const auto schedules = shared_schedules(job);
  const Roles roles(job, schedules);
  const Folding folding(cluster, job, roles, options);
  const auto load = load_of(job, folding);
  if (options.before)
    options.before(load);
  sg4::Engine& simgrid = start_simgrid();
  const Machine machine(cluster, folding);
  World world{.folding = folding,
              .machine = machine,
              .job = job,
              .options = options,
              .roles = roles,
              .schedules = schedules,
              .gpus = {},
              .flow_bytes = std::vector<double>(folding.classes().flow_classes.size(), 0.0),
              .failure = {},
              .operations = load.operations};
  for (const auto& schedule : job.schedules)
    world.shares_memory_by_stream |= schedule->arbitration != model::Arbitration::FAIR;
  for (std::uint32_t number = 0; number < folding.played(); ++number) {
    const auto rank = folding.rank(number);
    const double start = options.start_times_s.empty() ? 0.0 : options.start_times_s[rank];
    auto* executor = world.gpus.emplace_back(std::make_unique<Executor>(world, number, start)).get();
    sg4::Actor::create("rank-" + std::to_string(rank), machine.gpu(number).sm, [executor] { executor->run(); });
  }
  // A deadlock only makes run() return: ranks that are not finished tell of it.
  simgrid.run();

  if (!world.failure.empty())
    throw base::Bug("the engine failed: " + world.failure);
  for (const auto& rank : world.gpus)
    if (!rank->finished())
      report_deadlock(world);

  if (options.progress)
    options.progress({sg4::Engine::get_clock(), 1.0});

  model::Recording recording;
  recording.ranks = job.ranks;
  recording.end_s = sg4::Engine::get_clock();
  if (options.record_items)
    recording.items.resize(job.programs.front().tasks.size());
  if (folding.played() < static_cast<std::uint32_t>(job.ranks))
    recording.class_of = folding.classes().class_of;
  recording.link_bytes = bytes_on_links(cluster, folding, world.flow_bytes);
  recording.settings = simgrid_settings();
  for (const auto& rank : world.gpus)
    rank->report(recording);
  return recording;
}

std::vector<std::string> explain_classes(const model::Cluster& cluster, const model::Job& job,
                                         const PlayOptions& options) {
  check_size(cluster, job);
  const auto schedules = shared_schedules(job);
  const Roles roles(job, schedules);
  auto folded = options;
  folded.fold = Fold::ON;
  return Folding(cluster, job, roles, folded).explained();
}

model::Recording play(const model::Cluster& cluster, const std::vector<const model::Schedule*>& sequence,
                      PlayOptions options) {
  options.record_items = true;
  return play(cluster, model::job_of(sequence), options);
}

} // namespace tandem::engine
