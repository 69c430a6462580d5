// Rings, direct exchanges and trees in a group; docs/models.md, "Collectives on their own".
#include "collective/group.h"

#include "collective/binary_tree.h"
#include "collective/halving.h"
#include "collective/in_switch.h"
#include "collective/plain.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <numeric>

namespace tandem::collective {

using model::Access;
using model::Buffer;
using model::CollectiveKind;
using model::Phase;

namespace {

constexpr int TREES = 2; // share the work of an all-reduce

/// Waits for all, which come after `begin`; where there is none, for that.
OpId end_of(Composer& composer, const std::string& text, Phase phase, OpId begin, std::vector<OpId> all) {
  if (all.size() == 1)
    return all.front();
  all.push_back(begin);
  return composer.join(text, phase, all);
}

OpId append_ring_sums(Composer& composer, const GroupPhase& phase, OpId begin) {
  const auto& group = phase.group;
  OpId last = begin;
  for (int step = 0; step < group.size() - 1; ++step) {
    const bool adds = step > 0;
    const auto sources =
        static_cast<model::Sources>(adds ? model::FROM_LOCAL | model::FROM_STAGING : model::FROM_LOCAL);
    Message message{Phase::RS,
                    fmt::format("{}RS step {}", phase.name, step + 1),
                    group.member(group.place + 1),
                    adds ? 2.0 : 1.0,
                    adds ? REDUCE_AND_SEND : COPY,
                    {Access::WRITE},
                    {sources, Buffer::STAGING, false, {}}};
    append_sends(composer, phase.sums, message, phase.share(group.place - step - 1), {begin, last});
    message.to = -group.member(group.place - 1);
    last = end_of(composer, message.text + " in", Phase::RS, begin,
                  append_receives(composer, phase.sums, message, phase.share(group.place - step - 2), {begin}));
  }
  std::vector<OpId> added;
  for (const auto span : gathered(phase.share(group.place), composer.schedule().pieces()))
    added.push_back(append_add(composer, phase.name + "RS final reduce", phase.sums.sms, span, {begin, last}));
  return end_of(composer, phase.name + "RS done", Phase::RS, begin, added);
}

OpId append_ring_results(Composer& composer, const GroupPhase& phase, OpId begin) {
  const auto& group = phase.group;
  OpId last = begin;
  std::vector<OpId> arrived; // which the sends of others alone put in order
  for (int step = 0; step < group.size() - 1; ++step) {
    auto message = copy_message(Phase::AG, fmt::format("{}AG step {}", phase.name, step + 1),
                                group.member(group.place + 1), model::FROM_RESULT, Buffer::RESULT, {});
    append_sends(composer, phase.results, message, phase.share(group.place - step), {begin, last});
    message.to = -group.member(group.place - 1);
    last = end_of(composer, message.text + " in", Phase::AG, begin,
                  append_receives(composer, phase.results, message, phase.share(group.place - step - 1), {begin}));
    arrived.push_back(last);
  }
  return end_of(composer, phase.name + "AG done", Phase::AG, begin, arrived);
}

/// To all others at once, each message to its member straight.
OpId append_direct(Composer& composer, const GroupPhase& phase, bool adds, OpId begin) {
  const auto& group = phase.group;
  const Mover& all = adds ? phase.sums : phase.results;
  const Mover mover{.sms = std::max(1, all.sms / std::max(1, group.size() - 1)), .channel = all.channel};
  const auto what = phase.name + (adds ? "RS" : "AG");
  std::vector<OpId> arrived;
  for (int step = 1; step < group.size(); ++step) {
    const auto text = fmt::format("{} exchange {}", what, step);
    const auto message = [&](int to) {
      return adds ? add_message(Phase::RS, text, to, {})
                  : copy_message(Phase::AG, text, to, model::FROM_RESULT, Buffer::RESULT, {});
    };
    const int to = group.place + step, from = group.place - step;
    append_sends(composer, mover, message(group.member(to)), phase.share(adds ? to : group.place), {begin});
    for (const OpId in : append_receives(composer, mover, message(-group.member(from)),
                                         phase.share(adds ? group.place : from), {begin}))
      arrived.push_back(in);
  }
  return end_of(composer, what + " done", adds ? Phase::RS : Phase::AG, begin, arrived);
}

/// A pair of trees, each for half of the pieces.
OpId append_two_trees(Composer& composer, const GroupPhase& phase, OpId begin) {
  const auto& group = phase.group;
  const auto pieces = composer.schedule().pieces();
  Spans all;
  for (const auto& spans : phase.shares)
    append_spans(all, spans, pieces);
  const auto half = pieces_of(all) / TREES;
  std::vector<OpId> done;
  for (int which = 0; which < TREES; ++which) {
    const BinaryTree tree(group.size(), which);
    TreePlace place;
    if (const auto parent = tree.parent(group.place))
      place.parent = group.member(*parent);
    for (const int child : tree.children(group.place))
      place.children.push_back(group.member(child));
    auto one = phase;
    one.sums.sms = one.results.sms = std::max(1, phase.sums.sms / TREES);
    done.push_back(append_tree_all_reduce(
        composer, one, place, which == 0 ? cut(all, 0, half, pieces) : cut(all, half, pieces_of(all) - half, pieces),
        {begin}));
  }
  return end_of(composer, phase.name + "trees done", Phase::AG, begin, done);
}

OpId begin_of(Composer& composer, const GroupPhase& phase, const std::vector<OpId>& after) {
  return after.size() == 1 ? after.front() : composer.join(phase.name + "begin", Phase::OTHER, after);
}

} // namespace

void append_span(Spans& spans, Span span, std::uint32_t pieces) {
  if (span.count == 0)
    return;
  if (!spans.empty() && (spans.back().first + spans.back().count) % pieces == span.first)
    spans.back().count += span.count;
  else
    spans.push_back(span);
}

void append_spans(Spans& spans, const Spans& more, std::uint32_t pieces) {
  for (const auto span : more)
    append_span(spans, span, pieces);
}

std::uint32_t pieces_of(const Spans& spans) {
  std::uint32_t sum = 0;
  for (const auto span : spans)
    sum += span.count;
  return sum;
}

Spans cut(const Spans& spans, std::uint32_t first, std::uint32_t count, std::uint32_t pieces) {
  Spans part;
  std::uint32_t before = 0;
  for (const auto span : spans) {
    const auto begin = std::max(first, before), end = std::min(first + count, before + span.count);
    if (begin < end)
      part.push_back({(span.first + (begin - before)) % pieces, end - begin});
    before += span.count;
  }
  return part;
}

Spans gathered(const Spans& spans, std::uint32_t pieces) {
  Spans list;
  for (const auto span : spans) {
    auto* last = list.empty() ? nullptr : &list.back();
    const bool begins = last != nullptr && last->run == 0; // a second run
    const auto run = begins ? last->count : last != nullptr ? last->run : 0;
    if (run != span.count) {
      list.push_back(span);
      continue;
    }
    const auto further = (span.first + pieces - last->first) % pieces;
    const auto stride = begins ? further : last->stride;
    if (further != last->count / run * std::uint64_t{stride} || stride < run || further + std::uint64_t{run} > pieces) {
      list.push_back(span);
      continue;
    }
    last->count += run;
    last->run = run;
    last->stride = stride;
  }
  return list;
}

int even_parts(GroupAlgorithm algorithm, int members) {
  switch (algorithm) {
  case GroupAlgorithm::TREE:
    return TREES;
  case GroupAlgorithm::HALVING_DOUBLING:
    return static_cast<int>(std::bit_floor(static_cast<unsigned>(members)));
  default:
    return members;
  }
}

std::vector<OpId> append_sends(Composer& composer, Mover mover, const Message& message, const Spans& spans,
                               const std::vector<OpId>& after) {
  std::vector<OpId> sent;
  for (const auto span : gathered(spans, composer.schedule().pieces())) {
    auto op = send(composer, mover, message);
    op.effect.span = span;
    sent.push_back(composer.add(std::move(op), after));
  }
  return sent;
}

std::vector<OpId> append_receives(Composer& composer, Mover mover, const Message& message, const Spans& spans,
                                  const std::vector<OpId>& after) {
  std::vector<OpId> arrived;
  for (const auto span : gathered(spans, composer.schedule().pieces()))
    arrived.push_back(composer.add(receive(composer, mover, message, span), after));
  return arrived;
}

OpId append_group_reduce_scatter(Composer& composer, const GroupPhase& phase, const std::vector<OpId>& after) {
  const OpId begin = begin_of(composer, phase, after);
  if (phase.group.size() == 1)
    return begin;
  switch (phase.algorithm) {
  case GroupAlgorithm::HALVING_DOUBLING:
    return Exchanger(composer, phase, CollectiveKind::REDUCE_SCATTER).append({begin});
  case GroupAlgorithm::DIRECT:
    return append_direct(composer, phase, true, begin);
  case GroupAlgorithm::IN_SWITCH:
    return end_of(composer, phase.name + "RS done", Phase::RS, begin,
                  append_switch_sums(composer, phase, begin, {begin}));
  default:
    return append_ring_sums(composer, phase, begin);
  }
}

OpId append_group_all_gather(Composer& composer, const GroupPhase& phase, const std::vector<OpId>& after) {
  const OpId begin = begin_of(composer, phase, after);
  if (phase.group.size() == 1)
    return begin;
  switch (phase.algorithm) {
  case GroupAlgorithm::HALVING_DOUBLING:
    return Exchanger(composer, phase, CollectiveKind::ALL_GATHER).append({begin});
  case GroupAlgorithm::DIRECT:
    return append_direct(composer, phase, false, begin);
  case GroupAlgorithm::IN_SWITCH:
    return end_of(composer, phase.name + "AG done", Phase::AG, begin,
                  append_switch_copies(composer, phase, model::FROM_RESULT, begin, {begin}));
  default:
    return append_ring_results(composer, phase, begin);
  }
}

OpId append_group_all_reduce(Composer& composer, const GroupPhase& phase, const std::vector<OpId>& after) {
  const OpId begin = begin_of(composer, phase, after);
  if (phase.group.size() > 1 && phase.algorithm == GroupAlgorithm::HALVING_DOUBLING)
    return Exchanger(composer, phase, CollectiveKind::ALL_REDUCE).append({begin});
  if (phase.group.size() > 1 && phase.algorithm == GroupAlgorithm::TREE)
    return append_two_trees(composer, phase, begin);
  const OpId reduced = append_group_reduce_scatter(composer, phase, {begin});
  std::vector<OpId> own;
  for (const auto span : gathered(phase.share(phase.group.place), composer.schedule().pieces()))
    own.push_back(append_in_place(composer, span, {reduced}));
  return append_group_all_gather(composer, phase, {end_of(composer, phase.name + "own part", Phase::AG, reduced, own)});
}

OpId append_tree_all_reduce(Composer& composer, const GroupPhase& phase, const TreePlace& place, const Spans& spans,
                            const std::vector<OpId>& after) {
  const auto up = [&](int to) { return add_message(Phase::RS, phase.name + "up", to, {}); };
  const auto down = [&](int to) {
    return copy_message(Phase::AG, phase.name + "down", to, model::FROM_RESULT, Buffer::RESULT, {});
  };
  auto ready = after;
  for (const int child : place.children)
    for (const OpId in : append_receives(composer, phase.sums, up(-child), spans, after))
      ready.push_back(in);
  if (place.parent) {
    append_sends(composer, phase.sums, up(*place.parent), spans, ready);
    ready = append_receives(composer, phase.results, down(-*place.parent), spans, after);
  } else {
    std::vector<OpId> own;
    for (const auto span : gathered(spans, composer.schedule().pieces()))
      own.push_back(append_in_place(composer, span, ready));
    ready = own;
  }
  ready.insert(ready.end(), after.begin(), after.end());
  const OpId done = composer.join(phase.name + "tree done", Phase::AG, ready);
  for (const int child : place.children)
    append_sends(composer, phase.results, down(child), spans, {done});
  return done;
}

} // namespace tandem::collective
