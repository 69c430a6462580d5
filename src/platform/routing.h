// SimGrid's routing kinds, and the router that joins the zones' answers into a route between any two hosts.
#pragma once

#include "model/cluster.h"
#include "platform/netpoints.h"

#include <memory>
#include <string>
#include <vector>

namespace tandem::platform {

/// Names of the routing kinds that a <zone> may have, as written in the documentation; case does not count.
const std::vector<std::string>& routing_kinds();

/// The routing of that name. Throws UserError when it is unknown.
std::unique_ptr<ZoneRouting> make_routing(const std::string& kind);

/// What the members of a Cluster zone have instead of routes: links to everyone and from everyone.
class StarRouting : public ZoneRouting {
public:
  void set_up(std::uint32_t member, std::vector<model::LinkId> links);
  void set_down(std::uint32_t member, std::vector<model::LinkId> links);
  [[nodiscard]] bool has(std::uint32_t from, std::uint32_t to) const override;
  void add(std::uint32_t from, std::uint32_t to, ZoneRoute route) override;
  void finish(std::uint32_t members) override;
  [[nodiscard]] std::optional<Stretches> find(std::uint32_t from, std::uint32_t to) const override;

private:
  std::vector<std::vector<model::LinkId>> up_, down_; ///< by member; down_ in the order of travel
};

/// Also routes to and from routers.
class TreeRouter : public model::Router {
public:
  /// Empty optional when there is no way; from a netpoint to itself it crosses no link.
  [[nodiscard]] virtual std::optional<model::Route> way(NetpointId from, NetpointId to) const = 0;
};

/// Routes of SimGrid 3.32 between the hosts of the tree, computed when asked. `latencies` is by LinkId.
std::shared_ptr<const TreeRouter> make_router(ZoneTree tree, std::vector<base::Seconds> latencies);

} // namespace tandem::platform
