// Orders that all ranks of a program share: which transfers and receives form each channel, which operations queue for
// each resource.
#pragma once

#include "model/schedule.h"

#include <cstdint>
#include <vector>

namespace tandem::engine {

/// Transfers (or receives) between a rank and rank + peer on one channel, in program order.
struct ChannelOrder {
  std::int32_t peer = 0;
  std::uint16_t channel = 0;
  std::vector<std::uint32_t> ops;
};

struct ProgramIndex {
  explicit ProgramIndex(const model::Schedule& schedule, const model::Program& program);

  std::vector<ChannelOrder> outgoing, incoming;
  std::vector<std::uint32_t> channel_of;             ///< per op: index into outgoing or incoming
  std::vector<std::vector<std::uint32_t>> acquirers; ///< per resource: operations that take a slot, in program order
};

} // namespace tandem::engine
