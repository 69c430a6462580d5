// Messages of which the switch in the middle of their route takes part of the way.
#include "collective/in_switch.h"

namespace tandem::collective {

using model::Access;
using model::Buffer;
using model::Leg;
using model::Phase;

namespace {

/// The messages of a step of all members, of which one crosses the whole route and the others the leg.
void append_step(Composer& composer, Mover mover, Message message, const Spans& out, Leg leg, const Group& group,
                 int step, const Spans& in, OpId begin, const std::vector<OpId>& ready, std::vector<OpId>& arrived) {
  composer.schedule().adds_in_switch = true;
  message.to = group.member(group.place + step);
  for (const auto span : gathered(out, composer.schedule().pieces())) {
    auto op = send(composer, mover, message);
    op.leg = leg;
    op.effect.span = span;
    composer.add(std::move(op), ready);
  }
  message.to = -group.member(group.place - step);
  for (const OpId op : append_receives(composer, mover, message, in, {begin}))
    arrived.push_back(op);
}

} // namespace

std::vector<OpId> append_switch_sums(Composer& composer, const GroupPhase& phase, OpId begin,
                                     const std::vector<OpId>& ready) {
  const auto& group = phase.group;
  std::vector<OpId> in{begin};
  for (int step = 1; step < group.size(); ++step) {
    const bool last = step == group.size() - 1; // stands for the sum
    auto message = add_message(Phase::RS, phase.name + "to switch", 0, {});
    message.sm_bytes = 0.0; // the owner's load makes the switch read
    message.at_peer = last ? std::vector{Access::WRITE} : std::vector<Access>{};
    append_step(composer, phase.sums, message, phase.share(group.place + step), last ? Leg::WHOLE : Leg::TO_SWITCH,
                group, step, phase.share(group.place), begin, ready, in);
  }
  return in;
}

std::vector<OpId> append_switch_copies(Composer& composer, const GroupPhase& phase, model::Sources source, OpId begin,
                                       const std::vector<OpId>& ready) {
  const auto& group = phase.group;
  std::vector<OpId> in{begin};
  for (int step = 1; step < group.size(); ++step) {
    const bool first = step == 1; // is the store itself
    auto message = copy_message(Phase::AG, phase.name + "from switch", 0, source, Buffer::RESULT, {});
    message.reads = first ? 1.0 : 0.0;
    message.sm_bytes = first ? COPY : 0.0;
    append_step(composer, phase.results, message, phase.share(group.place), first ? Leg::WHOLE : Leg::FROM_SWITCH,
                group, step, phase.share(group.place - step), begin, ready, in);
  }
  return in;
}

} // namespace tandem::collective
