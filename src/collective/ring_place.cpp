// Rings along the links: a search for edge-disjoint ones in a node, and their way through the nodes.
#include "collective/ring_place.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace tandem::collective {

namespace {

/// Edges of a node tried in the search: enough for eight GPUs, and milliseconds.
constexpr int MOST_TRIES = 2'000'000;

/// How many rings each pair of GPUs can serve: the links that belong to no other pair, by the narrowest's bandwidth.
class NodeEdges {
public:
  NodeEdges(const model::Cluster& cluster, int gpus) : gpus_(gpus), room_(static_cast<std::size_t>(gpus * gpus), 0) {
    std::map<model::LinkId, int> users;
    std::map<std::pair<int, int>, model::LinkId> direct;
    for (int from = 0; from < gpus; ++from)
      for (int to = 0; to < gpus; ++to) {
        if (from == to)
          continue;
        const auto links = cluster.route(rank_at(from), rank_at(to)).links;
        if (links.size() == 1) {
          direct[{from, to}] = links.front();
          ++users[links.front()];
        }
      }
    double narrowest = 0.0;
    for (const auto& [pair, link] : direct)
      if (users[link] == 1) {
        const double width = cluster.links[link.index].bandwidth.value();
        narrowest = narrowest == 0.0 ? width : std::min(narrowest, width);
      }
    for (const auto& [pair, link] : direct)
      if (users[link] == 1)
        room(pair.first, pair.second) =
            static_cast<int>(cluster.links[link.index].bandwidth.value() / narrowest + 1e-9);
  }
  [[nodiscard]] int& room(int from, int to) {
    return room_[static_cast<std::size_t>(from) * static_cast<std::size_t>(gpus_) + static_cast<std::size_t>(to)];
  }
  /// No more rings than this: what the GPU with the fewest links has.
  [[nodiscard]] int most_rings() {
    int most = -1;
    for (int gpu = 0; gpu < gpus_; ++gpu) {
      int out = 0, in = 0;
      for (int other = 0; other < gpus_; ++other) {
        out += room(gpu, other);
        in += room(other, gpu);
      }
      most = most < 0 ? std::min(out, in) : std::min({most, out, in});
    }
    return most;
  }

private:
  int gpus_;
  std::vector<int> room_;
};

/// Depth first, all rings at once, the best set found so far kept.
class RingSearch {
public:
  RingSearch(const model::Cluster& cluster, int gpus)
      : gpus_(gpus), edges_(cluster, gpus), most_(static_cast<std::size_t>(std::max(0, edges_.most_rings()))) {}
  std::vector<RingOrder> run() {
    if (most_ > 0 && gpus_ > 1)
      begin_ring();
    return best_;
  }

private:
  /// True: no better set is to be found, or no time is left.
  bool begin_ring() {
    if (rings_.size() > best_.size())
      best_ = rings_;
    if (best_.size() == most_)
      return true;
    ring_ = {0};
    used_.assign(static_cast<std::size_t>(gpus_), false);
    used_[0] = true;
    return extend();
  }

  bool extend() {
    if (--tries_ < 0)
      return true;
    const int here = ring_.back();
    if (ring_.size() == static_cast<std::size_t>(gpus_)) {
      if (edges_.room(here, 0) == 0)
        return false;
      --edges_.room(here, 0);
      rings_.push_back(ring_);
      const auto ring = ring_;
      const auto used = used_;
      if (begin_ring())
        return true;
      ring_ = ring;
      used_ = used;
      rings_.pop_back();
      ++edges_.room(here, 0);
      return false;
    }
    for (int step = 1; step < gpus_; ++step) {
      const int next = (here + step) % gpus_;
      if (used_[static_cast<std::size_t>(next)] || edges_.room(here, next) == 0)
        continue;
      --edges_.room(here, next);
      used_[static_cast<std::size_t>(next)] = true;
      ring_.push_back(next);
      if (extend())
        return true;
      ring_.pop_back();
      used_[static_cast<std::size_t>(next)] = false;
      ++edges_.room(here, next);
    }
    return false;
  }

  int gpus_;
  NodeEdges edges_;
  std::size_t most_;
  int tries_ = MOST_TRIES;
  std::vector<RingOrder> rings_, best_;
  RingOrder ring_;
  std::vector<bool> used_;
};

bool crosses_network(const model::Cluster& cluster, int from, int to) {
  const auto links = cluster.route(rank_at(from), rank_at(to)).links;
  return std::any_of(links.begin(), links.end(),
                     [&](model::LinkId link) { return cluster.links[link.index].medium == model::Medium::NETWORK; });
}

std::vector<RingOrder> node_rings(const model::Cluster& cluster, int gpus) {
  auto rings = RingSearch(cluster, gpus).run();
  if (rings.empty())
    rings.push_back(rank_order(gpus));
  return rings;
}

} // namespace

RingPlace::RingPlace(const RingOrder& order, int rank) {
  const auto ranks = order.size();
  const auto place = static_cast<std::size_t>(std::find(order.begin(), order.end(), rank) - order.begin());
  for (std::size_t steps = 1; steps < ranks; ++steps) {
    const int offset = order[(place + ranks - steps) % ranks] - rank;
    behind_.push_back(offset > 0 ? offset - static_cast<int>(ranks) : offset);
  }
  ahead_ = ranks > 1 ? behind_.back() + static_cast<int>(ranks) : 0;
}

int RingPlace::behind(int steps) const {
  if (behind_.empty() || steps == 0)
    return -steps;
  const auto ranks = behind_.size() + 1;
  const auto around = static_cast<std::size_t>(steps) % ranks;
  return around == 0 ? 0 : behind_[around - 1];
}

RingOrder rank_order(int ranks) {
  RingOrder order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

bool spans_nodes(const model::Cluster& cluster, int ranks) {
  return cluster.gpus_per_node > 0 && ranks > cluster.gpus_per_node && ranks % cluster.gpus_per_node == 0;
}

bool nodes_are_apart(const model::Cluster& cluster, int ranks) {
  const int gpus = cluster.gpus_per_node;
  if (!cluster.fabric || gpus == 0)
    return true;
  // Nodes that follow each other share one of the machine's only as neighbours where ranks are in the machine's order.
  const auto in_order = std::is_sorted(cluster.gpus.begin(), cluster.gpus.begin() + ranks,
                                       [](const auto& a, const auto& b) { return a.host.index < b.host.index; });
  for (int rank = gpus; rank < ranks; rank += gpus)
    for (int other = in_order ? rank - gpus : 0; other < rank; other += gpus)
      if (!crosses_network(cluster, other, rank))
        return false;
  return true;
}

int first_across_network(const model::Cluster& cluster) {
  const int gpus = cluster.gpus_per_node, ranks = static_cast<int>(cluster.gpus.size());
  for (int rank = gpus; gpus > 0 && rank + gpus <= ranks; rank += gpus)
    if (crosses_network(cluster, 0, rank))
      return rank;
  return gpus;
}

std::vector<int> nic_gpus(const model::Cluster& cluster) {
  std::set<model::LinkId> seen;
  std::vector<int> gpus;
  const int across = first_across_network(cluster);
  for (int gpu = 0; gpu < cluster.gpus_per_node; ++gpu)
    for (const auto link : cluster.route(rank_at(gpu), rank_at(across + gpu)).links)
      if (cluster.links[link.index].medium == model::Medium::NETWORK) {
        if (seen.insert(link).second)
          gpus.push_back(gpu);
        break;
      }
  return gpus;
}

int gpus_of_nic(const model::Cluster& cluster, int ranks) {
  if (!spans_nodes(cluster, ranks))
    return 1;
  const int nics = std::max(1, static_cast<int>(nic_gpus(cluster).size()));
  return (cluster.gpus_per_node + nics - 1) / nics;
}

std::vector<RingOrder> link_rings(const model::Cluster& cluster, int ranks) {
  if (ranks == cluster.gpus_per_node || cluster.gpus_per_node == 0)
    return node_rings(cluster, ranks);
  if (!spans_nodes(cluster, ranks))
    return {rank_order(ranks)};
  const int gpus = cluster.gpus_per_node;
  const auto in_node = node_rings(cluster, gpus);
  std::vector<RingOrder> rings;
  for (const int entry : nic_gpus(cluster)) {
    auto way = in_node[rings.size() % in_node.size()];
    std::rotate(way.begin(), std::find(way.begin(), way.end(), entry), way.end());
    RingOrder ring;
    for (int node = 0; node < ranks / gpus; ++node) {
      for (const int gpu : way)
        ring.push_back(node * gpus + gpu);
      std::reverse(way.begin(), way.end());
    }
    rings.push_back(std::move(ring));
  }
  if (rings.empty())
    rings.push_back(rank_order(ranks));
  return rings;
}

} // namespace tandem::collective
