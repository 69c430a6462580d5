// Points joined by routes, and flows between them.
#include "collective/link_graph.h"

#include <algorithm>

namespace tandem::collective {

namespace {

constexpr double WIDE = 1e30; ///< bytes/s, for infinite in a flow

double limited(double flow) {
  return flow < 0.5 * WIDE ? flow : LinkGraph::UNLIMITED;
}

} // namespace

LinkGraph::LinkGraph(const model::Cluster& cluster, int ranks) : cluster_(cluster), ranks_(ranks) {
  for (int rank = 0; rank < ranks; ++rank)
    points_.add();
}

void LinkGraph::add(int from, int to, const model::Route& route) {
  int here = from;
  for (const auto link : route.links) {
    const auto [found, is_new] = numbers_.try_emplace(link.index, wires_.size());
    if (is_new) {
      const auto described = cluster_.links[link.index]; // made when asked for
      const bool limits = described.sharing != model::Sharing::FATPIPE;
      const int begin = points_.add();
      wires_.push_back({begin, points_.add(), limits ? std::min(WIDE, described.bandwidth.value()) : WIDE});
    }
    points_.join(here, wires_[found->second].begin);
    here = wires_[found->second].end;
  }
  points_.join(here, to);
}

std::optional<FlowNetwork> LinkGraph::network(int first, int last, bool outwards, std::vector<std::uint32_t>& places) {
  FlowNetwork network;
  places.assign(points_.size(), FlowNetwork::NONE);
  for (int rank = 0; rank < ranks_; ++rank) { // ranks of one side are one place: nothing limits them among themselves
    const auto side = (rank >= first && rank < last) == outwards ? FlowNetwork::SOURCE : FlowNetwork::SINK;
    auto& place = places[static_cast<std::size_t>(points_.root(rank))];
    if (place != FlowNetwork::NONE && place != side)
      return std::nullopt;
    place = side;
  }
  const auto place_of = [&](int point) {
    auto& place = places[static_cast<std::size_t>(points_.root(point))];
    if (place == FlowNetwork::NONE)
      place = network.add_place();
    return place;
  };
  for (const auto& [begin, end, capacity] : wires_) {
    const auto from = place_of(begin);
    network.add_pipe({from, place_of(end), capacity});
  }
  return network;
}

double LinkGraph::flow(int first, int last, bool outwards) {
  std::vector<std::uint32_t> places;
  const auto whole = network(first, last, outwards, places);
  return whole ? limited(whole->most()) : UNLIMITED;
}

double LinkGraph::waist(int rank, bool outwards) {
  const auto number = waists_++;
  inside_.resize(points_.size());
  std::vector<std::uint32_t> places;
  const auto whole = network(rank, rank + 1, outwards, places);
  if (!whole)
    return UNLIMITED; // and no point is marked: what nothing limits nothing widens
  const auto narrowest = whole->narrowest(outwards ? FlowNetwork::SOURCE : FlowNetwork::SINK);
  for (std::size_t point = 0; point < points_.size(); ++point)
    if (narrowest.is_inside[places[static_cast<std::size_t>(points_.root(static_cast<int>(point)))]])
      inside_[point] |= std::uint64_t{1} << number;
  return limited(narrowest.width);
}

std::uint64_t LinkGraph::widened_by(int from, int to, const model::Route& route) const {
  const auto inside = [&](int point) { return inside_[static_cast<std::size_t>(point)]; };
  const auto of_rank = [&](int rank) { return rank < ranks_ ? inside(rank) : 0; };
  auto here = of_rank(from);
  std::uint64_t widened = 0;
  for (const auto link : route.links) {
    const auto found = numbers_.find(link.index);
    const bool known = found != numbers_.end();
    widened |= here ^ (known ? inside(wires_[found->second].begin) : 0); // else the two sides are joined
    here = known ? inside(wires_[found->second].end) : 0;
  }
  return widened | (here ^ of_rank(to));
}

} // namespace tandem::collective
