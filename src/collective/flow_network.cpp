// Joins pipes, and leaves the rest to Boost.Graph.
#include "collective/flow_network.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace tandem::collective {

namespace {

using Pipe = FlowNetwork::Pipe;

/// Pipes between the same places become one.
std::vector<Pipe> side_by_side(std::vector<Pipe> pipes) {
  std::stable_sort(pipes.begin(), pipes.end(),
                   [](const Pipe& a, const Pipe& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });
  std::vector<Pipe> joined;
  for (const auto& pipe : pipes)
    if (!joined.empty() && joined.back().from == pipe.from && joined.back().to == pipe.to)
      joined.back().capacity += pipe.capacity;
    else
      joined.push_back(pipe);
  return joined;
}

/// Pipes as Boost.Graph solves them.
class Solved {
public:
  Solved(std::uint32_t places, std::vector<Pipe> pipes) : vertices_(places, FlowNetwork::NONE) {
    const auto source = vertex(FlowNetwork::SOURCE), sink = vertex(FlowNetwork::SINK);
    for (const auto& [begin, end, capacity] : side_by_side(std::move(pipes))) {
      const auto from = vertex(begin), to = vertex(end);
      const auto there = boost::add_edge(from, to, graph_).first, back = boost::add_edge(to, from, graph_).first;
      boost::put(boost::edge_capacity, graph_, there, capacity);
      boost::put(boost::edge_capacity, graph_, back, 0.0);
      boost::put(boost::edge_reverse, graph_, there, back);
      boost::put(boost::edge_reverse, graph_, back, there);
    }
    width = boost::boykov_kolmogorov_max_flow(graph_, source, sink);
  }

  double width = 0.0; ///< of the narrowest cut

  /// Whether a place and an end are on one side of all pipes that are full.
  [[nodiscard]] bool is_with(std::uint32_t place, std::uint32_t end) const {
    if (vertices_[place] == FlowNetwork::NONE)
      return false;
    const auto tree = boost::get(boost::vertex_color, graph_, vertices_[place]);
    return tree == (end == FlowNetwork::SOURCE ? boost::black_color : boost::white_color);
  }

private:
  using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
  using Edge = Traits::edge_descriptor;
  using Graph = boost::adjacency_list<
      boost::vecS, boost::vecS, boost::directedS,
      boost::property<boost::vertex_index_t, long,
                      boost::property<boost::vertex_color_t, boost::default_color_type,
                                      boost::property<boost::vertex_distance_t, long,
                                                      boost::property<boost::vertex_predecessor_t, Edge>>>>,
      boost::property<
          boost::edge_capacity_t, double,
          boost::property<boost::edge_residual_capacity_t, double, boost::property<boost::edge_reverse_t, Edge>>>>;

  std::uint32_t vertex(std::uint32_t place) {
    if (vertices_[place] == FlowNetwork::NONE)
      vertices_[place] = static_cast<std::uint32_t>(boost::add_vertex(graph_));
    return vertices_[place];
  }

  Graph graph_;
  std::vector<std::uint32_t> vertices_; ///< of places with pipes
};

} // namespace

void FlowNetwork::add_pipe(const Pipe& pipe) {
  if (pipe.from != pipe.to && pipe.from != SINK && pipe.to != SOURCE) // else it leads back
    pipes_.push_back(pipe);
}

/// A place with one pipe in and one out limits nothing: the two are one, as wide as the narrower. What no way from
/// SOURCE leads to is left out.
std::vector<Pipe> FlowNetwork::without_passages() const {
  struct Place {
    std::uint32_t in = 0, out = 0; ///< pipes
    std::size_t next = 0;          ///< one of those out
  };
  std::vector<Place> places(places_);
  for (std::size_t i = 0; i < pipes_.size(); ++i) {
    ++places[pipes_[i].to].in;
    ++places[pipes_[i].from].out;
    places[pipes_[i].from].next = i;
  }
  const auto is_passage = [&](std::uint32_t place) {
    return place != SOURCE && place != SINK && places[place].in == 1 && places[place].out == 1;
  };
  std::vector<Pipe> list;
  for (const auto& pipe : pipes_) {
    if (is_passage(pipe.from))
      continue;
    auto whole = pipe;
    while (is_passage(whole.to)) {
      const auto& next = pipes_[places[whole.to].next];
      whole.capacity = std::min(whole.capacity, next.capacity);
      whole.to = next.to;
    }
    if (whole.to != whole.from)
      list.push_back(whole);
  }
  return list;
}

double FlowNetwork::most() const {
  return Solved(places_, without_passages()).width;
}

FlowNetwork::Narrowest FlowNetwork::narrowest(std::uint32_t end) const {
  const Solved solved(places_, pipes_);
  Narrowest result{solved.width, std::vector<bool>(places_)};
  for (std::uint32_t place = 0; place < places_; ++place)
    result.is_inside[place] = solved.is_with(place, end);
  return result;
}

} // namespace tandem::collective
