// Single mutations of a program: dependencies, spans, peers, channels, effects, operations, resources, order.
#include "mutations.h"

#include "schedule_edit.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <vector>

namespace tandem::collective {

using model::Buffer;
using model::Op;
using model::OpKind;
using model::Schedule;

namespace {

struct Draw {
  const Schedule& schedule;
  LooseProgram& program;
  std::mt19937_64& random;

  std::uint32_t below(std::size_t limit) { return static_cast<std::uint32_t>(random() % limit); }
  std::uint32_t any_op() { return below(program.ops.size()); }
  /// An operation that `fits`; the number of operations when there is none.
  std::uint32_t op_where(const std::function<bool(const Op&)>& fits) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t op = 0; op < program.ops.size(); ++op)
      if (fits(program.ops[op]))
        found.push_back(op);
    return found.empty() ? static_cast<std::uint32_t>(program.ops.size()) : found[below(found.size())];
  }
  std::string named(const char* what, std::uint32_t op) {
    return fmt::format("{} operation {} ({})", what, op, schedule.labels[program.ops[op].label]);
  }
};

bool writes(const Op& op) {
  return op.effect.sources != 0;
}
bool talks(const Op& op) {
  return op.kind == OpKind::TRANSFER || op.kind == OpKind::RECV;
}

std::string drop_dependency(Draw& draw) {
  if (draw.program.edges.empty())
    return {};
  const auto edge = draw.program.edges.begin() + draw.below(draw.program.edges.size());
  const auto text = fmt::format("drop dependency {} -> {}", edge->first, edge->second);
  draw.program.edges.erase(edge);
  return text;
}

std::string add_dependency(Draw& draw) {
  const auto from = draw.any_op(), to = draw.any_op();
  draw.program.edges.emplace_back(from, to);
  return fmt::format("add dependency {} -> {}", from, to);
}

std::string move_dependency(Draw& draw) {
  if (draw.program.edges.empty())
    return {};
  auto& edge = draw.program.edges[draw.below(draw.program.edges.size())];
  const auto text = fmt::format("move dependency {} -> {}", edge.first, edge.second);
  (draw.below(2) == 0 ? edge.first : edge.second) = draw.any_op();
  return fmt::format("{} to {} -> {}", text, edge.first, edge.second);
}

std::string change_span(Draw& draw) {
  const auto op = draw.op_where([](const Op& each) { return each.effect.span.count > 0; });
  if (op == draw.program.ops.size())
    return {};
  auto& span = draw.program.ops[op].effect.span;
  if (draw.below(2) == 0)
    span.first = draw.below(draw.schedule.pieces());
  else
    span.count = draw.below(draw.schedule.pieces() + 1);
  return draw.named("new span of", op) + fmt::format(": {}+{}", span.first, span.count);
}

std::string move_place(Draw& draw) {
  const auto op = draw.op_where(writes);
  if (op == draw.program.ops.size())
    return {};
  auto& effect = draw.program.ops[op].effect;
  const bool reads = draw.below(2) == 0;
  (reads ? effect.from : effect.to) = draw.below(draw.schedule.pieces());
  return draw.named(reads ? "new place that is read by" : "new place that is written by", op);
}

std::string change_peer(Draw& draw) {
  const auto op = draw.op_where(talks);
  if (op == draw.program.ops.size())
    return {};
  draw.program.ops[op].peer = static_cast<std::int32_t>(draw.below(static_cast<std::size_t>(draw.schedule.ranks)));
  return draw.named("new peer of", op);
}

std::string change_channel(Draw& draw) {
  const auto op = draw.op_where(talks);
  if (op == draw.program.ops.size())
    return {};
  draw.program.ops[op].channel = static_cast<std::uint16_t>(draw.below(3));
  return draw.named("new channel of", op);
}

std::string swap_update_and_store(Draw& draw) {
  const auto op = draw.op_where(writes);
  if (op == draw.program.ops.size())
    return {};
  draw.program.ops[op].effect.update = !draw.program.ops[op].effect.update;
  return draw.named("update for store or back in", op);
}

std::string change_target(Draw& draw) {
  const auto op = draw.op_where(writes);
  if (op == draw.program.ops.size())
    return {};
  draw.program.ops[op].effect.target = static_cast<Buffer>(draw.below(4));
  return draw.named("new target of", op);
}

std::string change_sources(Draw& draw) {
  const auto op = draw.op_where(writes);
  if (op == draw.program.ops.size())
    return {};
  draw.program.ops[op].effect.sources = static_cast<model::Sources>(draw.below(32));
  return draw.named("new sources of", op);
}

std::string drop_op(Draw& draw) {
  const auto op = draw.any_op();
  const bool bridged = draw.below(2) == 0;
  const auto text = draw.named(bridged ? "drop and bridge" : "drop", op);
  draw.program.erase(op, bridged);
  return text;
}

std::string idle_op(Draw& draw) {
  const auto op = draw.op_where(writes);
  if (op == draw.program.ops.size())
    return {};
  draw.program.ops[op].effect.sources = 0;
  return draw.named("no effect of", op);
}

std::string repeat_op(Draw& draw) {
  const auto op = draw.any_op();
  const auto copy = static_cast<std::uint32_t>(draw.program.ops.size());
  draw.program.ops.push_back(draw.program.ops[op]);
  const auto edges = draw.program.edges;
  for (const auto& [from, to] : edges) {
    if (to == op)
      draw.program.edges.emplace_back(from, copy);
    if (from == op)
      draw.program.edges.emplace_back(copy, to);
  }
  if (draw.below(2) == 0)
    draw.program.edges.emplace_back(op, copy);
  return draw.named("repeat", op);
}

/// Program order is what channels and resources go by.
std::string swap_ops(Draw& draw) {
  const auto a = draw.any_op(), b = draw.any_op();
  std::swap(draw.program.ops[a], draw.program.ops[b]);
  const auto other = [&](std::uint32_t op) { return op == a ? b : op == b ? a : op; };
  for (auto& [from, to] : draw.program.edges)
    std::tie(from, to) = std::pair{other(from), other(to)};
  return fmt::format("swap operations {} and {} in program order", a, b);
}

std::string exchange_effects(Draw& draw) {
  const auto a = draw.op_where(writes), b = draw.op_where(writes);
  if (a == draw.program.ops.size())
    return {};
  std::swap(draw.program.ops[a].effect, draw.program.ops[b].effect);
  return draw.named("exchange effects with", a) + draw.named(":", b);
}

std::string hold_slot(Draw& draw) {
  if (draw.schedule.resources.empty())
    return {};
  const auto resource = static_cast<std::int16_t>(draw.below(draw.schedule.resources.size()));
  auto text = "slots of " + draw.schedule.resources[resource].name;
  for (auto holds = 1 + draw.below(4); holds > 0; --holds) {
    const auto from = draw.any_op(), to = draw.any_op();
    draw.program.ops[from].acquires = resource;
    draw.program.ops[to].releases = resource;
    text += fmt::format(" {} to {}", from, to);
  }
  return text;
}

} // namespace

std::string mutate(Schedule& schedule, std::mt19937_64& random) {
  static const std::vector<std::string (*)(Draw&)> mutations{
      drop_dependency, add_dependency,        move_dependency, change_span, change_peer, change_channel,
      change_target,   swap_update_and_store, change_sources,  drop_op,     idle_op,     repeat_op,
      swap_ops,        exchange_effects,      hold_slot,       move_place,
  };
  auto& program = schedule.programs[random() % schedule.programs.size()];
  LooseProgram loose(program);
  Draw draw{schedule, loose, random};
  auto text = mutations[random() % mutations.size()](draw);
  program = loose.tight();
  return text;
}

} // namespace tandem::collective
