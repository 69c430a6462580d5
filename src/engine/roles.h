// What ranks do, apart from where they are: ranks of one role play the same programs and have the same channels, each
// to and from the members as far on in their groups.
#pragma once

#include "engine/program_index.h"
#include "model/job.h"

#include <compare>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tandem::engine {

/// A schedule with what all ranks share of it.
struct SharedSchedule {
  explicit SharedSchedule(const model::Schedule& described);
  const model::Schedule& schedule;
  model::SpanBytes bytes;
  std::vector<ProgramIndex> indices; ///< per program
  std::vector<std::uint32_t> alike;  ///< per program, the first one like it
};

/// A channel to or from the member `offset` further on in the group. A lane is that of a task and its grouping:
/// channels are those of all its schedules.
struct ChannelKey {
  std::uint32_t lane = 0, offset = 0;
  std::uint16_t channel = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads <=>
  auto operator<=>(const ChannelKey&) const = default;
};

/// Channels have places, counted from 0, in the order in which programs use them first. Legs of channels over half of
/// the way follow the channels out.
struct Role {
  std::vector<ChannelKey> out, in;
  std::map<ChannelKey, std::uint32_t> place_out, place_in;
  std::vector<std::pair<std::uint32_t, model::Leg>> legs; ///< place of the channel, and which half
  /// Equal for roles that differ only in whom they talk to and which pieces they move.
  std::uint32_t alike = 0;
};

class Roles {
public:
  /// Throws Bug when a task wants a group that its rank is not in, or whose size is not its schedule's.
  Roles(const model::Job& job, const std::vector<SharedSchedule>& schedules);

  [[nodiscard]] const Role& of(std::uint32_t rank) const { return roles_[of_[rank]]; }
  [[nodiscard]] static std::uint32_t lane(const model::Task& task) { return task.grouping * LANES + task.lane; }
  /// The member that a channel of the rank goes to or comes from.
  [[nodiscard]] std::uint32_t peer(std::uint32_t rank, const ChannelKey& key) const;
  /// The other end of a channel, as its peer names it.
  [[nodiscard]] ChannelKey other_end(std::uint32_t rank, ChannelKey key) const;

private:
  static constexpr std::uint32_t LANES = 1U << 16; ///< of a grouping
  /// A schedule that a program plays on a lane.
  using Conversation = std::pair<std::uint32_t, std::uint32_t>;
  [[nodiscard]] std::vector<Conversation> conversations(const model::TaskProgram& program) const;
  [[nodiscard]] const std::vector<std::uint32_t>& group(std::uint32_t rank, std::uint32_t lane) const;
  [[nodiscard]] model::Grouping::Place place(std::uint32_t rank, std::uint32_t lane) const;
  /// Appends the places of the program's channels to `used`.
  static void add_channels(Role& role, std::uint32_t lane, const model::Program& program, const ProgramIndex& index,
                           std::vector<std::uint32_t>& used);

  const model::Job& job_;
  std::vector<std::uint32_t> of_; ///< by rank
  std::vector<Role> roles_;
};

} // namespace tandem::engine
