// The phases of an all-reduce, step by step; docs/models.md, "Collectives".
#include "collective/blocks.h"

#include "collective/messages.h"

#include <fmt/format.h>

namespace tandem::collective {

using model::Access;
using model::Buffer;
using model::Phase;
using model::Stream;

OpId append_stage(Composer& composer, const model::Stage& stage, std::uint16_t label, const std::vector<OpId>& after) {
  const double ahead = composer.device().gemm_read_ahead;
  const OpId read = composer.add(
      {.phase = Phase::GEMM, .label = label, .traffic = {{Phase::GEMM, Access::READ, 0.0, stage.reads * ahead}}},
      after);
  return composer.add({.phase = Phase::GEMM,
                       .label = label,
                       .sms = static_cast<std::uint16_t>(stage.tiles),
                       .sm_seconds = stage.sm_seconds,
                       .traffic = {{Phase::GEMM, Access::READ, 0.0, stage.reads * (1.0 - ahead)}}},
                      {read});
}

OpId append_gemm(Composer& composer, const model::Gemm& gemm, int sms, const std::string& name, Span produces,
                 const std::vector<OpId>& after) {
  const auto stages = model::gemm_stages(gemm, composer.device(), sms, model::OutputPath::THROUGH_L2);
  OpId last = composer.add(
      {.phase = Phase::GEMM, .label = composer.label(name + " launch"), .delay = composer.device().kernel_launch},
      after);
  const auto label = composer.label(name);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const OpId computed = append_stage(composer, stages[i], label, {last});
    Op write{.phase = Phase::GEMM,
             .first_stage_end = i == 0,
             .label = label,
             .traffic = {{Phase::GEMM, Access::WRITE, 0.0, stages[i].writes}}};
    if (i + 1 == stages.size() && produces.count > 0)
      write.effect = {model::FRESH, Buffer::LOCAL, false, produces};
    last = composer.add(std::move(write), {computed});
  }
  return last;
}

OpId append_input(Composer& composer, const std::string& name, Span span, model::Sources source,
                  const std::vector<OpId>& after) {
  return composer.add({.phase = Phase::GEMM,
                       .label = composer.label(name + " input"),
                       .effect = {source, Buffer::STAGING, false, span}},
                      after);
}

OpId append_ring_step(Composer& composer, Mover mover, Slice slice, int step, bool adds, const std::vector<OpId>& after,
                      const RingPlace& ring) {
  const auto sources = static_cast<model::Sources>(adds ? model::FROM_LOCAL | model::FROM_STAGING : model::FROM_LOCAL);
  Message message{Phase::RS,
                  fmt::format("RS step {}", step + 1),
                  ring.next(),
                  adds ? 2.0 : 1.0,
                  adds ? REDUCE_AND_SEND : COPY,
                  {Access::WRITE},
                  {sources, Buffer::STAGING, false, composer.chunk(ring.behind(step + 1), slice)}};
  composer.add(send(composer, mover, message), after);
  message.to = -ring.behind(1);
  return composer.add(receive(composer, mover, message, composer.chunk(ring.behind(step + 2), slice)));
}

OpId append_add(Composer& composer, const std::string& name, int sms, Span span, const std::vector<OpId>& after) {
  return composer.add({.phase = Phase::RS,
                       .stream = Stream::COMMUNICATION,
                       .label = composer.label(name),
                       .sms = static_cast<std::uint16_t>(sms),
                       .sm_bytes_per_span = REDUCE_AND_SEND,
                       .traffic = {{Phase::RS, Access::READ, 2.0, {}}, {Phase::RS, Access::WRITE, 1.0, {}}},
                       .effect = {model::FROM_LOCAL | model::FROM_STAGING, Buffer::LOCAL, false, span}},
                      after);
}

OpId append_ring_reduce_scatter(Composer& composer, Mover mover, Slice slice, const std::vector<OpId>& after,
                                const RingPlace& ring) {
  const OpId begin = composer.launch("RS launch", Phase::RS, after);
  OpId last = begin;
  for (int step = 0; step < composer.ranks() - 1; ++step)
    last = append_ring_step(composer, mover, slice, step, step > 0, {begin, last}, ring);
  if (composer.ranks() == 1)
    return last;
  return append_add(composer, "RS final reduce", mover.sms, composer.chunk(0, slice), {begin, last});
}

OpId append_ring_reduce_scatter_near_memory(Composer& composer, Mover mover, const std::vector<OpId>& after) {
  const OpId begin = composer.launch("RS launch", Phase::RS, after);
  OpId last = begin;
  for (int step = 0; step < composer.ranks() - 1; ++step) {
    const Message message{Phase::RS,
                          fmt::format("RS step {}", step + 1),
                          RING_NEXT,
                          1.0,
                          COPY,
                          {Access::UPDATE},
                          {model::FROM_LOCAL, Buffer::LOCAL, true, composer.chunk(-step - 1, composer.whole())}};
    composer.add(send(composer, mover, message), {begin, last});
    // Nobody adds to this memory before the own contribution lies there.
    last = composer.add(receive(composer, mover, message, composer.chunk(-step - 2, composer.whole())), {begin});
  }
  return composer.join("RS done", Phase::RS, {begin, last});
}

OpId append_direct_reduce_scatter(Composer& composer, Mover mover, Slice slice, const std::vector<OpId>& after,
                                  int window) {
  return append_exchanges(
      composer, mover, window, "RS", Phase::RS,
      [&](int offset) {
        return Exchange{add_message(Phase::RS, fmt::format("RS to +{}", offset), offset, composer.chunk(offset, slice)),
                        composer.chunk(0, slice)};
      },
      after);
}

OpId append_direct_all_to_all(Composer& composer, Mover mover, Slice slice, const std::vector<OpId>& after,
                              int window) {
  return append_exchanges(
      composer, mover, window, "A2A", Phase::OTHER,
      [&](int offset) {
        auto message = copy_message(Phase::OTHER, fmt::format("A2A to +{}", offset), offset, model::FROM_LOCAL,
                                    Buffer::RESULT, composer.chunk(offset, slice));
        message.effect.to = composer.chunk(0, slice).first;
        return Exchange{std::move(message), composer.chunk(0, slice)};
      },
      after);
}

OpId append_ring_all_gather_step(Composer& composer, Mover mover, Slice slice, int step, const std::vector<OpId>& after,
                                 const RingPlace& ring) {
  auto message = copy_message(Phase::AG, fmt::format("AG step {}", step + 1), ring.next(),
                              step == 0 ? model::FROM_LOCAL : model::FROM_RESULT, Buffer::RESULT,
                              composer.chunk(ring.behind(step), slice));
  composer.add(send(composer, mover, message), after);
  message.to = -ring.behind(1);
  return composer.add(receive(composer, mover, message, composer.chunk(ring.behind(step + 1), slice)));
}

OpId append_ring_all_gather(Composer& composer, Mover mover, Slice slice, const std::vector<OpId>& after,
                            const RingPlace& ring) {
  const OpId begin = composer.launch("AG launch", Phase::AG, after);
  std::vector<OpId> all{begin};
  for (int step = 0; step < composer.ranks() - 1; ++step)
    all.push_back(append_ring_all_gather_step(composer, mover, slice, step, {begin, all.back()}, ring));
  return composer.join("AG done", Phase::AG, all);
}

OpId append_rest_of_all_reduce(Composer& composer, model::CollectiveKind goal, Mover mover, Slice slice, OpId reduced) {
  return goal == model::CollectiveKind::ALL_REDUCE ? append_ring_all_gather(composer, mover, slice, {reduced})
                                                   : reduced;
}

} // namespace tandem::collective
