// The graph that the routes span, what flows through it at most, and shortest ways by Floyd.
#include "collective/cuts.h"

#include "collective/link_graph.h"
#include "collective/ring_place.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace tandem::collective {

namespace {

constexpr double UNLIMITED = LinkGraph::UNLIMITED;

/// Bounds of the work: routes are computed one by one.
constexpr int MOST_PAIRED = 64, MOST_SEEN = 1024, PROBES = 16;

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
      : cluster_(cluster), ranks_(ranks), out_(static_cast<std::size_t>(known)), in_(static_cast<std::size_t>(known)),
        near_(cluster, std::min(ranks, MOST_PAIRED)) {
    const int near = std::min(ranks, MOST_PAIRED);
    look(known, 0, near, [&](int from, int to, const model::Route& route) { near_.add(from, to, route); });
    if (near == ranks)
      return;
    for (int rank = 0; rank < known; ++rank)
      for (const bool outwards : {true, false})
        waists_.push_back(near_.waist(rank, outwards));
    look(known, near, ranks,
         [&](int from, int to, const model::Route& route) { widened_ |= near_.widened_by(from, to, route); });
  }
  [[nodiscard]] const std::vector<Cuts::Way>& ways() const { return ways_; }

  /// By the first and the last links of its routes.
  [[nodiscard]] Cut at_ports(int rank) const {
    Cut cut{rank, rank + 1, out_[static_cast<std::size_t>(rank)].width(), in_[static_cast<std::size_t>(rank)].width()};
    set_latencies(cut);
    return cut;
  }
  /// By the ports and the whole way.
  [[nodiscard]] Cut of_rank(int rank) {
    auto cut = at_ports(rank);
    cut.out = std::min(cut.out, flow(rank, true));
    cut.in = std::min(cut.in, flow(rank, false));
    return cut;
  }
  /// By the whole way. Precondition: all routes across are seen.
  [[nodiscard]] Cut across(int first, int last) {
    Cut cut{first, last, whole().flow(first, last, true), whole().flow(first, last, false)};
    set_latencies(cut);
    return cut;
  }

private:
  /// `use`: called with the ends of each route between the first `known` ranks and those from `first` to before `last`.
  template <class Use> void look(int known, int first, int last, const Use& use) {
    const auto one = [&](int from, int to) {
      const auto route = cluster_.route(rank_at(from), rank_at(to));
      ways_.push_back({from, to, route.latency.value()});
      if (static_cast<std::size_t>(from) < out_.size())
        out_[static_cast<std::size_t>(from)].add(cluster_, route.links, true);
      if (static_cast<std::size_t>(to) < in_.size())
        in_[static_cast<std::size_t>(to)].add(cluster_, route.links, false);
      use(from, to, route);
    };
    for (int rank = 0; rank < known; ++rank)
      for (int other = first; other < last; ++other)
        if (other != rank) {
          one(rank, other);
          if (other >= known)
            one(other, rank);
        }
  }
  /// Bytes/s of one rank with all others. Near ranks have most ways, and in most clusters the others add nothing.
  [[nodiscard]] double flow(int rank, bool outwards) {
    const auto waist = 2 * static_cast<std::size_t>(rank) + (outwards ? 0 : 1);
    if (waist < waists_.size() && (widened_ >> waist & 1) == 0)
      return waists_[waist];
    return whole().flow(rank, rank + 1, outwards);
  }
  /// Made when asked for.
  LinkGraph& whole() {
    if (ranks_ <= MOST_PAIRED)
      return near_;
    if (!whole_) {
      whole_.emplace(cluster_, ranks_);
      for (const auto& way : ways_)
        whole_->add(way.from, way.to, cluster_.route(rank_at(way.from), rank_at(way.to)));
    }
    return *whole_;
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

  const model::Cluster& cluster_;
  int ranks_;
  std::vector<Port> out_, in_;
  std::vector<Cuts::Way> ways_;
  LinkGraph near_; ///< of the first ranks
  std::optional<LinkGraph> whole_;
  std::vector<double> waists_; ///< in near_: of each known rank outwards and inwards
  std::uint64_t widened_ = 0;  ///< of them, as bits, those that a further route may widen
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
  for (int rank = 0; rank < known; ++rank) // behind the first node a rank is as the same GPU of that
    cuts_.push_back(rank < node ? survey.of_rank(rank) : survey.at_ports(rank));
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
