// A machine as a platform file describes it: hosts, one-way links, and the route between any two hosts.
#pragma once

#include "base/error.h"
#include "model/device.h"
#include "model/ids.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tandem::model {

/// How flows share a link, as SimGrid names it: SHARED divides the bandwidth, FATPIPE gives each flow all of it.
enum class Sharing { SHARED, FATPIPE };

/// One direction of a link. A SPLITDUPLEX link of the file is two of these, named `<id>_UP` and `<id>_DOWN` as SimGrid
/// does.
struct Link {
  std::string name;
  BytesPerSecond bandwidth{};
  Seconds latency{};
  Sharing sharing = Sharing::SHARED;
};

/// A host of the file. A GPU is a host with a `device` property; its HBM is its first <disk>.
struct Host {
  std::string name;
  FlopsPerSecond speed{}; ///< of one core
  int cores = 1;
  std::map<std::string, std::string> properties;
  struct Disk {
    std::string name;
    BytesPerSecond read{}, write{};
    std::map<std::string, std::string> properties;
  };
  std::vector<Disk> disks;
  base::Location where;
};

/// Links in the order in which a message crosses them; the latency is the sum of theirs.
struct Route {
  std::vector<LinkId> links;
  Seconds latency{};
};

/// Answers for any ordered pair of hosts. Implementations compute routes as SimGrid does for the zone's routing kind.
class Router {
public:
  virtual ~Router() = default;
  /// Empty optional: the pair is not connected. A host to itself: an empty route of latency 0.
  [[nodiscard]] virtual std::optional<Route> route(HostId from, HostId to) const = 0;
};

/// One accelerator of the cluster, in rank order (the order of the hosts in the file).
struct Gpu {
  HostId host;
  Device device; ///< the catalogue's entry, with SM count, peak and HBM bandwidth as the platform file states them
};

struct Cluster {
  std::string name;
  std::string file;
  std::vector<Host> hosts;
  std::vector<Link> links;
  std::vector<Gpu> gpus;
  std::shared_ptr<const Router> router;

  /// Route between two GPUs. Throws UserError (names both hosts and the file) when they are not connected.
  [[nodiscard]] Route route(Rank from, Rank to) const;
  /// Smallest bandwidth on the route. Throws as route().
  [[nodiscard]] BytesPerSecond bandwidth(Rank from, Rank to) const;
};

} // namespace tandem::model
