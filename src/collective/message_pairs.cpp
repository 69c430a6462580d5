// The k-th transfer of a channel meets the k-th receive.
#include "collective/message_pairs.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tandem::collective {

using model::OpKind;

MessagePairs::MessagePairs(const model::Schedule& schedule) {
  std::uint32_t nodes = 0;
  for (const auto& program : schedule.programs) {
    offsets_.push_back(nodes);
    nodes += static_cast<std::uint32_t>(program.ops.size());
    senders_.emplace_back(program.ops.size());
    paired_.emplace_back(program.ops.size());
  }
  for (std::uint32_t i = 0; i < nodes; ++i)
    parents_.push_back(i);
  largest_.resize(nodes);

  struct Sent {
    ProgramOp op;
    double bytes;
  };
  using Channel = std::tuple<int, int, std::uint16_t>; // from, to, channel
  std::map<Channel, std::vector<Sent>> sent;
  const model::SpanBytes bytes(schedule);
  const auto for_all = [&](OpKind kind, const auto& act) {
    for (int rank = 0; rank < schedule.ranks; ++rank) {
      const auto program = schedule.program_of.empty() ? 0 : schedule.program_of[static_cast<std::size_t>(rank)];
      const auto& ops = schedule.programs[program].ops;
      for (std::uint32_t op = 0; op < ops.size(); ++op)
        if (ops[op].kind == kind)
          act(rank, schedule.peer(rank, ops[op].peer), ops[op], ProgramOp{program, op});
    }
  };
  for_all(OpKind::TRANSFER, [&](int rank, int peer, const model::Op& op, ProgramOp where) {
    sent[{rank, peer, op.channel}].push_back({where, bytes(rank, op.effect.span)});
  });
  std::map<Channel, std::size_t> received;
  for_all(OpKind::RECV, [&](int rank, int peer, const model::Op& op, ProgramOp where) {
    const Channel channel{peer, rank, op.channel};
    const auto& [send, size] = sent.at(channel).at(received[channel]++);
    pair(send, where, size);
  });
}

std::uint32_t MessagePairs::root(std::uint32_t node) const {
  while (parents_[node] != node)
    node = parents_[node];
  return node;
}

void MessagePairs::pair(ProgramOp send, ProgramOp receive, double bytes) {
  const auto a = root(node(send)), b = root(node(receive));
  const double larger = std::max({largest_[a], largest_[b], bytes});
  parents_[std::max(a, b)] = std::min(a, b);
  largest_[std::min(a, b)] = larger;
  auto&& known = paired_[receive.program][receive.op];
  uniform_ = uniform_ && (!known || senders_[receive.program][receive.op] == send);
  known = true;
  senders_[receive.program][receive.op] = send;
}

double MessagePairs::largest(ProgramOp op) const {
  return largest_[root(node(op))];
}

} // namespace tandem::collective
