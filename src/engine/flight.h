// What the end of an activity in flight means.
#pragma once

#include "engine/memory_arbiter.h"
#include "engine/simgrid.h"

#include <cstdint>

namespace tandem::engine {

class Player;

/// MET: sender and receiver have, over an empty message whose bytes go a way of their own. HOST: has issued a task.
enum class Waits : std::uint8_t { OP_DELAY, OP_PART, MET, MESSAGE, ARRIVAL_PART, LATENCY, HOST, NOTHING };

struct Flight {
  Player* player = nullptr; ///< that waits for it; null: nobody
  Waits waits = Waits::NOTHING;
  std::uint32_t index = 0;          ///< an operation, of MESSAGE an incoming channel, of HOST a task
  sg4::ActivityPtr* slot = nullptr; ///< cleared at the end; may be null
  MemoryArbiter* arbiter = nullptr; ///< told at the end; may be null
};

} // namespace tandem::engine
