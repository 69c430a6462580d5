// The tree of zones of a platform: what SimGrid calls netpoints (hosts, routers, zones), and how each zone routes.
#pragma once

#include "model/cluster.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tandem::platform {

using NetpointId = model::Id<struct NetpointTag>;
using ZoneId = model::Id<struct ZoneTag>;

/// A route that a zone knows between two of its members. Gateways only between zones: where the links start and end.
struct ZoneRoute {
  std::vector<model::LinkId> links;
  std::optional<NetpointId> gateway_from, gateway_to;
};

/// One stretch of a route through a zone, in the order of travel; between stretches the way goes from gateway to
/// gateway.
using Stretches = std::vector<ZoneRoute>;

/// How a zone routes among its members, which are numbered from 0 in the order of the file.
class ZoneRouting {
public:
  virtual ~ZoneRouting() = default;
  /// Whether a route from `from` to `to` is there already.
  [[nodiscard]] virtual bool has(std::uint32_t from, std::uint32_t to) const = 0;
  virtual void add(std::uint32_t from, std::uint32_t to, ZoneRoute route) = 0;
  /// Called once, after the last member: `members` is their number.
  virtual void finish(std::uint32_t members) = 0;
  /// Empty optional when there is no route. Precondition: from != to, and finish() was called.
  [[nodiscard]] virtual std::optional<Stretches> find(std::uint32_t from, std::uint32_t to) const = 0;
  /// Whether the links of a route inside of the zone are listed before those already crossed. The order of the list
  /// means nothing to a simulation; it is kept as SimGrid has it so that the two can be compared link by link.
  [[nodiscard]] virtual bool lists_first() const { return false; }
};

struct Netpoint {
  enum class Kind { HOST, ROUTER, ZONE };
  std::string name;
  Kind kind = Kind::HOST;
  std::optional<ZoneId> zone; ///< the zone around it; none for the root
  std::uint32_t member = 0;   ///< its number in that zone
  ZoneId inside{};            ///< of a ZONE: the zone that it is
};

struct Zone {
  std::string name;
  NetpointId self{};
  std::uint32_t members = 0;
  std::uint32_t depth = 0; ///< 0 is the root
  std::unique_ptr<ZoneRouting> routing;
};

struct ZoneTree {
  std::vector<Netpoint> netpoints;
  std::vector<Zone> zones;
  std::vector<NetpointId> hosts; ///< by HostId
};

} // namespace tandem::platform
