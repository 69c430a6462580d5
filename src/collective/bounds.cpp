// Lower bounds by work and by bytes; docs/models.md, "Bounds".
#include "collective/bounds.h"

#include "collective/ring_place.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

namespace tandem::collective {

using model::CollectiveKind;

namespace {

/// First (or last) link of the route from (or to) `rank`; none where they share a host.
std::optional<model::LinkId> link_at(const model::Cluster& cluster, int rank, int other, bool outgoing) {
  const model::Rank here(static_cast<std::uint32_t>(rank)), there(static_cast<std::uint32_t>(other));
  const auto route = outgoing ? cluster.route(here, there) : cluster.route(there, here);
  if (route.links.empty())
    return std::nullopt;
  return outgoing ? route.links.front() : route.links.back();
}

/// Ranks to which routes from (or from which to) `rank` begin (or end) with all the links that there are. The way from
/// a GPU to its card is one: if a route to another node begins with a link of the node's, so do all. Not `apart`: what
/// counts as a node here may share one of the machine's with others.
std::vector<int> telling_ranks(const model::Cluster& cluster, int ranks, bool apart, int rank, bool outgoing) {
  int first = 0, last = ranks;
  std::vector<int> list;
  const int in_node = cluster.gpus_per_node;
  if (cluster.fabric && in_node > 0 && apart) {
    const int begin = rank / in_node * in_node, end = begin + in_node;
    const int outside = begin > 0 ? 0 : end;
    if (outside < ranks) {
      const auto link = link_at(cluster, rank, outside, outgoing);
      if (link && link->index < cluster.fabric->first_link) {
        list.push_back(outside);
        first = begin;
        last = std::min(end, ranks);
      }
    }
  }
  for (int other = first; other < last; ++other)
    if (other != rank)
      list.push_back(other);
  return list;
}

class Connections {
public:
  Connections(const model::Cluster& cluster, int ranks)
      : cluster_(cluster), ranks_(ranks), apart_(nodes_are_apart(cluster, ranks)) {}

  /// Sum of the bandwidths of the distinct links that are first (or last) on a route of `rank`. A FATPIPE link has no
  /// limit for many flows.
  [[nodiscard]] double width(int rank, bool outgoing) const {
    std::map<model::LinkId, double> links;
    for (const int other : telling_ranks(cluster_, ranks_, apart_, rank, outgoing)) {
      const auto end = link_at(cluster_, rank, other, outgoing);
      if (!end)
        return INFINITY;
      const auto& link = cluster_.links[end->index];
      if (link.sharing == model::Sharing::FATPIPE)
        return INFINITY;
      links[*end] = link.bandwidth.value();
    }
    double sum = 0.0;
    for (const auto& [link, bandwidth] : links)
      sum += bandwidth;
    return sum;
  }

private:
  const model::Cluster& cluster_;
  int ranks_;
  bool apart_;
};

/// The whole vector leaves (or reaches) the root at least once, all but its own chunk where each rank has another; and
/// each other rank's part reaches (or leaves) that rank.
base::Seconds rooted_bound(const model::CollectiveOp& op, const model::Cluster& cluster) {
  const Connections connections(cluster, op.ranks);
  const bool from_root = op.kind == CollectiveKind::BROADCAST || op.kind == CollectiveKind::SCATTER;
  const bool in_parts = op.kind == CollectiveKind::SCATTER || op.kind == CollectiveKind::GATHER;
  const double part = in_parts ? std::floor(op.bytes.value() / op.ranks) : op.bytes.value();
  const double at_root = in_parts ? part * (op.ranks - 1) : op.bytes.value();
  double slowest = at_root / connections.width(op.root, from_root);
  for (int rank = 0; rank < op.ranks; ++rank)
    if (rank != op.root)
      slowest = std::max(slowest, part / connections.width(rank, !from_root));
  return base::Seconds(slowest);
}

/// What each rank has for others leaves it, what others have for it reaches it.
base::Seconds pairs_bound(const model::CollectiveOp& op, const model::Cluster& cluster) {
  const Connections connections(cluster, op.ranks);
  double slowest = 0.0;
  for (int rank = 0; rank < op.ranks; ++rank) {
    double out = 0.0, in = 0.0;
    for (int other = 0; other < op.ranks; ++other)
      if (other != rank) {
        out += (*op.pairs)[static_cast<std::size_t>(rank) * static_cast<std::size_t>(op.ranks) +
                           static_cast<std::size_t>(other)];
        in += (*op.pairs)[static_cast<std::size_t>(other) * static_cast<std::size_t>(op.ranks) +
                          static_cast<std::size_t>(rank)];
      }
    slowest = std::max({slowest, out / connections.width(rank, true), in / connections.width(rank, false)});
  }
  return base::Seconds(slowest);
}

/// Each vector passes the narrowest link on its way to the next rank.
base::Seconds send_receive_bound(const model::CollectiveOp& op, const model::Cluster& cluster) {
  double narrowest = INFINITY;
  for (int rank = 0; rank < op.ranks; ++rank) {
    const model::Rank here(static_cast<std::uint32_t>(rank)), next(static_cast<std::uint32_t>((rank + 1) % op.ranks));
    for (const auto link : cluster.route(here, next).links)
      narrowest = std::min(narrowest, cluster.links[link.index].bandwidth.value());
  }
  return op.bytes / base::BytesPerSecond(narrowest);
}

} // namespace

base::Seconds communication_bound(const model::CollectiveOp& op, const model::Cluster& cluster) {
  if (op.ranks < 2)
    return base::Seconds(0.0);
  if (model::has_root(op.kind))
    return rooted_bound(op, cluster);
  if (op.kind == CollectiveKind::BARRIER)
    return base::Seconds(0.0);
  if (op.kind == CollectiveKind::SEND_RECV)
    return send_receive_bound(op, cluster);
  if (op.kind == CollectiveKind::ALL_TO_ALL_V)
    return pairs_bound(op, cluster);
  const Connections connections(cluster, op.ranks);
  const bool outgoing = op.kind != model::CollectiveKind::ALL_GATHER;
  double narrowest = INFINITY, all = 0.0;
  for (int rank = 0; rank < op.ranks; ++rank) {
    const double width = connections.width(rank, outgoing);
    narrowest = std::min(narrowest, width);
    all += width;
  }
  const double bytes = op.bytes.value();
  const double others = bytes * (op.ranks - 1) / op.ranks;
  if (op.kind != model::CollectiveKind::ALL_REDUCE)
    return base::Seconds(others / narrowest);
  // A switch that adds and copies takes each contribution once; no rank needs to send what it sums up itself.
  if (cluster.node_reduces_in_switch || cluster.fabric_reduces_in_switch)
    return base::Seconds(others / narrowest);
  return base::Seconds(std::max(bytes / narrowest, 2.0 * (op.ranks - 1) * bytes / all));
}

base::Seconds compute_bound(const model::Gemm& gemm, const model::Device& device) {
  return gemm.flops() / model::gemm_rate(gemm, device);
}

base::Seconds lower_bound(const Request& request, const model::Cluster& cluster, double wire_factor) {
  const auto communication = communication_bound(request.op, cluster) * wire_factor;
  const auto& gemm = request.producer ? request.producer : request.consumer;
  if (!gemm)
    return communication;
  return std::max(communication, compute_bound(*gemm, *cluster.gpus.front().device));
}

} // namespace tandem::collective
