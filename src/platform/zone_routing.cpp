// The routing kinds one by one. Ties are broken as SimGrid 3.32 breaks them (tests/platform compares all pairs of
// hosts).
#include "base/error.h"
#include "platform/routing.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <limits>
#include <queue>
#include <unordered_map>
#include <utility>

namespace tandem::platform {

namespace {

using base::UserError;

constexpr std::uint32_t UNREACHED = std::numeric_limits<std::uint32_t>::max();

/// Routes as the file states them.
class StatedRoutes {
public:
  [[nodiscard]] const ZoneRoute* find(std::uint32_t from, std::uint32_t to) const {
    const auto found = routes_.find(key(from, to));
    return found == routes_.end() ? nullptr : &found->second;
  }
  void add(std::uint32_t from, std::uint32_t to, ZoneRoute route) { routes_.emplace(key(from, to), std::move(route)); }
  /// Calls visit(from, to, route) for each.
  template <class Visitor> void for_each(Visitor visit) const {
    for (const auto& [pair, route] : routes_)
      visit(static_cast<std::uint32_t>(pair >> 32U), static_cast<std::uint32_t>(pair), route);
  }

private:
  static std::uint64_t key(std::uint32_t from, std::uint32_t to) { return (std::uint64_t{from} << 32U) | to; }
  std::unordered_map<std::uint64_t, ZoneRoute> routes_;
};

class FullRouting : public ZoneRouting {
public:
  [[nodiscard]] bool has(std::uint32_t from, std::uint32_t to) const override {
    return stated_.find(from, to) != nullptr;
  }
  void add(std::uint32_t from, std::uint32_t to, ZoneRoute route) override { stated_.add(from, to, std::move(route)); }
  void finish(std::uint32_t /*members*/) override {}
  [[nodiscard]] std::optional<Stretches> find(std::uint32_t from, std::uint32_t to) const override {
    const ZoneRoute* const route = stated_.find(from, to);
    return route == nullptr ? std::nullopt : std::optional(Stretches{*route});
  }

private:
  StatedRoutes stated_;
};

class NoRouting : public ZoneRouting {
public:
  [[nodiscard]] bool has(std::uint32_t /*from*/, std::uint32_t /*to*/) const override { return false; }
  void add(std::uint32_t /*from*/, std::uint32_t /*to*/, ZoneRoute /*route*/) override {
    throw UserError("a zone of routing None takes no routes");
  }
  void finish(std::uint32_t /*members*/) override {}
  [[nodiscard]] std::optional<Stretches> find(std::uint32_t /*from*/, std::uint32_t /*to*/) const override {
    return std::nullopt;
  }
};

/// Fewest links by Floyd and Warshall; of equal ones the one found first, intermediate members tried in their order.
class FloydRouting : public ZoneRouting {
public:
  [[nodiscard]] bool has(std::uint32_t from, std::uint32_t to) const override {
    return stated_.find(from, to) != nullptr;
  }
  void add(std::uint32_t from, std::uint32_t to, ZoneRoute route) override { stated_.add(from, to, std::move(route)); }
  void finish(std::uint32_t members) override {
    constexpr std::uint32_t MOST = 4096;
    if (members > MOST)
      throw UserError(fmt::format("a Floyd zone of {} members takes their number cubed steps; allowed: up to {}, or "
                                  "routing DijkstraCache",
                                  members, MOST));
    members_ = members;
  }
  [[nodiscard]] std::optional<Stretches> find(std::uint32_t from, std::uint32_t to) const override {
    if (before_.empty())
      compute();
    Stretches stretches;
    while (to != from) {
      const std::uint32_t before = before_[at(from, to)];
      if (before == UNREACHED)
        return std::nullopt;
      stretches.push_back(*stated_.find(before, to));
      to = before;
    }
    std::ranges::reverse(stretches);
    return stretches;
  }

private:
  [[nodiscard]] std::size_t at(std::uint32_t from, std::uint32_t to) const { return std::size_t{from} * members_ + to; }
  void compute() const {
    const std::size_t cells = std::size_t{members_} * members_;
    std::vector<std::uint32_t> cost(cells, UNREACHED);
    before_.assign(cells, UNREACHED);
    stated_.for_each([&](std::uint32_t from, std::uint32_t to, const ZoneRoute& route) {
      cost[at(from, to)] = static_cast<std::uint32_t>(route.links.size());
      before_[at(from, to)] = from;
    });
    for (std::uint32_t via = 0; via < members_; ++via) {
      for (std::uint32_t from = 0; from < members_; ++from) {
        const std::uint32_t first = cost[at(from, via)];
        if (first == UNREACHED)
          continue;
        for (std::uint32_t to = 0; to < members_; ++to) {
          const std::uint32_t second = cost[at(via, to)];
          if (second != UNREACHED && first + second < cost[at(from, to)]) {
            cost[at(from, to)] = first + second;
            before_[at(from, to)] = before_[at(via, to)];
          }
        }
      }
    }
  }

  StatedRoutes stated_;
  std::uint32_t members_ = 0;
  mutable std::vector<std::uint32_t>
      before_; ///< member before `to` on the way from `from`; computed at the first question
};

/// Fewest links by Dijkstra; members count in the order in which routes first name them, and of equally near ones the
/// smaller number is settled first. SimGrid 3.32 lists the links of each stated route backwards here, and before the
/// links already crossed; so do we.
class DijkstraRouting : public ZoneRouting {
public:
  [[nodiscard]] bool has(std::uint32_t from, std::uint32_t to) const override {
    return stated_.find(from, to) != nullptr;
  }
  void add(std::uint32_t from, std::uint32_t to, ZoneRoute route) override {
    const std::uint32_t source = node_of(from);
    const std::uint32_t target = node_of(to);
    edges_[source].push_back({target, static_cast<std::uint32_t>(route.links.size())});
    std::ranges::reverse(route.links);
    stated_.add(from, to, std::move(route));
  }
  void finish(std::uint32_t /*members*/) override {}
  [[nodiscard]] bool lists_first() const override { return true; }
  [[nodiscard]] std::optional<Stretches> find(std::uint32_t from, std::uint32_t to) const override {
    const auto source = nodes_.find(from);
    const auto target = nodes_.find(to);
    if (source == nodes_.end() || target == nodes_.end())
      return std::nullopt;
    const std::vector<std::uint32_t>& before = tree_from(source->second);
    Stretches stretches;
    for (std::uint32_t node = target->second; node != source->second; node = before[node]) {
      if (before[node] == UNREACHED)
        return std::nullopt;
      stretches.push_back(*stated_.find(members_[before[node]], members_[node]));
    }
    std::ranges::reverse(stretches);
    return stretches;
  }

private:
  struct Edge {
    std::uint32_t target;
    std::uint32_t links;
  };

  std::uint32_t node_of(std::uint32_t member) {
    const auto [found, is_new] = nodes_.emplace(member, static_cast<std::uint32_t>(members_.size()));
    if (is_new) {
      members_.push_back(member);
      edges_.emplace_back();
    }
    return found->second;
  }

  /// The node before each on the way from `source`. Some trees are kept, not all: they are quadratic together.
  const std::vector<std::uint32_t>& tree_from(std::uint32_t source) const {
    constexpr std::size_t MOST_KEPT = std::size_t{1} << 24U; // nodes in all kept trees: 64 MB
    const auto kept = trees_.find(source);
    if (kept != trees_.end())
      return kept->second;
    if ((trees_.size() + 1) * members_.size() > MOST_KEPT)
      trees_.clear();
    return trees_.emplace(source, compute(source)).first->second;
  }

  [[nodiscard]] std::vector<std::uint32_t> compute(std::uint32_t source) const {
    std::vector<std::uint32_t> cost(members_.size(), UNREACHED);
    std::vector<std::uint32_t> before(members_.size(), UNREACHED);
    using Entry = std::pair<std::uint32_t, std::uint32_t>; // cost, node
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    cost[source] = 0;
    open.emplace(0U, source);
    while (!open.empty()) {
      const auto [reached, node] = open.top();
      open.pop();
      if (reached > cost[node])
        continue; // settled nearer since
      for (const Edge& edge : edges_[node]) {
        if (reached + edge.links < cost[edge.target]) {
          cost[edge.target] = reached + edge.links;
          before[edge.target] = node;
          open.emplace(cost[edge.target], edge.target);
        }
      }
    }
    return before;
  }

  StatedRoutes stated_;
  std::unordered_map<std::uint32_t, std::uint32_t> nodes_; ///< by member
  std::vector<std::uint32_t> members_;                     ///< by node
  std::vector<std::vector<Edge>> edges_;                   ///< by node, in the order of the file
  mutable std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> trees_;
};

bool equal_but_for_case(const std::string& a, const std::string& b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

} // namespace

void StarRouting::set_up(std::uint32_t member, std::vector<model::LinkId> links) {
  up_.resize(std::max<std::size_t>(up_.size(), member + std::size_t{1}));
  up_[member] = std::move(links);
}

void StarRouting::set_down(std::uint32_t member, std::vector<model::LinkId> links) {
  down_.resize(std::max<std::size_t>(down_.size(), member + std::size_t{1}));
  down_[member] = std::move(links);
}

bool StarRouting::has(std::uint32_t /*from*/, std::uint32_t /*to*/) const {
  return false;
}

void StarRouting::add(std::uint32_t /*from*/, std::uint32_t /*to*/, ZoneRoute /*route*/) {
  throw UserError("a zone of routing Cluster takes no routes; allowed: <host_link> and <backbone>");
}

void StarRouting::finish(std::uint32_t members) {
  up_.resize(members); // a member without links is the centre itself
  down_.resize(members);
}

std::optional<Stretches> StarRouting::find(std::uint32_t from, std::uint32_t to) const {
  ZoneRoute route;
  for (const auto* const links : {&up_[from], &down_[to]}) {
    for (const model::LinkId link : *links) {
      if (std::ranges::find(route.links, link) == route.links.end()) // the backbone stands in both lists
        route.links.push_back(link);
    }
  }
  return Stretches{route};
}

const std::vector<std::string>& routing_kinds() {
  static const std::vector<std::string> kinds = {"Full", "Floyd", "Dijkstra", "DijkstraCache", "Cluster", "None"};
  return kinds;
}

std::unique_ptr<ZoneRouting> make_routing(const std::string& kind) {
  if (equal_but_for_case(kind, "Full"))
    return std::make_unique<FullRouting>();
  if (equal_but_for_case(kind, "Floyd"))
    return std::make_unique<FloydRouting>();
  if (equal_but_for_case(kind, "Dijkstra") || equal_but_for_case(kind, "DijkstraCache"))
    return std::make_unique<DijkstraRouting>();
  if (equal_but_for_case(kind, "Cluster"))
    return std::make_unique<StarRouting>();
  if (equal_but_for_case(kind, "None"))
    return std::make_unique<NoRouting>();
  if (equal_but_for_case(kind, "Vivaldi") || equal_but_for_case(kind, "Wifi"))
    throw UserError(fmt::format("routing {} is not supported; allowed: {}", base::in_quotes(kind),
                                fmt::join(routing_kinds(), ", ")));
  throw UserError(base::unknown_word("routing", kind, routing_kinds()));
}

} // namespace tandem::platform
