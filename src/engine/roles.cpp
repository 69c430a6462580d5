// Sorts ranks by the programs that they play, and collects each role's channels.
#include "engine/roles.h"

#include "base/error.h"
#include "engine/alike_programs.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace tandem::engine {

SharedSchedule::SharedSchedule(const model::Schedule& described) : schedule(described), bytes(described) {
  for (const auto& program : described.programs)
    indices.emplace_back(described, program);
  alike = alike_programs(described, indices);
}

Roles::Roles(const model::Job& job, const std::vector<SharedSchedule>& schedules) : job_(job) {
  std::vector<std::vector<Conversation>> of_program;
  for (const auto& program : job.programs)
    of_program.push_back(conversations(program));
  std::map<std::vector<std::uint32_t>, std::uint32_t> known;
  std::map<std::vector<std::uint32_t>, std::uint32_t> known_likes;
  std::vector<std::uint32_t> key, like;
  for (std::uint32_t rank = 0; rank < static_cast<std::uint32_t>(job.ranks); ++rank) {
    const auto program = job.program_of.empty() ? 0 : job.program_of[rank];
    key = {program};
    for (const auto& [number, lane] : of_program[program]) {
      const auto& schedule = schedules[number].schedule;
      const auto position = place(rank, lane).position;
      if (group(rank, lane).size() != static_cast<std::size_t>(schedule.ranks))
        throw base::Bug(
            fmt::format("a schedule of {} ranks for a group of {}", schedule.ranks, group(rank, lane).size()));
      if (!schedule.program_of.empty())
        key.push_back(schedule.program_of[position]);
    }
    const auto [role, is_new] = known.try_emplace(key, static_cast<std::uint32_t>(roles_.size()));
    of_.push_back(role->second);
    if (!is_new)
      continue;
    auto& made = roles_.emplace_back();
    like = {program};
    for (const auto& [number, lane] : of_program[program]) {
      const auto& schedule = schedules[number].schedule;
      const auto which = schedule.program_of.empty() ? 0 : schedule.program_of[place(rank, lane).position];
      like.push_back(schedules[number].alike[which]);
      add_channels(made, lane, schedule.programs[which], schedules[number].indices[which], like);
    }
    made.alike = known_likes.try_emplace(like, static_cast<std::uint32_t>(known_likes.size())).first->second;
  }
}

std::vector<Roles::Conversation> Roles::conversations(const model::TaskProgram& program) const {
  std::vector<Conversation> list;
  std::set<Conversation> known;
  for (const auto& task : program.tasks)
    if (const Conversation one{task.schedule, lane(task)}; known.insert(one).second)
      list.push_back(one);
  return list;
}

model::Grouping::Place Roles::place(std::uint32_t rank, std::uint32_t lane) const {
  const auto& grouping = job_.groupings[lane / LANES];
  const auto found = grouping.place(rank);
  if (!found)
    throw base::Bug(fmt::format("rank {} is in no group of {}", rank, grouping.name()));
  return *found;
}

const std::vector<std::uint32_t>& Roles::group(std::uint32_t rank, std::uint32_t lane) const {
  return job_.groupings[lane / LANES].groups()[place(rank, lane).group];
}

std::uint32_t Roles::peer(std::uint32_t rank, const ChannelKey& key) const {
  const auto& members = group(rank, key.lane);
  return members[(place(rank, key.lane).position + std::uint64_t{key.offset}) % members.size()];
}

ChannelKey Roles::other_end(std::uint32_t rank, ChannelKey key) const {
  const auto size = static_cast<std::uint32_t>(group(rank, key.lane).size());
  key.offset = (size - key.offset) % size;
  return key;
}

void Roles::add_channels(Role& role, std::uint32_t lane, const model::Program& program, const ProgramIndex& index,
                         std::vector<std::uint32_t>& used) {
  const auto add = [&](const ChannelOrder& order, std::vector<ChannelKey>& list,
                       std::map<ChannelKey, std::uint32_t>& places) {
    const ChannelKey key{lane, static_cast<std::uint32_t>(order.peer), order.channel};
    const auto [place, is_new] = places.try_emplace(key, static_cast<std::uint32_t>(list.size()));
    if (is_new)
      list.push_back(key);
    used.push_back(place->second);
    return place->second;
  };
  for (const auto& order : index.incoming)
    add(order, role.in, role.place_in);
  for (const auto& order : index.outgoing) {
    const auto place = add(order, role.out, role.place_out);
    for (const auto op : order.ops) {
      const std::pair half{place, program.ops[op].leg};
      if (half.second != model::Leg::WHOLE && std::find(role.legs.begin(), role.legs.end(), half) == role.legs.end())
        role.legs.push_back(half);
    }
  }
}

} // namespace tandem::engine
