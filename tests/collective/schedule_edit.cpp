// Programs as lists, and equality of schedules.
#include "schedule_edit.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tuple>

namespace tandem::collective {

using model::Op;
using model::Schedule;

LooseProgram::LooseProgram(const model::Program& program) : ops(program.ops) {
  for (std::uint32_t op = 0; op < program.dag.size(); ++op)
    for (const auto successor : program.dag.successors(op))
      edges.emplace_back(op, successor);
}

model::Program LooseProgram::tight() const {
  return {ops, model::Dag(static_cast<std::uint32_t>(ops.size()), edges)};
}

void LooseProgram::unlink(std::uint32_t from, std::uint32_t to) {
  const auto edge = std::find(edges.begin(), edges.end(), model::Dag::Edge{from, to});
  ASSERT_NE(edge, edges.end());
  edges.erase(edge);
}

void LooseProgram::erase(std::uint32_t op, bool bridged) {
  std::vector<std::uint32_t> before, after;
  for (const auto& [from, to] : edges) {
    if (to == op)
      before.push_back(from);
    if (from == op)
      after.push_back(to);
  }
  std::erase_if(edges, [&](const auto& edge) { return edge.first == op || edge.second == op; });
  for (const auto from : before)
    for (const auto to : after)
      if (bridged)
        edges.emplace_back(from, to);
  for (auto& [from, to] : edges) {
    from -= from > op ? 1 : 0;
    to -= to > op ? 1 : 0;
  }
  ops.erase(ops.begin() + op);
}

std::uint32_t find_op(const Schedule& schedule, const std::string& label, model::OpKind kind, int nth) {
  const auto& ops = schedule.programs.front().ops;
  std::vector<std::uint32_t> found;
  for (std::uint32_t op = 0; op < ops.size(); ++op)
    if (ops[op].kind == kind && schedule.labels.at(ops[op].label) == label)
      found.push_back(op);
  const auto which = static_cast<std::size_t>(std::max(nth, 0));
  if (which >= found.size() || (nth < 0 && found.size() > 1)) {
    ADD_FAILURE() << found.size() << " operations are called " << label;
    return 0;
  }
  return found[which];
}

void split_programs(Schedule& schedule) {
  std::vector<model::Program> programs;
  for (int rank = 0; rank < schedule.ranks; ++rank)
    programs.push_back(schedule.program(rank));
  schedule.programs = std::move(programs);
  schedule.program_of.clear();
  for (int rank = 0; rank < schedule.ranks; ++rank)
    schedule.program_of.push_back(static_cast<std::uint32_t>(rank));
}

namespace {

bool same(const std::vector<model::Traffic>& a, const std::vector<model::Traffic>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return std::tie(x.account, x.access, x.per_span, x.fixed) == std::tie(y.account, y.access, y.per_span, y.fixed);
  });
}

bool same(const Op& a, const Op& b) {
  const auto key = [](const Op& op) {
    return std::tie(op.kind, op.phase, op.stream, op.first_stage_end, op.label, op.channel, op.peer, op.sms,
                    op.acquires, op.releases, op.delay, op.sm_seconds, op.sm_bytes_per_span, op.wire_factor, op.leg,
                    op.effect.sources, op.effect.target, op.effect.update, op.effect.span.first, op.effect.span.count,
                    op.effect.from, op.effect.to);
  };
  return key(a) == key(b) && same(a.traffic, b.traffic) && same(a.peer_traffic, b.peer_traffic);
}

std::string difference(const model::Program& a, const model::Program& b) {
  if (a.ops.size() != b.ops.size() || a.dag.size() != b.dag.size())
    return "number of operations";
  for (std::uint32_t op = 0; op < a.ops.size(); ++op) {
    const auto x = a.dag.successors(op), y = b.dag.successors(op);
    if (!same(a.ops[op], b.ops[op]) || !std::equal(x.begin(), x.end(), y.begin(), y.end()))
      return fmt::format("operation {}", op);
  }
  return {};
}

} // namespace

std::string difference(const Schedule& a, const Schedule& b) {
  if (std::tie(a.strategy, a.ranks, a.pieces_per_chunk, a.piece_bytes, a.program_of, a.labels, a.tracker, a.arbitration,
               a.goal, a.produces, a.scratch,
               a.in_place) != std::tie(b.strategy, b.ranks, b.pieces_per_chunk, b.piece_bytes, b.program_of, b.labels,
                                       b.tracker, b.arbitration, b.goal, b.produces, b.scratch, b.in_place))
    return "a field of the schedule";
  if (a.adds_in_switch != b.adds_in_switch)
    return "adds_in_switch";
  if (a.ideal != b.ideal)
    return "ideal";
  const auto same_resource = [](const model::Resource& x, const model::Resource& y) {
    return std::tie(x.name, x.capacity, x.when_full, x.spill_bytes) ==
           std::tie(y.name, y.capacity, y.when_full, y.spill_bytes);
  };
  if (!std::equal(a.resources.begin(), a.resources.end(), b.resources.begin(), b.resources.end(), same_resource))
    return "resources";
  if (a.programs.size() != b.programs.size())
    return "number of programs";
  for (std::size_t program = 0; program < a.programs.size(); ++program)
    if (auto found = difference(a.programs[program], b.programs[program]); !found.empty())
      return found;
  return {};
}

} // namespace tandem::collective
