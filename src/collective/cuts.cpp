// The graph that the routes span, what flows through it at most, and shortest ways by Floyd.
#include "collective/cuts.h"

#include "collective/flow_network.h"
#include "collective/ring_place.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace tandem::collective {

namespace {

constexpr double UNLIMITED = std::numeric_limits<double>::infinity();
constexpr double WIDE = 1e30; ///< bytes/s, for infinite in a flow

/// Bounds of the work: routes are computed one by one.
constexpr int MOST_PAIRED = 64, MOST_SEEN = 1024, PROBES = 16;

/// Sets that grow together.
class Joined {
public:
  int add() {
    parents_.push_back(static_cast<int>(parents_.size()));
    return parents_.back();
  }
  int root(int point) {
    while (at(point) != point)
      point = at(point) = at(at(point));
    return point;
  }
  void join(int a, int b) { at(root(a)) = root(b); }
  [[nodiscard]] std::size_t size() const { return parents_.size(); }

private:
  int& at(int point) { return parents_[static_cast<std::size_t>(point)]; }
  std::vector<int> parents_;
};

/// Where a link ends and the next one of a route begins is one point, and so is a GPU with the ends of its routes. What
/// routes can carry together this graph can carry as well, and more: it mixes them.
class LinkGraph {
public:
  LinkGraph(const model::Cluster& cluster, int ranks) : cluster_(cluster), ranks_(ranks) {
    for (int rank = 0; rank < ranks; ++rank)
      points_.add();
  }

  void add(int from, int to, const model::Route& route) {
    int here = from;
    for (const auto link : route.links) {
      const auto [found, is_new] = numbers_.try_emplace(link.index, links_.size());
      if (is_new) {
        const auto described = cluster_.links[link.index]; // made when asked for
        const bool limits = described.sharing != model::Sharing::FATPIPE;
        const int begin = points_.add();
        links_.push_back({begin, points_.add(), limits ? std::min(WIDE, described.bandwidth.value()) : WIDE});
      }
      points_.join(here, links_[found->second].begin);
      here = links_[found->second].end;
    }
    points_.join(here, to);
  }

  /// Bytes/s from the ranks [first, last) to all others, or back.
  double flow(int first, int last, bool outwards) {
    FlowNetwork network;
    std::vector<std::uint32_t> places(points_.size(), FlowNetwork::NONE);
    for (int rank = 0; rank < ranks_; ++rank) { // ranks of one side are one place: nothing limits them among themselves
      const auto side = (rank >= first && rank < last) == outwards ? FlowNetwork::SOURCE : FlowNetwork::SINK;
      auto& place = places[static_cast<std::size_t>(points_.root(rank))];
      if (place != FlowNetwork::NONE && place != side) // no link is between the two
        return UNLIMITED;
      place = side;
    }
    const auto place_of = [&](int point) {
      auto& place = places[static_cast<std::size_t>(points_.root(point))];
      if (place == FlowNetwork::NONE)
        place = network.add_place();
      return place;
    };
    for (const auto& [begin, end, capacity] : links_) {
      const auto from = place_of(begin);
      network.add_pipe({from, place_of(end), capacity});
    }
    const double flow = network.most();
    return flow < 0.5 * WIDE ? flow : UNLIMITED;
  }

private:
  const model::Cluster& cluster_;
  int ranks_;
  struct Wire {
    int begin, end; ///< points
    double capacity;
  };
  Joined points_;
  std::vector<Wire> links_;
  std::unordered_map<std::size_t, std::size_t> numbers_; ///< in links_, by the link's index
};

/// Sum of the bandwidths of distinct links. One that has no limit for many flows makes it infinite, and so does none.
class Port {
public:
  void add(const model::Cluster& cluster, const std::vector<model::LinkId>& route, bool first) {
    if (route.empty()) {
      unlimited_ = true;
      return;
    }
    const auto end = first ? route.front() : route.back();
    const auto [found, isnew] = links_.try_emplace(end, 0.0);
    if (!isnew)
      return;
    const auto link = cluster.links[end.index];
    unlimited_ = unlimited_ || link.sharing == model::Sharing::FATPIPE;
    found->second = link.bandwidth.value();
  }
  [[nodiscard]] double width() const {
    double sum = 0.0;
    for (const auto& [link, width] : links_)
      sum += width;
    return unlimited_ ? UNLIMITED : sum;
  }

private:
  std::map<model::LinkId, double> links_;
  bool unlimited_ = false;
};

/// Node k's GPUs are those of node 0, so many hosts further: nodes made by a fabric, which are all alike.
bool nodes_are_alike(const model::Cluster& cluster, int ranks) {
  const int gpus = cluster.gpus_per_node;
  if (!cluster.fabric || gpus == 0 || ranks % gpus != 0 || ranks <= gpus ||
      cluster.gpus.size() % static_cast<std::size_t>(gpus) != 0)
    return false;
  const auto hosts = cluster.hosts.size() / (cluster.gpus.size() / static_cast<std::size_t>(gpus));
  for (int rank = 0; rank < ranks; ++rank)
    if (cluster.gpus[static_cast<std::size_t>(rank)].host.index !=
        cluster.gpus[static_cast<std::size_t>(rank % gpus)].host.index + static_cast<std::size_t>(rank / gpus) * hosts)
      return false;
  return true;
}

/// The routes that are looked at, and what they say of a set of ranks.
class Survey {
public:
  /// All routes from and to the first `known` ranks.
  Survey(const model::Cluster& cluster, int ranks, int known)
      : graph_(cluster, ranks), out_(static_cast<std::size_t>(known)), in_(static_cast<std::size_t>(known)) {
    for (int rank = 0; rank < known; ++rank)
      for (int other = 0; other < ranks; ++other)
        if (other != rank) {
          look(cluster, rank, other);
          if (other >= known)
            look(cluster, other, rank);
        }
  }
  [[nodiscard]] const std::vector<Cuts::Way>& ways() const { return ways_; }

  /// By the first and the last links of its routes.
  [[nodiscard]] Cut at_ports(int rank) const {
    Cut cut{rank, rank + 1, out_[static_cast<std::size_t>(rank)].width(), in_[static_cast<std::size_t>(rank)].width()};
    set_latencies(cut);
    return cut;
  }
  /// By the whole way. Precondition: all routes across are seen.
  [[nodiscard]] Cut across(int first, int last) {
    Cut cut{first, last, graph_.flow(first, last, true), graph_.flow(first, last, false)};
    set_latencies(cut);
    return cut;
  }

private:
  void look(const model::Cluster& cluster, int from, int to) {
    const auto route = cluster.route(rank_at(from), rank_at(to));
    graph_.add(from, to, route);
    ways_.push_back({from, to, route.latency.value()});
    if (static_cast<std::size_t>(from) < out_.size())
      out_[static_cast<std::size_t>(from)].add(cluster, route.links, true);
    if (static_cast<std::size_t>(to) < in_.size())
      in_[static_cast<std::size_t>(to)].add(cluster, route.links, false);
  }
  void set_latencies(Cut& cut) const {
    cut.out_latency = cut.in_latency = UNLIMITED;
    for (const auto& way : ways_) {
      if (cut.has(way.from) == cut.has(way.to))
        continue;
      auto& least = cut.has(way.from) ? cut.out_latency : cut.in_latency;
      least = std::min(least, way.latency);
    }
  }

  LinkGraph graph_;
  std::vector<Port> out_, in_;
  std::vector<Cuts::Way> ways_;
};

double sum_out(const std::vector<Cut>& cuts, int count) {
  return std::accumulate(cuts.begin(), cuts.begin() + count, 0.0,
                         [](double sum, const Cut& cut) { return sum + cut.out; });
}

} // namespace

Cuts::Cuts(const model::Cluster& cluster, int ranks)
    : ranks_(ranks), out_of_ranks_(UNLIMITED), out_of_nodes_(UNLIMITED) {
  if (ranks < 2)
    return;
  const bool alike = nodes_are_alike(cluster, ranks), paired = ranks <= MOST_PAIRED;
  const int node = alike ? cluster.gpus_per_node : ranks;
  const int known = paired ? ranks : std::min(node, ranks <= MOST_SEEN ? PROBES : 2);
  Survey survey(cluster, ranks, known);
  for (int rank = 0; rank < known; ++rank) {
    cuts_.push_back(survey.at_ports(rank));
    if (rank >= node) // as the same GPU of the first node
      continue;
    const auto whole = survey.across(rank, rank + 1);
    cuts_.back().out = std::min(cuts_.back().out, whole.out);
    cuts_.back().in = std::min(cuts_.back().in, whole.in);
  }
  const bool sees_node = alike && known >= node;
  if (sees_node || known == ranks)
    out_of_ranks_ = known == ranks ? sum_out(cuts_, ranks) : static_cast<double>(ranks) / node * sum_out(cuts_, node);
  if (sees_node) {
    cuts_.push_back(survey.across(0, node));
    nodes_ = ranks / node;
    out_of_nodes_ = nodes_ * cuts_.back().out;
  }
  if (!paired) {
    for (const auto& cut : cuts_)
      farthest_ = std::max(farthest_, cut.in_latency);
    return;
  }
  if (ranks > 2)
    cuts_.push_back(survey.across(0, ranks / 2));
  find_latencies(survey.ways());
}

void Cuts::find_latencies(const std::vector<Way>& ways) {
  const auto n = static_cast<std::size_t>(ranks_);
  latencies_.assign(n * n, 0.0);
  const auto between = [&](std::size_t from, std::size_t to) -> double& { return latencies_[from * n + to]; };
  for (const auto& way : ways)
    between(static_cast<std::size_t>(way.from), static_cast<std::size_t>(way.to)) = way.latency;
  for (std::size_t over = 0; over < n; ++over)
    for (std::size_t from = 0; from < n; ++from)
      for (std::size_t to = 0; to < n; ++to)
        between(from, to) = std::min(between(from, to), between(from, over) + between(over, to));
  farthest_ = *std::max_element(latencies_.begin(), latencies_.end());
}

double Cuts::latency(int from, int to) const {
  if (from == to || latencies_.empty())
    return 0.0;
  return latencies_[static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(to)];
}

} // namespace tandem::collective
