// A platform file from its root to the GPUs of the cluster.
#include "platform/platform.h"

#include "base/log.h"
#include "platform/cluster_properties.h"
#include "platform/devices.h"
#include "platform/platform_tags.h"
#include "platform/structured_cluster.h"
#include "platform/zone_reader.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace tandem::platform {

namespace {

using base::UserError;
using model::Device;

void check_version(const Element& root) {
  const std::string version = root.text("version");
  if (version != "4.1" && version != "4.0" && version != "4")
    root.fail_at("version", fmt::format("{} is not supported; allowed: 4.1", base::in_quotes(version)));
}

/// The one <zone>, <AS> or <cluster> of the file.
Element root_zone(const Element& root) {
  std::optional<Element> zone;
  for (const Element& child : root.children()) {
    if (child.tag() == "config") {
      if (zone)
        child.fail("<config> stands too late; it comes before the zone");
      base::log_warning(child.where().text() + ": <config> is ignored: Tandem sets SimGrid's configuration itself");
      continue;
    }
    if (zone)
      child.fail("a second root zone; allowed: one, with the others inside of it");
    zone = child;
  }
  if (!zone)
    root.fail("the platform holds no zone; allowed: one <zone>, <AS> or <cluster>");
  return *zone;
}

void note_source(Device& device, const std::string& key, const model::Host& host) {
  std::erase(device.assumed, key);
  device.sources[key] = "platform file, host " + host.name;
}

bool differs(double a, double b) {
  return std::abs(a - b) > 1e-9 * std::max(std::abs(a), std::abs(b));
}

/// `speed` times `core` is the fp16 peak of the GPU; its other peaks keep their ratio to it.
void apply_speed(Device& device, const model::Host& host) {
  const auto fp16 = device.peak.find("fp16");
  if (fp16 == device.peak.end())
    throw UserError(host.where,
                    fmt::format("device '{}' states no peak.fp16, which a host's speed times core means", device.name));
  if (host.cores != 1 && host.cores != device.sms)
    throw UserError(host.where,
                    fmt::format("host {} has {} cores, but its device '{}' has {} SMs; allowed: core=\"{}\", "
                                "or core=\"1\" with the speed of the whole device",
                                base::in_quotes(host.name), host.cores, device.name, device.sms, device.sms));
  const double stated = host.speed.value() * host.cores;
  if (!differs(stated, fp16->second.value()))
    return;
  const double factor = stated / fp16->second.value();
  for (auto& [precision, peak] : device.peak) {
    peak = peak * factor;
    note_source(device, "peak." + precision, host);
  }
}

/// The first <disk> of a GPU is its HBM.
void apply_memory(Device& device, const model::Host& host) {
  if (host.disks.empty())
    return;
  const model::Host::Disk& memory = host.disks.front();
  if (differs(memory.read.value(), memory.write.value()))
    throw UserError(host.where, fmt::format("disk {} of GPU {} is its memory, which has one bandwidth: read_bw and "
                                            "write_bw must agree",
                                            base::in_quotes(memory.name), base::in_quotes(host.name)));
  if (!differs(memory.read.value(), device.hbm_bandwidth.value()))
    return;
  device.hbm_bandwidth = memory.read;
  note_source(device, "hbm_bandwidth", host);
}

/// What of a host decides its device's numbers.
auto device_key_of(const model::Host& host, const std::string& device) {
  const double memory = host.disks.empty() ? 0.0 : host.disks.front().read.value();
  const double written = host.disks.empty() ? 0.0 : host.disks.front().write.value();
  return std::tuple(device, host.speed.value(), host.cores, memory, written);
}

void attach_gpus(model::Cluster& cluster, const std::vector<std::string>& device_paths) {
  std::map<std::string, Device> catalogue;
  std::map<decltype(device_key_of({}, {})), model::SharedDevice> shared;
  for (std::uint32_t i = 0; i < cluster.hosts.size(); ++i) {
    const model::Host host = cluster.hosts[i];
    const auto property = host.properties.find("device");
    if (property == host.properties.end())
      continue;
    const auto key = device_key_of(host, property->second);
    if (const auto same = shared.find(key); same != shared.end()) {
      cluster.gpus.push_back({model::HostId(i), same->second});
      continue;
    }
    auto known = catalogue.find(property->second);
    if (known == catalogue.end()) {
      try {
        known = catalogue.emplace(property->second, find_device(property->second, device_paths)).first;
      } catch (const UserError& error) {
        throw UserError(host.where, fmt::format("host {}: {}", base::in_quotes(host.name), error.what()));
      }
    }
    Device device = known->second;
    apply_speed(device, host);
    apply_memory(device, host);
    cluster.gpus.push_back({model::HostId(i), shared.emplace(key, std::move(device)).first->second});
  }
  cluster.gpus_per_node = static_cast<int>(cluster.gpus.size());
}

/// The network cards that the hosts name, by HostId.
std::vector<std::optional<NetpointId>> nics_of(const PlatformBuilder& builder) {
  std::vector<std::optional<NetpointId>> nics;
  for (std::uint32_t i = 0; i < builder.hosts().size(); ++i) {
    const model::Host& host = builder.host(model::HostId(i));
    const auto property = host.properties.find("nic");
    nics.emplace_back();
    if (property == host.properties.end())
      continue;
    try {
      nics.back() = builder.netpoint(property->second, {});
    } catch (const UserError& error) {
      throw UserError(host.where, fmt::format("nic of host {}: {}", base::in_quotes(host.name), error.what()));
    }
    if (builder[*nics.back()].kind == Netpoint::Kind::ZONE)
      throw UserError(host.where, fmt::format("nic of host {}: {} is a zone; allowed: a router or a host",
                                              base::in_quotes(host.name), base::in_quotes(property->second)));
  }
  return nics;
}

std::vector<std::optional<WayOut>> ways_out_of(const model::Cluster& cluster, const std::vector<NetpointId>& hosts,
                                               const std::vector<std::optional<NetpointId>>& nics,
                                               const TreeRouter& router) {
  std::map<NetpointId, std::uint32_t> numbers; // of the cards, in the order of the file
  for (const auto& nic : nics)
    if (nic)
      numbers.emplace(*nic, 0);
  std::uint32_t next = 0;
  for (auto& [nic, number] : numbers)
    number = next++;
  std::vector<std::optional<WayOut>> ways(nics.size());
  for (std::size_t i = 0; i < nics.size(); ++i) {
    if (!nics[i])
      continue;
    const auto out = router.way(hosts[i], *nics[i]);
    const auto in = router.way(*nics[i], hosts[i]);
    const model::Host host = cluster.hosts[i];
    if (!out || !in)
      throw UserError(host.where, fmt::format("no route between host {} and its nic {}", base::in_quotes(host.name),
                                              base::in_quotes(host.properties.at("nic"))));
    ways[i] = WayOut{numbers.at(*nics[i]), *out, *in};
  }
  for (const model::Gpu& gpu : cluster.gpus)
    if (!ways[gpu.host.index]) {
      const model::Host host = cluster.hosts[gpu.host.index];
      throw UserError(host.where, fmt::format("GPU {} of a node needs <prop id=\"nic\" value=\"...\"/>, the network "
                                              "card that it uses to other nodes",
                                              base::in_quotes(host.name)));
    }
  return ways;
}

std::vector<PlatformProperty> properties_of_parts() {
  return {
      {"<prop id=\"device\"> of <host> or <cluster>", "name of a device file, as t3-gpu",
       "the host is a GPU; GPUs are ranked in the order of the file"},
      {"core of a GPU's <host>", "whole number",
       "its SMs, as the device file says; or 1, with the speed of all of them"},
      {"speed of a GPU's <host>", "flop/s of one core, as 1.4336Tf",
       "times core it is the dense fp16 peak; where it differs from the device file, the other precisions are scaled "
       "with it"},
      {"first <disk> of a GPU's <host>", "read_bw and write_bw, equal",
       "its memory bandwidth; without a <disk> the device file's holds"},
      {"<link>", "bandwidth and latency",
       "one direction of a wire, or both when SPLITDUPLEX; the latency of a route is the sum of its links'"},
      {"<prop id=\"medium\"> of <link>", "nvlink, xgmi, pcie, network or other, default other",
       "what the link is made of; algorithms and their costs may differ by it"},
      {"<prop id=\"nic\"> of <host>", "name of a router or host of the zone",
       "the network card through which the host reaches other nodes; a GPU of a cluster needs one"},
  };
}

} // namespace

model::Cluster read_cluster(const std::string& path, const std::vector<std::string>& device_paths,
                            const std::map<std::string, std::string>& overrides) {
  const XmlFile file(path, "platform", platform_tags());
  check_version(file.root());
  const Element zone = root_zone(file.root());
  const ClusterProperties properties = read_cluster_properties(zone, overrides);
  PlatformBuilder builder;
  read_zone(builder, std::nullopt, zone);
  const std::vector<NetpointId> hosts = builder.hosts();
  const auto nics = nics_of(builder);
  auto [cluster, router] = builder.finish(zone.text("id"), path);
  attach_gpus(cluster, device_paths);
  cluster.node_reduces_in_switch = properties.in_switch_reduction;
  cluster.fabric_reduces_in_switch = properties.fabric_in_switch_reduction;
  cluster.assumed = properties.assumed;
  if (properties.fabric.kind.empty())
    return cluster;
  auto ways_out = ways_out_of(cluster, hosts, nics, *router);
  std::set<NetpointId> distinct;
  for (const auto& nic : nics)
    if (nic)
      distinct.insert(*nic);
  if (distinct.empty())
    throw UserError(properties.where, "a cluster whose node has no GPU with a nic: nothing to connect");
  try {
    // The fabric of one node has nobody to connect, but what the file says of it must be sound.
    auto fabric = make_fabric(properties.fabric, static_cast<std::uint32_t>(properties.nodes),
                              static_cast<std::uint32_t>(distinct.size()));
    if (properties.nodes == 1) {
      cluster.fabric = fabric->description();
      cluster.fabric->first_link = cluster.links.size();
      cluster.fabric->stages.clear();
      return cluster;
    }
    cluster.assumed.insert(cluster.assumed.end(), properties.fabric_assumed.begin(), properties.fabric_assumed.end());
    return make_structured(cluster, static_cast<std::uint32_t>(properties.nodes), std::move(fabric),
                           std::move(ways_out));
  } catch (const UserError& error) {
    throw UserError(properties.where, error.what());
  }
}

const std::vector<PlatformProperty>& platform_properties() {
  static const std::vector<PlatformProperty> properties = [] {
    std::vector<PlatformProperty> list = properties_of_parts();
    for (const ClusterProperty& property : cluster_properties())
      list.push_back({fmt::format("<prop id=\"{}\"> of the root zone", property.name), property.value,
                      property.fabrics.empty()
                          ? property.help
                          : fmt::format("{}: {}", fmt::join(words(property.fabrics), ", "), property.help)});
    return list;
  }();
  return properties;
}

} // namespace tandem::platform
