// Builds the machine, lets one actor per GPU run, and gathers the recording.
#include "engine/play.h"

#include "base/error.h"
#include "engine/executor.h"

#include <algorithm>
#include <set>

namespace tandem::engine {

namespace {

Machine::Talk talk_of(const std::vector<const model::Schedule*>& sequence) {
  Machine::Talk talk;
  for (const auto* schedule : sequence)
    for (int rank = 0; rank < schedule->ranks; ++rank)
      for (const auto& op : schedule->program(rank).ops) {
        if (op.kind == model::OpKind::TRANSFER)
          talk.pairs.emplace(rank, schedule->peer(rank, op.peer));
        if (op.kind == model::OpKind::TRANSFER && op.leg != model::Leg::WHOLE)
          talk.legs.emplace(Machine::Pair{rank, schedule->peer(rank, op.peer)}, op.leg);
        if (op.kind == model::OpKind::RECV)
          talk.pairs.emplace(schedule->peer(rank, op.peer), rank);
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

model::Recording play(const model::Cluster& cluster, const std::vector<const model::Schedule*>& sequence,
                      const PlayOptions& options) {
  const int ranks = sequence.empty() ? 0 : sequence.front()->ranks;
  for (const auto* schedule : sequence)
    if (schedule->ranks != ranks)
      throw base::Bug("schedules of different sizes in one sequence");

  sg4::Engine& simgrid = start_simgrid();
  const Machine machine(cluster, ranks, talk_of(sequence));
  World world{machine, {}, {}, std::vector<double>(machine.links(), 0.0), options.record_ops, {}};
  for (const auto* schedule : sequence)
    world.sequence.emplace_back(*schedule);
  for (int rank = 0; rank < ranks; ++rank) {
    const double start = options.start_times_s.empty() ? 0.0 : options.start_times_s[static_cast<std::size_t>(rank)];
    world.ranks.push_back(std::make_unique<Executor>(world, rank, start));
    auto* executor = world.ranks.back().get();
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
  recording.ranks = ranks;
  recording.end_s = sg4::Engine::get_clock();
  recording.items.resize(sequence.size());
  recording.link_bytes = world.link_bytes;
  recording.settings = simgrid_settings();
  for (const auto& rank : world.ranks)
    rank->report(recording);
  return recording;
}

} // namespace tandem::engine
