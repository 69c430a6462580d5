// Partners at halving distances exchange halves of what is left to reduce, then double what they hold.
#include "collective/halving.h"

#include "collective/plain.h"

#include <bit>
#include <fmt/format.h>

namespace tandem::collective {

using model::Buffer;
using model::CollectiveKind;
using model::Phase;

Exchanger::Exchanger(Composer& composer, const GroupPhase& phase, CollectiveKind kind)
    : composer_(composer), phase_(phase), kind_(kind),
      players_(static_cast<int>(std::bit_floor(static_cast<unsigned>(phase.group.size())))),
      spare_(phase.group.size() - players_) {
  const auto pieces = composer.schedule().pieces();
  for (const auto& share : phase.shares)
    append_spans(all_, share, pieces);
  const auto even = pieces_of(all_) / static_cast<std::uint32_t>(players_);
  for (int player = 0; player < players_; ++player) {
    auto& share = shares_.emplace_back();
    if (kind_ == CollectiveKind::ALL_REDUCE) {
      share = cut(all_, static_cast<std::uint32_t>(player) * even, even, pieces);
      continue;
    }
    for (int at = place_of(player); at < (player + 1 < players_ ? place_of(player + 1) : phase.group.size()); ++at)
      append_spans(share, phase.shares[static_cast<std::size_t>(at)], pieces);
  }
}

OpId Exchanger::append(const std::vector<OpId>& after) {
  const OpId begin = composer_.join(phase_.name + "begin", Phase::OTHER, after);
  last_ = {begin};
  if (is_spare()) {
    append_spare(begin);
    return composer_.join(phase_.name + "done", Phase::OTHER, last_);
  }
  const bool stands_for_two = has_spare_neighbour();
  if (stands_for_two)
    for (const OpId arrived : append_receives(composer_, phase_.sums, fold(), folded(), {begin}))
      last_.push_back(arrived);
  if (kind_ != CollectiveKind::ALL_GATHER)
    append_halving();
  if (kind_ == CollectiveKind::ALL_REDUCE) {
    auto own = last_;
    for (const auto span : gathered(held(player(), 1), composer_.schedule().pieces()))
      own.push_back(append_in_place(composer_, span, last_));
    last_ = own;
  }
  if (kind_ != CollectiveKind::REDUCE_SCATTER)
    append_doubling();
  if (stands_for_two)
    append_sends(composer_, phase_.results, unfold(), unfolded(), last_);
  return composer_.join(phase_.name + "done", Phase::OTHER, last_);
}

void Exchanger::append_spare(OpId begin) {
  auto given = append_sends(composer_, phase_.sums, fold(), folded(), {begin});
  given.push_back(begin);
  last_ = append_receives(composer_, phase_.results, unfold(), unfolded(), given); // over what it gave
  last_.push_back(begin);
}

Message Exchanger::fold() const {
  const int to = phase_.group.member(place() / 2 * 2) - phase_.group.member(place() / 2 * 2 + 1);
  return kind_ == CollectiveKind::ALL_GATHER
             ? copy_message(Phase::AG, phase_.name + "fold", to, model::FROM_RESULT, Buffer::RESULT, {})
             : add_message(Phase::RS, phase_.name + "fold", to, {});
}

Message Exchanger::unfold() const {
  const int to = phase_.group.member(place() / 2 * 2 + 1) - phase_.group.member(place() / 2 * 2);
  return kind_ == CollectiveKind::REDUCE_SCATTER
             ? copy_message(Phase::RS, phase_.name + "unfold", to, model::FROM_LOCAL, Buffer::RESULT, {})
             : copy_message(Phase::AG, phase_.name + "unfold", to, model::FROM_RESULT, Buffer::RESULT, {});
}

Spans Exchanger::folded() const {
  return kind_ == CollectiveKind::ALL_GATHER ? phase_.shares[static_cast<std::size_t>(place()) / 2 * 2 + 1] : all_;
}

Spans Exchanger::unfolded() const {
  return kind_ == CollectiveKind::REDUCE_SCATTER ? phase_.shares[static_cast<std::size_t>(place()) / 2 * 2 + 1] : all_;
}

Spans Exchanger::held(int first, int count) const {
  Spans spans;
  for (int at = first; at < first + count; ++at)
    append_spans(spans, shares_[static_cast<std::size_t>(at)], composer_.schedule().pieces());
  return spans;
}

/// Keeps the half of the range that it is in, adds the partner's half to it, and gives the other half away.
void Exchanger::append_halving() {
  for (int distance = players_ / 2; distance > 0; distance /= 2) {
    const int partner = player() ^ distance;
    exchange(phase_.sums,
             add_message(Phase::RS, fmt::format("{}halving {}", phase_.name, distance),
                         phase_.group.member(place_of(partner)), {}),
             held(partner / distance * distance, distance), held(player() / distance * distance, distance));
  }
}

void Exchanger::append_doubling() {
  for (int distance = 1; distance < players_; distance *= 2) {
    const int partner = player() ^ distance;
    exchange(phase_.results,
             copy_message(Phase::AG, fmt::format("{}doubling {}", phase_.name, distance),
                          phase_.group.member(place_of(partner)), model::FROM_RESULT, Buffer::RESULT, {}),
             held(player() / distance * distance, distance), held(partner / distance * distance, distance));
  }
}

/// The next step begins when both ways are done: a partner that is ahead would take the wire from the slower one.
void Exchanger::exchange(Mover mover, Message message, const Spans& out, const Spans& in) {
  auto done = append_sends(composer_, mover, message, out, last_);
  message.to = -message.to;
  for (const OpId arrived : append_receives(composer_, mover, message, in, last_))
    done.push_back(arrived);
  done.insert(done.end(), last_.begin(), last_.end());
  last_ = {composer_.join(message.text + " done", message.phase, done)};
}

} // namespace tandem::collective
