// Joins pipes, and leaves the rest to Boost.Graph.
#include "collective/flow_network.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

#include <algorithm>
#include <tuple>

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
  Graph graph;
  std::vector<std::uint32_t> vertices(places_, NONE); // of places that are left
  const auto vertex = [&](std::uint32_t place) {
    if (vertices[place] == NONE)
      vertices[place] = static_cast<std::uint32_t>(boost::add_vertex(graph));
    return vertices[place];
  };
  const auto source = vertex(SOURCE), sink = vertex(SINK);
  for (const auto& [begin, end, capacity] : side_by_side(without_passages())) {
    const auto from = vertex(begin), to = vertex(end);
    const auto there = boost::add_edge(from, to, graph).first, back = boost::add_edge(to, from, graph).first;
    boost::put(boost::edge_capacity, graph, there, capacity);
    boost::put(boost::edge_capacity, graph, back, 0.0);
    boost::put(boost::edge_reverse, graph, there, back);
    boost::put(boost::edge_reverse, graph, back, there);
  }
  return boost::boykov_kolmogorov_max_flow(graph, source, sink);
}

} // namespace tandem::collective
