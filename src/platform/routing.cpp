// Joins the zones' routes: up from the source's zone to the first common zone and down again, from gateway to gateway.
#include "platform/routing.h"

#include "base/error.h"

#include <fmt/format.h>

namespace tandem::platform {

namespace {

class ZoneRouter : public TreeRouter {
public:
  ZoneRouter(ZoneTree tree, std::vector<base::Seconds> latencies)
      : tree_(std::move(tree)), latencies_(std::move(latencies)) {}

  [[nodiscard]] std::optional<model::Route> route(model::HostId from, model::HostId to) const override {
    if (from.index >= tree_.hosts.size() || to.index >= tree_.hosts.size())
      throw base::Bug(fmt::format("route between hosts {} and {} of {}", from.index, to.index, tree_.hosts.size()));
    return way(tree_.hosts[from.index], tree_.hosts[to.index]);
  }

  [[nodiscard]] std::optional<model::Route> way(NetpointId from, NetpointId to) const override {
    model::Route route;
    if (from == to)
      return route;
    // A way over no link (two centres of a star) is no connection for SimGrid either.
    if (!append_way(from, to, route.links) || route.links.empty())
      return std::nullopt;
    for (const model::LinkId link : route.links)
      route.latency += latencies_[link.index];
    return route;
  }

private:
  [[nodiscard]] const Netpoint& netpoint(NetpointId id) const { return tree_.netpoints[id.index]; }
  [[nodiscard]] const Zone& zone(ZoneId id) const { return tree_.zones[id.index]; }

  /// The netpoint that stands for `id` in the zone around its own.
  [[nodiscard]] NetpointId raised(NetpointId id) const { return zone(*netpoint(id).zone).self; }

  /// Appends the links from one host or router to another; false when there is no way. Goes deeper into the tree at
  /// each level, because gateways lie inside of the zones that they open.
  bool append_way(NetpointId from, NetpointId to, std::vector<model::LinkId>& links) const {
    if (from == to)
      return true;
    NetpointId from_member = from;
    NetpointId to_member = to;
    while (netpoint(from_member).zone != netpoint(to_member).zone) {
      const std::uint32_t from_depth = zone(*netpoint(from_member).zone).depth;
      const std::uint32_t to_depth = zone(*netpoint(to_member).zone).depth;
      if (from_depth >= to_depth)
        from_member = raised(from_member);
      if (to_depth >= from_depth)
        to_member = raised(to_member);
    }
    const ZoneRouting& routing = *zone(*netpoint(from_member).zone).routing;
    const std::optional<Stretches> way = routing.find(netpoint(from_member).member, netpoint(to_member).member);
    if (!way || way->empty())
      return false;
    std::vector<model::LinkId> here;
    if (!append_stretches(*way, here))
      return false;
    if (from_member == from && to_member == to) { // both are members of this zone
      links.insert(routing.lists_first() ? links.begin() : links.end(), here.begin(), here.end());
      return true;
    }
    if (from_member == from || to_member == to)
      throw base::Bug("a route from a host to a zone of " + zone(*netpoint(from_member).zone).name);
    if (!append_way(from, *way->front().gateway_from, links))
      return false;
    links.insert(links.end(), here.begin(), here.end());
    return append_way(*way->back().gateway_to, to, links);
  }

  bool append_stretches(const Stretches& stretches, std::vector<model::LinkId>& links) const {
    const ZoneRoute* before = nullptr;
    for (const ZoneRoute& stretch : stretches) {
      if (before != nullptr && stretch.gateway_from && !append_way(*before->gateway_to, *stretch.gateway_from, links))
        return false;
      links.insert(links.end(), stretch.links.begin(), stretch.links.end());
      before = &stretch;
    }
    return true;
  }

  ZoneTree tree_;
  std::vector<base::Seconds> latencies_;
};

} // namespace

std::shared_ptr<const TreeRouter> make_router(ZoneTree tree, std::vector<base::Seconds> latencies) {
  return std::make_shared<const ZoneRouter>(std::move(tree), std::move(latencies));
}

} // namespace tandem::platform
