// Collects what a platform file defines, under SimGrid's rules of names, into a cluster with its zones.
#pragma once

#include "base/error.h"
#include "model/cluster.h"
#include "platform/netpoints.h"
#include "platform/routing.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tandem::platform {

/// A link as a route goes over it, and as the opposite route does: not the same when it is SPLITDUPLEX.
struct LinkUse {
  model::LinkId forward{}, backward{};
};

enum class LinkPolicy { SHARED, FATPIPE, SPLITDUPLEX };
enum class LinkDirection { NONE, UP, DOWN };

/// Every function throws UserError at `where` for a name that is taken, or that nothing has.
class PlatformBuilder {
public:
  ZoneId add_zone(std::optional<ZoneId> parent, const std::string& name, std::unique_ptr<ZoneRouting> routing,
                  const base::Location& where);
  /// The host's own `where` counts.
  NetpointId add_host(ZoneId zone, model::Host host);
  NetpointId add_router(ZoneId zone, const std::string& name, const base::Location& where);
  /// A SPLITDUPLEX link becomes two, `<name>_UP` (forward) and `<name>_DOWN` (backward).
  LinkUse add_link(const std::string& name, base::BytesPerSecond bandwidth, base::Seconds latency, LinkPolicy policy,
                   const base::Location& where, model::Medium medium = model::Medium::OTHER);
  [[nodiscard]] LinkUse link(const std::string& name, LinkDirection direction, const base::Location& where) const;
  [[nodiscard]] NetpointId netpoint(const std::string& name, const base::Location& where) const;
  [[nodiscard]] const Netpoint& operator[](NetpointId id) const { return tree_.netpoints[id.index]; }
  [[nodiscard]] Zone& zone(ZoneId id) { return tree_.zones[id.index]; }
  /// Whether the netpoint lies in the zone or in one inside of it.
  [[nodiscard]] bool is_inside(NetpointId id, ZoneId zone) const;
  /// Adds a route between two members of the zone and, when symmetrical, the opposite one.
  void add_route(ZoneId zone, NetpointId from, NetpointId to, const std::vector<LinkUse>& links,
                 std::optional<std::pair<NetpointId, NetpointId>> gateways, bool is_symmetrical,
                 const base::Location& where);
  [[nodiscard]] const model::Host& host(model::HostId id) const { return hosts_[id.index]; }
  /// Of the hosts, by HostId.
  [[nodiscard]] const std::vector<NetpointId>& hosts() const { return tree_.hosts; }
  /// Hosts, links and router; the GPUs are left to the caller. The builder is empty afterwards.
  struct Built {
    model::Cluster cluster;
    std::shared_ptr<const TreeRouter> router; ///< the cluster's
  };
  [[nodiscard]] Built finish(const std::string& name, const std::string& file);

private:
  template <class Id> struct Named {
    Id id;
    base::Location where;
  };
  NetpointId add_netpoint(std::optional<ZoneId> zone, const std::string& name, Netpoint::Kind kind,
                          const base::Location& where);
  model::LinkId add_one_way(const std::string& name, base::BytesPerSecond bandwidth, base::Seconds latency,
                            model::Sharing sharing, model::Medium medium, const base::Location& where);
  void add_one_route(ZoneId zone, NetpointId from, NetpointId to, ZoneRoute route, const base::Location& where);

  ZoneTree tree_;
  std::vector<model::Host> hosts_;
  std::vector<model::Link> links_;
  std::unordered_map<std::string, Named<NetpointId>> netpoint_names_;
  std::unordered_map<std::string, Named<model::LinkId>> link_names_;
  std::unordered_map<std::string, Named<LinkUse>> split_names_; ///< SPLITDUPLEX links by the name in the file
};

} // namespace tandem::platform
