// Messages as operations; docs/models.md, "Collectives".
#include "collective/messages.h"

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

} // namespace tandem::collective
