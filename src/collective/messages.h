// One message of a collective: what it costs at the sender, on its SMs and at the receiver, and what it does to data.
#pragma once

#include "collective/blocks.h"

#include <string>
#include <vector>

namespace tandem::collective {

/// Bytes that an SM loads and stores per byte that it moves.
constexpr double COPY = 2.0;            // load, store
constexpr double REDUCE_AND_SEND = 3.0; // two loads, one store

/// A message of one step: `reads` buffers are read at the sender, SMs move `sm_bytes` per byte, the peer's memory is
/// touched as `at_peer` says.
struct Message {
  model::Phase phase;
  std::string text;
  int to; ///< rank + to
  double reads;
  double sm_bytes;
  std::vector<model::Access> at_peer;
  model::Effect effect;
};

Op send(Composer& composer, Mover mover, const Message& message);

/// The end of `message` as it comes in from the rank at -to, with the pieces that it brings here.
Op receive(Composer& composer, Mover mover, const Message& message, Span span);

/// A copy of `span` from `source` to the same place on the peer.
Message copy_message(model::Phase phase, std::string text, int to, model::Sources source, model::Buffer target,
                     Span span);
/// Adds the own LOCAL to the peer's: its memory is read and written.
Message add_message(model::Phase phase, std::string text, int to, Span span);

} // namespace tandem::collective
