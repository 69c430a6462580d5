// Longest path through the operations of one rank.
#include "study/planning/schedule_bound.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tandem::study {

namespace {

using model::Op;
using model::OpKind;

/// What a message to or from a peer costs at least.
struct Way {
  double per_byte_s = 0.0; ///< of data, before Op::wire_factor
  double latency_s = 0.0;  ///< of the route
  double hop_latency_s = 0.0;
};

class RankBound {
public:
  RankBound(const model::Schedule& schedule, const model::Cluster& cluster, const std::vector<std::uint32_t>& members,
            std::size_t position)
      : schedule_(schedule), cluster_(cluster), members_(members), position_(static_cast<int>(position)),
        device_(*cluster.gpus[members[position]].device), bytes_(schedule),
        hbm_rate_(device_.hbm_bandwidth.value() * device_.memory_efficiency) {
    for (const auto& program : schedule.programs)
      for (const auto& op : program.ops)
        if (op.kind == OpKind::TRANSFER) // the bytes of a half way go beside the message, not in it
          least_factor_ = std::min(least_factor_, op.leg == model::Leg::WHOLE ? op.wire_factor : 0.0);
  }

  PartBound bound() {
    const auto& program = schedule_.program(position_);
    std::vector<double> start(program.ops.size(), 0.0);
    for (const auto index : program.dag.topological_order()) {
      const double end = end_of(index, program.ops[index], start[index]);
      made_.seconds = std::max(made_.seconds, end);
      for (const auto next : program.dag.successors(index))
        start[next] = std::max(start[next], end);
    }
    made_.sm /= device_.sms;
    made_.memory /= hbm_rate_;
    made_.first_send = std::max(0.0, made_.first_send);
    return made_;
  }

private:
  /// Transfers of a channel, or what is received on it: in the program's order, one at a time.
  struct Channel {
    std::uint32_t last = 0;
    double free_s = 0.0, sum_s = 0.0;
  };

  double end_of(std::uint32_t index, const Op& op, double start) {
    const double bytes = bytes_(position_, op.effect.span) * op.repeats;
    double begin = start + std::max(0.0, op.delay.value());
    const double sm = op.sms == 0 ? 0.0 : sm_seconds(op, bytes);
    const double traffic = memory_amount(op, bytes);
    made_.sm += sm;
    made_.memory += traffic;
    double lasts = std::max(traffic / hbm_rate_, op.sms == 0 ? 0.0 : sm / std::min<double>(op.sms, device_.sms));
    switch (op.kind) {
    case OpKind::WORK:
      if (sm > 0.0 || traffic > 0.0)
        lasts = std::max(lasts, op.pace.value());
      return begin + lasts;
    case OpKind::TRIGGER:
      return begin;
    case OpKind::TRANSFER: {
      const bool whole = op.leg == model::Leg::WHOLE;
      const double wire = whole ? wire_bytes(bytes * op.wire_factor) * way(op.peer, true).per_byte_s : 0.0;
      auto& channel = channels_[{true, op.peer, op.channel}];
      begin = after(channel, index, begin);
      lasts = std::max(lasts, wire);
      made_.first_send = made_.first_send < 0.0 ? begin : std::min(made_.first_send, begin);
      channel.free_s = begin + lasts;
      channel.last = index;
      return begin + lasts;
    }
    case OpKind::RECV: {
      const auto& from = way(op.peer, false);
      const double wire = wire_bytes(bytes * least_factor_) * from.per_byte_s;
      const double each = op.latency ? op.latency->value() + from.hop_latency_s : from.latency_s + from.hop_latency_s;
      auto& channel = channels_[{false, op.peer, op.channel}];
      begin = after(channel, index, begin);
      channel.free_s = begin + wire; // the next one is asked for before the latency is paid
      channel.last = index;
      channel.sum_s += wire;
      const double latency = std::max(0.0, each) * op.repeats;
      made_.received = std::max(made_.received, channel.sum_s + latency);
      return begin + wire + latency;
    }
    }
    return begin;
  }

  [[nodiscard]] static double after(const Channel& channel, std::uint32_t index, double begin) {
    return channel.last < index ? std::max(begin, channel.free_s) : begin;
  }

  /// The engine sends whole bytes.
  [[nodiscard]] static double wire_bytes(double bytes) { return std::max(0.0, bytes - 0.5); }

  [[nodiscard]] double sm_seconds(const Op& op, double bytes) const {
    const double moved =
        op.sm_bytes_per_span > 0.0 ? op.sm_bytes_per_span * bytes / device_.sm_copy_bandwidth.value() : 0.0;
    return op.sm_seconds + moved;
  }

  [[nodiscard]] double memory_amount(const Op& op, double bytes) const {
    double amount = 0.0;
    for (const auto& part : op.traffic) {
      const double moved = part.per_span * bytes + part.fixed.value();
      amount += part.access == model::Access::UPDATE ? moved * device_.near_memory.update_cost : moved;
    }
    return amount;
  }

  const Way& way(std::int32_t offset, bool out) {
    const auto [entry, is_new] = ways_.try_emplace({offset, out});
    if (!is_new)
      return entry->second;
    const auto peer = model::Rank(members_[static_cast<std::size_t>(schedule_.peer(position_, offset))]);
    const auto own = model::Rank(members_[static_cast<std::size_t>(position_)]);
    const auto route = out ? cluster_.route(own, peer) : cluster_.route(peer, own);
    auto& made = entry->second;
    const auto hop =
        schedule_.protocol ? schedule_.protocol->over(cluster_.medium(route)) : model::Protocol::Hop{};
    made.per_byte_s = route.links.empty() ? 0.0 : hop.wire_factor / cluster_.narrowest(route.links).value();
    if (hop.rate.value() > 0.0)
      made.per_byte_s = std::max(made.per_byte_s, 1.0 / hop.rate.value());
    made.latency_s = route.latency.value();
    made.hop_latency_s = hop.latency.value();
    return made;
  }

  const model::Schedule& schedule_;
  const model::Cluster& cluster_;
  const std::vector<std::uint32_t>& members_;
  int position_;
  const model::Device& device_;
  model::SpanBytes bytes_;
  double hbm_rate_;
  double least_factor_ = 1.0;
  PartBound made_{.first_send = -1.0};
  std::map<std::tuple<bool, std::int32_t, std::uint16_t>, Channel> channels_;
  std::map<std::pair<std::int32_t, bool>, Way> ways_;
};

} // namespace

PartBound part_bound(const model::Schedule& schedule, const model::Cluster& cluster,
                     const std::vector<std::uint32_t>& members, std::size_t position) {
  return RankBound(schedule, cluster, members, position).bound();
}

} // namespace tandem::study
