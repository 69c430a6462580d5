// The ends of a channel between two GPUs. They outlive the schedules that use them.
#pragma once

#include "engine/machine.h"

#include <array>
#include <cstdint>

namespace tandem::engine {

class Player;

/// Rides with a message: the parts of the transfer beside the wire, null once done.
struct Message {
  static constexpr std::size_t PARTS = 4; ///< memory read, SM work, memory write, bytes that go a way of their own
  static constexpr std::size_t BYTES = 3; ///< place of the last of them
  std::array<sg4::ActivityPtr, PARTS> parts;

  [[nodiscard]] bool is_part_over(std::size_t part) const {
    return is_over(static_cast<const sg4::Exec&>(*parts[part])); // all but the last are executions
  }

  /// Sender and receiver have met over an empty message whose bytes go a way of their own: whoever knows first sends
  /// them.
  void send_bytes();
  const Path* way = nullptr; ///< of bytes that have yet to be sent
  std::uint64_t bytes = 0;
  double rate = 0.0; ///< most bytes per second; 0: no limit
};

struct InPort {
  sg4::Mailbox* mailbox = nullptr;
  const Path* path = nullptr;
  Message* message = nullptr; ///< where SimGrid puts the payload
  int under_way = 0;          ///< messages that were sent and have not arrived
  int posted = 0;             ///< receives that wait for one of them or for one to come
  /// Whom to tell, and for which operation, that the other end has come; null: nobody waits for that.
  struct Waiting {
    Player* player = nullptr;
    std::uint32_t op = 0;
  };
  Waiting receiver, sender;
};

struct OutPort {
  std::uint32_t peer = 0; ///< number of the GPU
  sg4::Mailbox* mailbox = nullptr;
  const Path* path = nullptr;
  std::array<const Path*, 3> legs{}; ///< by model::Leg; null where no transfer goes half of the way
  InPort* far = nullptr;             ///< its other end
  std::array<Message, 2> messages;   ///< used in turn: the receiver reads one while the next is under way
  std::size_t turn = 0;
};

} // namespace tandem::engine
