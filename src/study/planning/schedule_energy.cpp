// Sums what each operation books, with the least cost of the machine's devices and ways.
#include "study/planning/schedule_energy.h"

#include <algorithm>
#include <limits>

namespace tandem::study {

namespace {

using model::OpKind;

} // namespace

ScheduleEnergy::ScheduleEnergy(const model::Cluster& cluster) : cluster_(cluster) {
  const model::SharedDevice* seen = nullptr;
  for (const auto& gpu : cluster.gpus) {
    if (seen != nullptr && seen->is(gpu.device))
      continue;
    const auto costs = model::energy_costs(*gpu.device);
    const auto& device = *gpu.device;
    const auto less = [&](double& least, double value) { least = seen == nullptr ? value : std::min(least, value); };
    less(costs_.idle_w, costs.idle_w);
    less(costs_.sm_second_j, costs.sm_second_j);
    less(costs_.memory_byte_j, costs.memory_byte_j);
    less(update_cost_, device.near_memory.update_cost);
    copy_bandwidth_ = std::max(copy_bandwidth_, device.sm_copy_bandwidth.value());
    seen = &gpu.device;
  }
  const auto links = model::energy_costs(*cluster.gpus.front().device);
  costs_.link_byte_j = links.link_byte_j;
  costs_.network_byte_j = links.network_byte_j;
  // All nodes are equal, and on every fabric the first has a neighbour as near as any.
  const auto all = static_cast<std::uint32_t>(cluster.gpus.size());
  const auto first_node =
      cluster.gpus_per_node == 0 ? all : std::min(all, static_cast<std::uint32_t>(cluster.gpus_per_node));
  in_node_byte_j_ = between_nodes_byte_j_ = std::numeric_limits<double>::infinity();
  for (std::uint32_t from = 0; from < first_node; ++from)
    for (std::uint32_t to = 0; to < all; ++to) {
      if (from == to)
        continue;
      auto& least = to < first_node ? in_node_byte_j_ : between_nodes_byte_j_;
      least = std::min(least, way_cost(cluster.route(model::Rank(from), model::Rank(to))));
    }
}

double ScheduleEnergy::way_cost(const model::Route& route) const {
  double cost = 0.0;
  for (const auto link : route.links)
    cost += cluster_.links.at(link.index).medium == model::Medium::NETWORK ? costs_.network_byte_j : costs_.link_byte_j;
  return cost;
}

double ScheduleEnergy::memory_amount(const std::vector<model::Traffic>& traffic, double bytes) const {
  double amount = 0.0;
  for (const auto& part : traffic) {
    const double moved = part.per_span * bytes + part.fixed.value();
    amount += part.access == model::Access::UPDATE ? moved * update_cost_ : moved;
  }
  return amount;
}

double ScheduleEnergy::per_rank(const model::Schedule& schedule, const std::vector<std::uint32_t>& members) const {
  const model::SpanBytes bytes_of(schedule);
  double sum = 0.0;
  for (int position = 0; position < schedule.ranks; ++position)
    for (const auto& op : schedule.program(position).ops) {
      if (op.kind != OpKind::WORK && op.kind != OpKind::TRANSFER)
        continue;
      const double bytes = bytes_of(position, op.effect.span) * op.repeats;
      if (op.sms > 0)
        sum += (op.sm_seconds + op.sm_bytes_per_span * bytes / copy_bandwidth_) * costs_.sm_second_j;
      sum += memory_amount(op.traffic, bytes) * costs_.memory_byte_j;
      if (op.kind != OpKind::TRANSFER)
        continue;
      sum += memory_amount(op.peer_traffic, bytes) * costs_.memory_byte_j;
      if (op.leg != model::Leg::WHOLE) // part of the way only
        continue;
      const model::Rank from(members[static_cast<std::size_t>(position)]);
      const model::Rank to(members[static_cast<std::size_t>(schedule.peer(position, op.peer))]);
      const auto hop = schedule.protocol ? schedule.protocol->over(cluster_.medium(cluster_.route(from, to)))
                                         : model::Protocol::Hop{};
      const bool in_node = cluster_.node_of(from) == cluster_.node_of(to);
      sum += bytes * op.wire_factor * hop.wire_factor * (in_node ? in_node_byte_j_ : between_nodes_byte_j_);
    }
  return sum / schedule.ranks;
}

} // namespace tandem::study
