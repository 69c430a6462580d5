// Builds the machine, lets one actor per GPU run, and gathers the recording.
#include "engine/play.h"

#include "base/error.h"
#include "engine/executor.h"
#include "engine/world.h"

#include <algorithm>
#include <set>

namespace tandem::engine {

namespace {

/// Adds whom the member at `position` of a schedule's ranks talks to.
void add_talk(Machine::Talk& talk, const model::Schedule& schedule, int position,
              const std::vector<std::uint32_t>& members) {
  const auto rank = [&](int at) { return static_cast<int>(members[static_cast<std::size_t>(at)]); };
  for (const auto& op : schedule.program(position).ops) {
    if (op.kind != model::OpKind::TRANSFER && op.kind != model::OpKind::RECV)
      continue;
    const int here = rank(position), there = rank(schedule.peer(position, op.peer));
    if (op.kind == model::OpKind::RECV) {
      talk.pairs.emplace(there, here);
      continue;
    }
    talk.pairs.emplace(here, there);
    if (op.leg != model::Leg::WHOLE)
      talk.legs.emplace(Machine::Pair{here, there}, op.leg);
  }
}

/// What of a program's tasks says who talks: their schedules, and with whom.
std::set<std::pair<std::uint32_t, std::uint32_t>> conversations(const model::TaskProgram& program) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> found;
  for (const auto& task : program.tasks)
    found.emplace(task.schedule, task.grouping);
  return found;
}

Machine::Talk talk_of(const model::Job& job) {
  Machine::Talk talk;
  std::vector<std::set<std::pair<std::uint32_t, std::uint32_t>>> of_program;
  for (const auto& program : job.programs)
    of_program.push_back(conversations(program));
  for (std::uint32_t rank = 0; rank < static_cast<std::uint32_t>(job.ranks); ++rank)
    for (const auto& [schedule, grouping] : of_program[job.program_of.empty() ? 0 : job.program_of[rank]]) {
      const auto place = job.groupings[grouping].place(rank);
      if (!place)
        throw base::Bug("rank " + std::to_string(rank) + " is in no group of " + job.groupings[grouping].name());
      const auto& members = job.groupings[grouping].groups()[place->group];
      if (members.size() != static_cast<std::size_t>(job.schedules[schedule]->ranks))
        throw base::Bug("a schedule of " + std::to_string(job.schedules[schedule]->ranks) + " ranks for a group of " +
                        std::to_string(members.size()));
      add_talk(talk, *job.schedules[schedule], static_cast<int>(place->position), members);
    }
  return talk;
}

[[noreturn]] void report_deadlock(const World& world) {
  constexpr std::size_t LINES = 16;
  std::string text = "deadlock: no rank can go on";
  std::size_t shown = 0;
  for (const auto& rank : world.ranks) {
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
  sg4::Engine& simgrid = start_simgrid();
  const Machine machine(cluster, job.ranks, talk_of(job));
  World world{.machine = machine,
              .job = job,
              .options = options,
              .schedules = {},
              .ranks = {},
              .link_bytes = std::vector<double>(machine.links(), 0.0),
              .failure = {}};
  for (const auto& schedule : job.schedules) {
    world.schedules.emplace_back(*schedule);
    world.shares_memory_by_stream |= schedule->arbitration != model::Arbitration::FAIR;
  }
  for (int rank = 0; rank < job.ranks; ++rank) {
    const double start = options.start_times_s.empty() ? 0.0 : options.start_times_s[static_cast<std::size_t>(rank)];
    auto* executor = world.ranks.emplace_back(std::make_unique<Executor>(world, rank, start)).get();
    sg4::Actor::create("rank-" + std::to_string(rank), machine.gpu(rank).sm, [executor] { executor->run(); });
  }
  // A deadlock only makes run() return: ranks that are not finished tell of it.
  simgrid.run();

  if (!world.failure.empty())
    throw base::Bug("the engine failed: " + world.failure);
  for (const auto& rank : world.ranks)
    if (!rank->finished())
      report_deadlock(world);

  model::Recording recording;
  recording.ranks = job.ranks;
  recording.end_s = sg4::Engine::get_clock();
  if (options.record_items)
    recording.items.resize(job.programs.front().tasks.size());
  recording.link_bytes = world.link_bytes;
  recording.settings = simgrid_settings();
  for (const auto& rank : world.ranks)
    rank->report(recording);
  return recording;
}

model::Recording play(const model::Cluster& cluster, const std::vector<const model::Schedule*>& sequence,
                      PlayOptions options) {
  options.record_items = true;
  return play(cluster, model::job_of(sequence), options);
}

} // namespace tandem::engine
