// Nothing here is stored per node but the list of GPUs.
#include "platform/structured_cluster.h"

#include "base/error.h"

#include <fmt/format.h>
#include <limits>

namespace tandem::platform {

namespace {

/// The node as it was read, and how often it is there.
struct Nodes {
  model::Cluster node;
  std::uint32_t count;
};

class NodeHosts : public model::EntrySource<model::Host> {
public:
  explicit NodeHosts(std::shared_ptr<const Nodes> nodes) : nodes_(std::move(nodes)) {}
  [[nodiscard]] std::size_t size() const override { return nodes_->count * nodes_->node.hosts.size(); }
  [[nodiscard]] model::Host entry(std::size_t number) const override {
    const std::size_t per_node = nodes_->node.hosts.size();
    model::Host host = nodes_->node.hosts[number % per_node];
    host.name = fmt::format("node{}.{}", number / per_node, host.name);
    return host;
  }

private:
  std::shared_ptr<const Nodes> nodes_;
};

class NodeAndFabricLinks : public model::EntrySource<model::Link> {
public:
  NodeAndFabricLinks(std::shared_ptr<const Nodes> nodes, std::shared_ptr<const Fabric> fabric)
      : nodes_(std::move(nodes)), fabric_(std::move(fabric)), of_nodes_(nodes_->count * nodes_->node.links.size()) {}
  [[nodiscard]] std::size_t size() const override { return of_nodes_ + fabric_->links(); }
  [[nodiscard]] model::Link entry(std::size_t number) const override {
    if (number >= of_nodes_)
      return fabric_->link(number - of_nodes_);
    const std::size_t per_node = nodes_->node.links.size();
    model::Link link = nodes_->node.links[number % per_node];
    link.name = fmt::format("node{}.{}", number / per_node, link.name);
    return link;
  }

private:
  std::shared_ptr<const Nodes> nodes_;
  std::shared_ptr<const Fabric> fabric_;
  std::size_t of_nodes_;
};

class StructuredRouter : public model::Router {
public:
  StructuredRouter(std::shared_ptr<const Nodes> nodes, std::shared_ptr<const Fabric> fabric,
                   std::vector<std::optional<WayOut>> ways_out)
      : nodes_(std::move(nodes)), fabric_(std::move(fabric)), ways_out_(std::move(ways_out)),
        links_per_node_(static_cast<std::uint32_t>(nodes_->node.links.size())) {}

  [[nodiscard]] std::optional<model::Route> route(model::HostId from, model::HostId to) const override {
    const auto per_node = static_cast<std::uint32_t>(nodes_->node.hosts.size());
    const std::uint32_t from_node = from.index / per_node;
    const std::uint32_t to_node = to.index / per_node;
    if (from_node >= nodes_->count || to_node >= nodes_->count)
      throw base::Bug(fmt::format("route between hosts {} and {} of {} nodes", from.index, to.index, nodes_->count));
    const model::HostId source(from.index % per_node);
    const model::HostId target(to.index % per_node);
    if (from_node == to_node) {
      auto route = nodes_->node.router->route(source, target);
      if (route)
        for (model::LinkId& link : route->links)
          link.index += from_node * links_per_node_;
      return route;
    }
    const auto& out = ways_out_[source.index];
    const auto& in = ways_out_[target.index];
    if (!out || !in)
      return std::nullopt;
    model::Route route;
    append(out->out, from_node, route);
    std::vector<std::uint64_t> between;
    fabric_->append_way({from_node, out->nic}, {to_node, in->nic}, between);
    for (const std::uint64_t link : between) {
      route.latency += fabric_->latency(link);
      route.links.emplace_back(static_cast<std::uint32_t>(std::uint64_t{nodes_->count} * links_per_node_ + link));
    }
    append(in->in, to_node, route);
    return route;
  }

private:
  void append(const model::Route& part, std::uint32_t node, model::Route& route) const {
    for (const model::LinkId link : part.links)
      route.links.emplace_back(node * links_per_node_ + link.index);
    route.latency += part.latency;
  }

  std::shared_ptr<const Nodes> nodes_;
  std::shared_ptr<const Fabric> fabric_;
  std::vector<std::optional<WayOut>> ways_out_;
  std::uint32_t links_per_node_;
};

} // namespace

model::Cluster make_structured(const model::Cluster& node, std::uint32_t nodes, std::unique_ptr<const Fabric> fabric,
                               std::vector<std::optional<WayOut>> ways_out) {
  const auto shared = std::make_shared<const Nodes>(Nodes{node, nodes});
  const std::shared_ptr<const Fabric> between = std::move(fabric);
  constexpr std::uint64_t MOST_GPUS = 1U << 22U;
  constexpr std::uint64_t MOST = std::numeric_limits<std::uint32_t>::max();
  const std::uint64_t links = std::uint64_t{nodes} * node.links.size() + between->links();
  const std::uint64_t gpus = std::uint64_t{nodes} * node.gpus.size();
  if (links > MOST || std::uint64_t{nodes} * node.hosts.size() > MOST || gpus > MOST_GPUS)
    throw base::UserError(
        fmt::format("{} nodes make {} GPUs and {} links; allowed: up to {} GPUs and {} links and hosts", nodes, gpus,
                    links, MOST_GPUS, MOST));
  model::Cluster cluster = node;
  cluster.hosts = model::Table<model::Host>(std::make_shared<NodeHosts>(shared));
  cluster.links = model::Table<model::Link>(std::make_shared<NodeAndFabricLinks>(shared, between));
  cluster.router = std::make_shared<StructuredRouter>(shared, between, std::move(ways_out));
  cluster.fabric = between->description();
  cluster.fabric->first_link = std::uint64_t{nodes} * node.links.size();
  cluster.gpus_per_node = static_cast<int>(node.gpus.size());
  cluster.gpus.clear();
  cluster.gpus.reserve(gpus);
  const auto hosts = static_cast<std::uint32_t>(node.hosts.size());
  for (std::uint32_t k = 0; k < nodes; ++k)
    for (const model::Gpu& gpu : node.gpus)
      cluster.gpus.push_back({model::HostId(k * hosts + gpu.host.index), gpu.device});
  return cluster;
}

} // namespace tandem::platform
