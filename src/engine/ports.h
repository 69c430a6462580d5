// The ends of a channel between two ranks. They outlive the schedules that use them.
#pragma once

#include "engine/machine.h"

#include <array>
#include <cstdint>

namespace tandem::engine {

class Player;
class Executor;

/// Rides with a message: the parts of the transfer beside the wire, null once done.
struct Message {
  static constexpr std::size_t PARTS = 4; ///< memory read, SM work, memory write, half of the way
  std::array<sg4::ActivityPtr, PARTS> parts;
};

struct InPort {
  int peer = 0; ///< rank of the job
  sg4::Mailbox* mailbox = nullptr;
  const Path* path = nullptr;
  Message* message = nullptr; ///< where SimGrid puts the payload
  int under_way = 0;          ///< messages that were sent and have not arrived
  /// Whom to tell that a message is under way, and for which operation; null: nobody waits for that.
  Player* waits = nullptr;
  std::uint32_t waiting_op = 0;
};

struct OutPort {
  int peer = 0; ///< rank of the job
  sg4::Mailbox* mailbox = nullptr;
  const Path* path = nullptr;
  InPort* far = nullptr;           ///< its other end
  std::array<Message, 2> messages; ///< used in turn: the receiver reads one while the next is under way
  std::size_t turn = 0;
};

} // namespace tandem::engine
