// A grouping and a stream for each party; ranks in the same parties share a program.
#include "study/concurrent.h"

#include "base/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace tandem::study {

namespace {

/// A schedule of one rank that does nothing for a while.
std::shared_ptr<const model::Schedule> pause(base::Seconds time) {
  model::ProgramBuilder program;
  program.add({.phase = model::Phase::OTHER, .stream = model::Stream::COMMUNICATION, .delay = time});
  auto schedule = std::make_shared<model::Schedule>();
  schedule->strategy = "pause";
  schedule->piece_bytes = {0.0};
  schedule->labels = {"not yet"};
  schedule->programs.push_back(program.build());
  return schedule;
}

std::uint32_t place_in(const std::vector<std::uint32_t>& ranks, std::uint32_t rank) {
  return static_cast<std::uint32_t>(std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

/// Adds the party's schedules, its stream and its grouping, and gives its tasks.
std::vector<model::Task> tasks_of(const Party& party, std::uint32_t number, const std::vector<std::uint32_t>& ranks,
                                  model::Job& job) {
  std::vector<std::uint32_t> members;
  for (const auto rank : party.members)
    members.push_back(place_in(ranks, rank));
  job.groupings.emplace_back(fmt::format("party {}", number), job.ranks,
                             std::vector<std::vector<std::uint32_t>>{std::move(members)});
  job.streams.push_back(fmt::format("party {}", number));
  const auto stream = static_cast<std::uint16_t>(number);
  std::vector<model::Task> tasks;
  if (party.start.value() > 0.0) {
    tasks.push_back({.schedule = static_cast<std::uint32_t>(job.schedules.size()), .grouping = 0, .stream = stream});
    job.schedules.push_back(pause(party.start));
  }
  tasks.insert(tasks.end(), static_cast<std::size_t>(party.count),
               {.schedule = static_cast<std::uint32_t>(job.schedules.size()),
                .grouping = static_cast<std::uint32_t>(job.groupings.size() - 1),
                .stream = stream});
  job.schedules.push_back(party.schedule);
  return tasks;
}

} // namespace

std::vector<std::uint32_t> ranks_of(const std::vector<Party>& parties) {
  std::vector<std::uint32_t> ranks;
  for (const auto& party : parties)
    ranks.insert(ranks.end(), party.members.begin(), party.members.end());
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

model::Job concurrent_job(const std::vector<Party>& parties) {
  const auto ranks = ranks_of(parties);
  model::Job job;
  job.ranks = static_cast<int>(ranks.size());
  job.names = {""};
  std::vector<std::vector<std::uint32_t>> alone;
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank)
    alone.push_back({rank});
  job.groupings.emplace_back("alone", job.ranks, std::move(alone));

  std::vector<std::vector<std::uint32_t>> parties_of(ranks.size());
  std::vector<std::vector<model::Task>> tasks;
  for (std::uint32_t number = 0; number < parties.size(); ++number) {
    const auto& party = parties[number];
    if (static_cast<std::size_t>(party.schedule->ranks) != party.members.size())
      throw base::Bug(
          fmt::format("party {}: a schedule of {} ranks for {}", number, party.schedule->ranks, party.members.size()));
    tasks.push_back(tasks_of(party, number, ranks, job));
    for (const auto rank : party.members)
      parties_of[place_in(ranks, rank)].push_back(number);
  }

  std::map<std::vector<std::uint32_t>, std::uint32_t> programs;
  for (const auto& numbers : parties_of) {
    const auto [known, is_new] = programs.try_emplace(numbers, static_cast<std::uint32_t>(job.programs.size()));
    if (is_new) {
      model::TaskProgramBuilder program;
      for (const auto number : numbers)
        for (const auto& task : tasks[number])
          program.add(task);
      job.programs.push_back(program.build());
    }
    job.program_of.push_back(known->second);
  }
  return job;
}

std::vector<double> times_of(const std::vector<Party>& parties, const model::Job& job,
                             const model::Recording& recording) {
  std::vector<double> times(parties.size(), 0.0);
  for (const auto& task : recording.tasks) {
    const auto number = job.program(task.rank).tasks[task.task].stream;
    times[number] = std::max(times[number], task.end_s - parties[number].start.value());
  }
  return times;
}

} // namespace tandem::study
