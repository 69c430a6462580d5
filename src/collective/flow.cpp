// Finds chains of equal steps in a program and the waits between them that a flow may leave out.
#include "collective/flow.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace tandem::collective {

using model::Op;
using model::OpKind;

namespace {

/// Operations that follow each other and cost the same on the wire.
using Chain = std::vector<std::uint32_t>;

/// Messages of one channel, phase and size are a chain; every other operation is one of its own.
std::vector<Chain> chains_of(const model::Program& program) {
  using Key = std::tuple<OpKind, std::int32_t, std::uint16_t, model::Phase, std::uint32_t, std::uint16_t, model::Leg>;
  std::vector<Chain> chains;
  std::map<Key, std::size_t> known;
  for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
    const auto& op = program.ops[i];
    const bool moves = op.kind == OpKind::TRANSFER || op.kind == OpKind::RECV;
    if (!moves || op.delay.value() > 0.0 || op.acquires >= 0 || op.releases >= 0) {
      chains.push_back({i});
      continue;
    }
    const Key key{op.kind, op.peer, op.channel, op.phase, op.effect.span.count, op.sms, op.leg};
    const auto [entry, is_new] = known.try_emplace(key, chains.size());
    if (is_new)
      chains.emplace_back();
    chains[entry->second].push_back(i);
  }
  return chains;
}

/// What one chain waits for of another.
struct Wait {
  bool for_all = false;   ///< its first operation waits for the last one
  bool too_early = false; ///< as flows it would begin before it may
};

struct Position {
  std::uint32_t chain = 0, index = 0;
};

std::map<std::pair<std::uint32_t, std::uint32_t>, Wait>
waits_between(const model::Program& program, const std::vector<Chain>& chains, const std::vector<Position>& at) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Wait> waits;
  for (std::uint32_t op = 0; op < program.ops.size(); ++op)
    for (const auto next : program.dag.successors(op)) {
      const auto from = at[op], to = at[next];
      if (from.chain == to.chain)
        continue;
      auto& wait = waits[{from.chain, to.chain}];
      const bool last = from.index + 1 == chains[from.chain].size();
      if (to.index == 0)
        (last ? wait.for_all : wait.too_early) = true;
      else if (from.index >= to.index) // else it streams: each step waits for an earlier one
        wait.too_early = true;
    }
  return waits;
}

Op joined(const model::Program& program, const Chain& chain, model::Schedule& schedule) {
  Op op = program.ops[chain.front()];
  op.effect = {.span = op.effect.span};
  if (chain.size() == 1)
    return op;
  const auto count = static_cast<double>(chain.size());
  op.repeats = static_cast<std::uint32_t>(chain.size());
  op.label = static_cast<std::uint16_t>(schedule.labels.size());
  schedule.labels.push_back(
      fmt::format("{} and {} more", schedule.labels[program.ops[chain.front()].label], chain.size() - 1));
  op.traffic.clear();
  op.peer_traffic.clear();
  op.sm_seconds = 0.0;
  op.sm_bytes_per_span = 0.0;
  const auto add = [&](std::vector<model::Traffic>& sum, const std::vector<model::Traffic>& more) {
    for (const auto& part : more) {
      const auto same = std::find_if(sum.begin(), sum.end(), [&](const model::Traffic& known) {
        return known.account == part.account && known.access == part.access;
      });
      auto& entry = same == sum.end() ? sum.emplace_back(model::Traffic{part.account, part.access}) : *same;
      entry.per_span += part.per_span / count;
      entry.fixed = entry.fixed + part.fixed;
    }
  };
  for (const auto index : chain) {
    const auto& step = program.ops[index];
    add(op.traffic, step.traffic);
    add(op.peer_traffic, step.peer_traffic);
    op.sm_seconds += step.sm_seconds;
    op.sm_bytes_per_span += step.sm_bytes_per_span / count;
  }
  return op;
}

std::optional<model::Program> as_flows(const model::Program& program, model::Schedule& schedule) {
  const auto chains = chains_of(program);
  std::vector<Position> at(program.ops.size());
  for (std::uint32_t chain = 0; chain < chains.size(); ++chain)
    for (std::uint32_t i = 0; i < chains[chain].size(); ++i)
      at[chains[chain][i]] = {chain, i};
  model::ProgramBuilder flows;
  for (const auto& chain : chains)
    flows.add(joined(program, chain, schedule));
  for (const auto& [pair, wait] : waits_between(program, chains, at)) {
    if (wait.too_early && !wait.for_all)
      return std::nullopt;
    if (wait.for_all)
      flows.depend(model::OpId(pair.second), model::OpId(pair.first));
  }
  auto made = flows.build();
  if (!made.dag.find_cycle().empty())
    return std::nullopt;
  return made;
}

/// Of a message from the ranks that are `offset` away, over the ranks that run `program`.
model::Seconds mean_latency(const model::Schedule& schedule, const model::Cluster& group, std::size_t program,
                            std::int32_t offset) {
  double sum = 0.0;
  int ranks = 0;
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    if (&schedule.program(rank) != &schedule.programs[program])
      continue;
    ++ranks;
    sum += group
               .route(model::Rank(static_cast<std::uint32_t>(schedule.peer(rank, offset))),
                      model::Rank(static_cast<std::uint32_t>(rank)))
               .latency.value();
  }
  return model::Seconds(sum / std::max(1, ranks));
}

void share_latencies(model::Schedule& flows, const model::Cluster& group) {
  for (std::size_t program = 0; program < flows.programs.size(); ++program) {
    std::map<std::int32_t, model::Seconds> known;
    for (auto& op : flows.programs[program].ops) {
      if (op.kind != OpKind::RECV)
        continue;
      const auto [entry, is_new] = known.try_emplace(op.peer);
      if (is_new)
        entry->second = mean_latency(flows, group, program, op.peer);
      op.latency = entry->second;
    }
  }
}

} // namespace

std::optional<model::Schedule> as_flows(const model::Schedule& schedule, const model::Cluster& group) {
  auto flows = schedule;
  flows.programs.clear();
  const double bytes = std::accumulate(schedule.piece_bytes.begin(), schedule.piece_bytes.end(), 0.0);
  if (!schedule.piece_bytes.empty())
    flows.piece_bytes.assign(schedule.piece_bytes.size(), bytes / static_cast<double>(schedule.piece_bytes.size()));
  for (const auto& program : schedule.programs) {
    auto made = as_flows(program, flows);
    if (!made)
      return std::nullopt;
    flows.programs.push_back(std::move(*made));
  }
  share_latencies(flows, group);
  return flows;
}

} // namespace tandem::collective
