// Orders and cycles of a Dag, by Boost.Graph.
#include "model/dag.h"

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/depth_first_search.hpp>
#include <boost/graph/topological_sort.hpp>

#include <algorithm>
#include <iterator>

namespace tandem::model {

namespace {

using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                 boost::no_property, std::uint32_t, std::uint64_t>;

Graph to_boost(const Dag& dag) {
  std::vector<Dag::Edge> edges;
  edges.reserve(dag.edges());
  for (std::uint32_t node = 0; node < dag.size(); ++node)
    for (const std::uint32_t successor : dag.successors(node))
      edges.emplace_back(node, successor);
  return {boost::edges_are_sorted, edges.begin(), edges.end(), dag.size()};
}

/// Stops the search at the first edge that closes a cycle.
struct CycleFound {
  std::uint32_t from, to;
};

class CycleVisitor : public boost::default_dfs_visitor {
public:
  explicit CycleVisitor(std::vector<std::uint32_t>& parents) : parents_(parents) {}
  void tree_edge(Graph::edge_descriptor edge, const Graph& graph) {
    parents_[target(edge, graph)] = source(edge, graph);
  }
  void back_edge(Graph::edge_descriptor edge, const Graph& graph) {
    throw CycleFound{source(edge, graph), target(edge, graph)};
  }

private:
  std::vector<std::uint32_t>& parents_;
};

} // namespace

Dag::Dag(std::uint32_t nodes, const std::vector<Edge>& edges)
    : nodes_(nodes), offsets_(static_cast<std::size_t>(nodes) + 1, 0), targets_(edges.size()), in_degrees_(nodes, 0) {
  for (const auto& [from, to] : edges) {
    ++offsets_[from + 1];
    ++in_degrees_[to];
  }
  for (std::uint32_t node = 0; node < nodes; ++node)
    offsets_[node + 1] += offsets_[node];
  std::vector<std::uint32_t> next(offsets_.begin(), offsets_.end() - 1);
  for (const auto& [from, to] : edges)
    targets_[next[from]++] = to;
}

std::span<const std::uint32_t> Dag::successors(std::uint32_t node) const {
  return {targets_.data() + offsets_[node], targets_.data() + offsets_[node + 1]};
}

std::vector<std::uint32_t> Dag::find_cycle() const {
  std::vector<std::uint32_t> parents(nodes_, 0);
  std::vector<boost::default_color_type> colors(nodes_, boost::white_color);
  const Graph graph = to_boost(*this);
  const auto color_map = boost::make_iterator_property_map(colors.begin(), get(boost::vertex_index, graph));
  try {
    boost::depth_first_search(graph, boost::visitor(CycleVisitor(parents)).color_map(color_map));
  } catch (const CycleFound& found) {
    std::vector<std::uint32_t> cycle{found.from};
    while (cycle.back() != found.to)
      cycle.push_back(parents[cycle.back()]);
    std::reverse(cycle.begin(), cycle.end());
    return cycle;
  }
  return {};
}

std::vector<std::uint32_t> Dag::topological_order() const {
  std::vector<std::uint32_t> order;
  order.reserve(nodes_);
  std::vector<boost::default_color_type> colors(nodes_, boost::white_color);
  const Graph graph = to_boost(*this);
  const auto color_map = boost::make_iterator_property_map(colors.begin(), get(boost::vertex_index, graph));
  boost::topological_sort(graph, std::back_inserter(order), boost::color_map(color_map));
  std::reverse(order.begin(), order.end());
  return order;
}

} // namespace tandem::model
