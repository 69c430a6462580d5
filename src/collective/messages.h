// One message of a collective: what it costs at the sender, on its SMs and at the receiver, and what it does to data.
#pragma once

#include "collective/blocks.h"

#include <functional>
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

/// Message to the rank `offset` further, and the span that the one from the rank `offset` before brings.
struct Exchange {
  Message out;
  Span in;
};
using ExchangeStep = std::function<Exchange(int offset)>;

/// How many sends of a rank to all others a window (0: none) lets run side by side; at least 1.
int sends_in_flight(const Composer& composer, int window);
/// Exchanges with all others, the mover's SMs shared by the sends in flight. Rank r's k-th message goes to r + k, so
/// that no two of a step have one receiver. Returns the end, when all has come in.
OpId append_exchanges(Composer& composer, Mover mover, int window, const std::string& text, model::Phase phase,
                      const ExchangeStep& step, const std::vector<OpId>& after);

} // namespace tandem::collective
