// Messages as operations; docs/models.md, "Collectives".
#include "collective/messages.h"

#include <algorithm>
#include <utility>

namespace tandem::collective {

using model::Access;
using model::Buffer;
using model::OpKind;
using model::Phase;
using model::Stream;

Op send(Composer& composer, Mover mover, const Message& message) {
  Op op{.kind = OpKind::TRANSFER,
        .phase = message.phase,
        .stream = Stream::COMMUNICATION,
        .label = composer.label(message.text),
        .channel = mover.channel,
        .peer = message.to,
        .sms = static_cast<std::uint16_t>(mover.sms),
        .sm_bytes_per_span = mover.sms > 0 ? message.sm_bytes : 0.0, // a DMA engine needs no SMs
        .traffic = {{message.phase, Access::READ, message.reads, {}}},
        .effect = message.effect};
  for (const auto access : message.at_peer)
    op.peer_traffic.push_back({message.phase, access, 1.0, {}});
  return op;
}

Op receive(Composer& composer, Mover mover, const Message& message, Span span) {
  return {.kind = OpKind::RECV,
          .phase = message.phase,
          .stream = Stream::COMMUNICATION,
          .label = composer.label(message.text),
          .channel = mover.channel,
          .peer = -message.to,
          .effect = {.span = span}};
}

Message copy_message(Phase phase, std::string text, int to, model::Sources source, Buffer target, Span span) {
  return {phase, std::move(text), to, 1.0, COPY, {Access::WRITE}, {source, target, false, span}};
}

Message add_message(Phase phase, std::string text, int to, Span span) {
  return {phase,
          std::move(text),
          to,
          1.0,
          COPY,
          {Access::READ, Access::WRITE},
          {model::FROM_LOCAL, Buffer::LOCAL, true, span}};
}

int sends_in_flight(const Composer& composer, int window) {
  const int peers = composer.ranks() - 1;
  return std::max(1, window == 0 ? peers : std::min(window, peers));
}

OpId append_exchanges(Composer& composer, Mover mover, int window, const std::string& text, Phase phase,
                      const ExchangeStep& step, const std::vector<OpId>& after) {
  const OpId begin = composer.launch(text + " launch", phase, after);
  const auto most = static_cast<std::size_t>(sends_in_flight(composer, window));
  const Mover part{.sms = std::max(1, mover.sms / static_cast<int>(most)), .channel = mover.channel};
  std::vector<OpId> sent, all{begin};
  for (int offset = 1; offset < composer.ranks(); ++offset) {
    const auto [out, in] = step(offset);
    std::vector<OpId> ready{begin};
    if (sent.size() >= most)
      ready.push_back(sent[sent.size() - most]);
    sent.push_back(composer.add(send(composer, part, out), ready));
    all.push_back(composer.add(receive(composer, part, out, in), {begin}));
  }
  return composer.join(text + " done", phase, all);
}

} // namespace tandem::collective
