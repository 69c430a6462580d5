// Names are unique among hosts, routers and zones together, and among links; a route joins members of its own zone.
#include "platform/platform_builder.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::platform {

namespace {

using base::Location;
using base::UserError;

/// "unknown KIND 'x' ..." without listing thousands of names.
template <class Map> std::string unknown_name(const std::string& kind, const std::string& name, const Map& known) {
  constexpr std::size_t MOST_LISTED = 20;
  std::vector<std::string> names;
  names.reserve(known.size());
  for (const auto& entry : known)
    names.push_back(entry.first);
  std::ranges::sort(names);
  if (names.size() <= MOST_LISTED)
    return base::unknown_word(kind, name, names);
  const std::string meant = base::nearest(name, names);
  return fmt::format("unknown {} {}{}; {} are defined before this place", kind, base::in_quotes(name),
                     meant.empty() ? "" : fmt::format(" (did you mean '{}'?)", meant), names.size());
}

[[noreturn]] void fail_taken(const char* what, const std::string& name, const Location& first, const Location& where) {
  throw UserError(where, fmt::format("{} {} is already defined at {}", what, base::in_quotes(name), first.text()));
}

} // namespace

NetpointId PlatformBuilder::add_netpoint(std::optional<ZoneId> zone, const std::string& name, Netpoint::Kind kind,
                                         const Location& where) {
  if (name.empty())
    throw UserError(where, "a name must not be empty");
  const NetpointId id(static_cast<std::uint32_t>(tree_.netpoints.size()));
  const auto [taken, is_new] = netpoint_names_.emplace(name, Named<NetpointId>{id, where});
  if (!is_new)
    fail_taken("a host, router or zone named", name, taken->second.where, where);
  tree_.netpoints.push_back({name, kind, zone, zone ? this->zone(*zone).members++ : 0U, ZoneId()});
  return id;
}

ZoneId PlatformBuilder::add_zone(std::optional<ZoneId> parent, const std::string& name,
                                 std::unique_ptr<ZoneRouting> routing, const Location& where) {
  const NetpointId self = add_netpoint(parent, name, Netpoint::Kind::ZONE, where);
  const ZoneId id(static_cast<std::uint32_t>(tree_.zones.size()));
  tree_.netpoints[self.index].inside = id;
  const std::uint32_t depth = parent ? zone(*parent).depth + 1 : 0;
  tree_.zones.push_back({name, self, 0, depth, std::move(routing)});
  return id;
}

NetpointId PlatformBuilder::add_host(ZoneId zone, model::Host host) {
  const NetpointId id = add_netpoint(zone, host.name, Netpoint::Kind::HOST, host.where);
  tree_.hosts.push_back(id);
  hosts_.push_back(std::move(host));
  return id;
}

NetpointId PlatformBuilder::add_router(ZoneId zone, const std::string& name, const Location& where) {
  return add_netpoint(zone, name, Netpoint::Kind::ROUTER, where);
}

model::LinkId PlatformBuilder::add_one_way(const std::string& name, base::BytesPerSecond bandwidth,
                                           base::Seconds latency, model::Sharing sharing, model::Medium medium,
                                           const Location& where) {
  const model::LinkId id(static_cast<std::uint32_t>(links_.size()));
  const auto [taken, is_new] = link_names_.emplace(name, Named<model::LinkId>{id, where});
  if (!is_new)
    fail_taken("link", name, taken->second.where, where);
  links_.push_back({name, bandwidth, latency, sharing, medium});
  return id;
}

LinkUse PlatformBuilder::add_link(const std::string& name, base::BytesPerSecond bandwidth, base::Seconds latency,
                                  LinkPolicy policy, const Location& where, model::Medium medium) {
  if (name.empty())
    throw UserError(where, "a name must not be empty");
  const auto split = split_names_.find(name);
  if (split != split_names_.end())
    fail_taken("link", name, split->second.where, where);
  if (policy != LinkPolicy::SPLITDUPLEX) {
    const model::Sharing sharing = policy == LinkPolicy::FATPIPE ? model::Sharing::FATPIPE : model::Sharing::SHARED;
    const model::LinkId id = add_one_way(name, bandwidth, latency, sharing, medium, where);
    return {id, id};
  }
  const auto taken = link_names_.find(name);
  if (taken != link_names_.end())
    fail_taken("link", name, taken->second.where, where);
  const model::LinkId up = add_one_way(name + "_UP", bandwidth, latency, model::Sharing::SHARED, medium, where);
  const model::LinkId down = add_one_way(name + "_DOWN", bandwidth, latency, model::Sharing::SHARED, medium, where);
  split_names_.emplace(name, Named<LinkUse>{{up, down}, where});
  return {up, down};
}

LinkUse PlatformBuilder::link(const std::string& name, LinkDirection direction, const Location& where) const {
  const auto split = split_names_.find(name);
  const auto plain = link_names_.find(name);
  if (direction == LinkDirection::NONE) {
    if (plain != link_names_.end())
      return {plain->second.id, plain->second.id};
    if (split != split_names_.end())
      throw UserError(
          where, fmt::format("link {} is SPLITDUPLEX and needs a direction; allowed: UP, DOWN", base::in_quotes(name)));
    throw UserError(where, unknown_name("link", name, link_names_));
  }
  if (split == split_names_.end()) {
    if (plain != link_names_.end())
      throw UserError(where, fmt::format("link {} is not SPLITDUPLEX and has no direction", base::in_quotes(name)));
    throw UserError(where, unknown_name("link", name, split_names_));
  }
  const LinkUse use = split->second.id;
  return direction == LinkDirection::UP ? use : LinkUse{use.backward, use.forward};
}

NetpointId PlatformBuilder::netpoint(const std::string& name, const Location& where) const {
  const auto found = netpoint_names_.find(name);
  if (found == netpoint_names_.end())
    throw UserError(where, unknown_name("host, router or zone", name, netpoint_names_));
  return found->second.id;
}

bool PlatformBuilder::is_inside(NetpointId id, ZoneId zone) const {
  std::optional<ZoneId> around = (*this)[id].zone;
  while (around && *around != zone)
    around = (*this)[tree_.zones[around->index].self].zone;
  return around.has_value();
}

void PlatformBuilder::add_one_route(ZoneId zone, NetpointId from, NetpointId to, ZoneRoute route,
                                    const Location& where) {
  ZoneRouting& routing = *this->zone(zone).routing;
  const std::uint32_t from_member = (*this)[from].member;
  const std::uint32_t to_member = (*this)[to].member;
  if (routing.has(from_member, to_member)) {
    throw UserError(where, fmt::format("a route from {} to {} is already defined (routes are symmetrical unless they "
                                       "say symmetrical=\"NO\")",
                                       base::in_quotes((*this)[from].name), base::in_quotes((*this)[to].name)));
  }
  try {
    routing.add(from_member, to_member, std::move(route));
  } catch (const UserError& error) {
    throw UserError(where, error.what());
  }
}

void PlatformBuilder::add_route(ZoneId zone, NetpointId from, NetpointId to, const std::vector<LinkUse>& links,
                                std::optional<std::pair<NetpointId, NetpointId>> gateways, bool is_symmetrical,
                                const Location& where) {
  ZoneRoute forward;
  ZoneRoute backward;
  for (const LinkUse& use : links) {
    forward.links.push_back(use.forward);
    backward.links.push_back(use.backward);
  }
  std::ranges::reverse(backward.links);
  if (gateways) {
    forward.gateway_from = backward.gateway_to = gateways->first;
    forward.gateway_to = backward.gateway_from = gateways->second;
  }
  add_one_route(zone, from, to, std::move(forward), where);
  if (is_symmetrical && from != to)
    add_one_route(zone, to, from, std::move(backward), where);
}

PlatformBuilder::Built PlatformBuilder::finish(const std::string& name, const std::string& file) {
  model::Cluster cluster;
  cluster.name = name;
  cluster.file = file;
  cluster.hosts.stored() = std::move(hosts_);
  cluster.links.stored() = std::move(links_);
  std::vector<base::Seconds> latencies;
  for (const model::Link& link : cluster.links)
    latencies.push_back(link.latency);
  const auto router = make_router(std::move(tree_), std::move(latencies));
  cluster.router = router;
  return {std::move(cluster), router};
}

} // namespace tandem::platform
