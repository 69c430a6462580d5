// Groupings, programs of tasks, and the simplest job: one schedule after the other.
#include "model/job.h"

#include "base/error.h"

#include <numeric>

namespace tandem::model {

namespace {

constexpr std::uint32_t IN_NONE = 0xffffffff;

} // namespace

std::string to_string(Dimension dimension) {
  constexpr std::array<const char*, DIMENSIONS> NAMES{"tp", "cp", "ep", "pp", "dp", "other"};
  return NAMES.at(static_cast<std::size_t>(dimension));
}

std::string to_string(Purpose purpose) {
  constexpr std::array<const char*, PURPOSES> NAMES{"forward", "backward", "recompute", "optimizer", "other"};
  return NAMES.at(static_cast<std::size_t>(purpose));
}

Grouping::Grouping(std::string name, int ranks, std::vector<std::vector<std::uint32_t>> groups)
    : name_(std::move(name)), groups_(std::move(groups)), places_(static_cast<std::size_t>(ranks), {IN_NONE, 0}) {
  for (std::uint32_t group = 0; group < groups_.size(); ++group)
    for (std::uint32_t position = 0; position < groups_[group].size(); ++position) {
      const auto rank = groups_[group][position];
      if (rank >= places_.size())
        throw base::Bug("grouping " + name_ + ": rank " + std::to_string(rank) + " of " + std::to_string(ranks));
      if (places_[rank].group != IN_NONE)
        throw base::Bug("grouping " + name_ + ": rank " + std::to_string(rank) + " is in two groups");
      places_[rank] = {group, position};
    }
}

std::optional<Grouping::Place> Grouping::place(std::uint32_t rank) const {
  const auto found = places_.at(rank);
  return found.group == IN_NONE ? std::nullopt : std::optional(found);
}

std::uint32_t TaskProgramBuilder::add(const Task& task, const std::vector<std::uint32_t>& after) {
  const auto id = size();
  tasks_.push_back(task);
  if (last_on_.size() <= task.stream)
    last_on_.resize(task.stream + std::size_t{1}, NONE);
  if (last_on_[task.stream] != NONE)
    edges_.emplace_back(last_on_[task.stream], id);
  last_on_[task.stream] = id;
  for (const auto on : after)
    edges_.emplace_back(on, id);
  return id;
}

TaskProgram TaskProgramBuilder::build() {
  TaskProgram program{std::move(tasks_), {}, {}};
  program.dag = Dag(static_cast<std::uint32_t>(program.tasks.size()), edges_);
  *this = {};
  return program;
}

Job job_of(const std::vector<const Schedule*>& sequence) {
  Job job;
  job.ranks = sequence.empty() ? 0 : sequence.front()->ranks;
  job.streams = {"all"};
  job.names = {""};
  std::vector<std::uint32_t> everyone(static_cast<std::size_t>(job.ranks));
  std::iota(everyone.begin(), everyone.end(), 0U);
  job.groupings.emplace_back("all", job.ranks, std::vector<std::vector<std::uint32_t>>{everyone});
  TaskProgramBuilder program;
  for (const auto* schedule : sequence) {
    if (schedule->ranks != job.ranks)
      throw base::Bug("schedules of different sizes in one sequence");
    program.add({.schedule = static_cast<std::uint32_t>(job.schedules.size())});
    job.schedules.emplace_back(schedule, [](const Schedule*) {}); // the caller's
  }
  job.programs.push_back(program.build());
  return job;
}

} // namespace tandem::model
