// A machine as a platform file describes it: hosts, one-way links, and the route between any two hosts.
#pragma once

#include "base/error.h"
#include "model/device.h"
#include "model/ids.h"
#include "model/library.h"
#include "model/medium.h"
#include "model/table.h"

#include <cstdint>
#include <functional>
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
  Medium medium = Medium::OTHER;
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

/// A device that many GPUs share, so that a GPU costs little. Changed by giving another; Cluster::edit_devices does so
/// for all GPUs.
class SharedDevice {
public:
  SharedDevice() : SharedDevice(Device{}) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a device stands for itself
  SharedDevice(Device device) : device_(std::make_shared<const Device>(std::move(device))) {}
  const Device& operator*() const { return *device_; }
  const Device* operator->() const { return device_.get(); }
  /// Whether both are one object, so that equality need not be looked at.
  [[nodiscard]] bool is(const SharedDevice& other) const { return device_ == other.device_; }

private:
  std::shared_ptr<const Device> device_;
};

/// One accelerator of the cluster, in rank order (the order of the hosts in the file, node by node).
struct Gpu {
  HostId host;
  SharedDevice device; ///< the catalogue's, with SM count, peak and HBM bandwidth as the platform file states them
};

/// How the nodes of a structured cluster are connected, as a report shows it. The routes are the router's.
struct Fabric {
  std::string kind;    ///< "fat-tree"
  std::string routing; ///< "ecmp, seed 1"
  int nics_per_node = 0;
  std::uint64_t first_link = 0; ///< links before it are of the nodes, as many of each; the fabric's follow
  /// Links of one kind in one direction, from the node outwards.
  struct Stage {
    std::string name;           ///< "leaf to spine"
    std::uint64_t links = 0;    ///< in one direction; as many in the other
    BytesPerSecond bandwidth{}; ///< of one link
    Seconds latency{};
    std::uint64_t switches = 0; ///< at the far end
    std::string switch_name;    ///< "spine"
  };
  std::vector<Stage> stages; ///< none for one node: nothing is connected
};

struct Cluster {
  std::string name;
  std::string file;
  Table<Host> hosts;
  Table<Link> links;
  std::vector<Gpu> gpus;
  std::shared_ptr<const Router> router;
  /// Ranks [k*g, (k+1)*g) are node k. 0: all GPUs are one node, as in a file that states no nodes.
  int gpus_per_node = 0;
  bool node_reduces_in_switch = false;   ///< the switch between the GPUs of a node adds what they send (NVLS)
  bool fabric_reduces_in_switch = false; ///< so do the switches between nodes (SHARP)
  std::optional<Fabric> fabric;          ///< between nodes; none where the platform file states no cluster

  std::vector<std::string> assumed;       ///< what of the platform has no source, as "latencies"
  std::shared_ptr<const Library> library; ///< that its GPUs communicate with; null: none is named

  [[nodiscard]] int nodes() const;
  [[nodiscard]] int node_of(Rank rank) const;
  /// Applies the change once to each device and gives it to the GPUs that share it.
  void edit_devices(const std::function<void(Device&)>& change);
  /// What a result rests on: keys of a device file that only some results need.
  struct Uses {
    bool training = false, energy = false;
  };
  /// What it rests on without a source: keys of GPU 0's device, and "platform: ..." of the rest.
  [[nodiscard]] std::vector<std::string> all_assumed(Uses uses) const;
  /// Route between two GPUs. Throws UserError (names both hosts and the file) when they are not connected.
  [[nodiscard]] Route route(Rank from, Rank to) const;
  /// Of a route: the last in the order of Medium that it crosses.
  [[nodiscard]] Medium medium(const Route& route) const;
  /// Smallest bandwidth of the links; infinite when there are none.
  [[nodiscard]] BytesPerSecond narrowest(const std::vector<LinkId>& crossed) const;
  /// The same machine seen by some of its ranks, in their order: what a group plans its collectives on. Its nodes are
  /// the largest equal blocks of members of which each lies within one node, so that ranks k*g .. (k+1)*g - 1 share
  /// one. Throws Bug when a member does not exist.
  [[nodiscard]] Cluster part(const std::vector<std::uint32_t>& members) const;
  /// Smallest bandwidth on the route. Throws as route().
  [[nodiscard]] BytesPerSecond bandwidth(Rank from, Rank to) const;
};

} // namespace tandem::model
