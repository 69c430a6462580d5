// Reads zones in the order of the file, as SimGrid does: a route may name only what stands before it.
#include "platform/zone_reader.h"

#include "platform/platform.h"
#include "platform/simgrid_units.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace tandem::platform {

namespace {

using base::in_quotes;
using base::UserError;

constexpr int MOST_CORES = 1'000'000;

/// SimGrid's order inside of a zone: properties, then what it holds, then routes.
int phase_of(const std::string& tag) {
  if (tag == "prop")
    return 0;
  return tag == "route" || tag == "zoneRoute" || tag == "ASroute" ? 2 : 1;
}

LinkPolicy sharing_policy(const std::string& text) {
  if (text.empty() || text == "SHARED")
    return LinkPolicy::SHARED;
  if (text == "FATPIPE")
    return LinkPolicy::FATPIPE;
  if (text == "SPLITDUPLEX" || text == "FULLDUPLEX") // the old name of the same
    return LinkPolicy::SPLITDUPLEX;
  throw UserError(base::unknown_word("sharing policy", text, {"SHARED", "SPLITDUPLEX", "FATPIPE"}));
}

LinkDirection read_direction(const std::string& text) {
  if (text.empty() || text == "NONE")
    return LinkDirection::NONE;
  if (text == "UP")
    return LinkDirection::UP;
  if (text == "DOWN")
    return LinkDirection::DOWN;
  throw UserError(base::unknown_word("direction", text, {"UP", "DOWN", "NONE"}));
}

bool read_symmetrical(const std::string& text) {
  if (text.empty() || text == "YES" || text == "yes")
    return true;
  if (text == "NO" || text == "no")
    return false;
  throw UserError(base::unknown_word("answer", text, {"YES", "NO", "yes", "no"}));
}

class ZoneReader {
public:
  ZoneReader(PlatformBuilder& builder, ZoneId zone) : builder_(builder), zone_(zone) {}

  void read(const Element& element) {
    int phase = 0;
    for (const Element& child : element.children()) {
      if (phase_of(child.tag()) < phase)
        child.fail(fmt::format("<{}> stands too late; in a zone come first <prop>, then what it holds, then the routes",
                               child.tag()));
      phase = phase_of(child.tag());
      read_child(child);
    }
    join_star();
    try {
      builder_.zone(zone_).routing->finish(builder_.zone(zone_).members);
    } catch (const UserError& error) {
      element.fail(error.what());
    }
  }

private:
  void read_child(const Element& child) {
    const std::string tag = child.tag();
    if (tag == "zone" || tag == "AS" || tag == "cluster") {
      only(child, holds_zones_, holds_hosts_);
      read_zone(builder_, zone_, child);
    } else if (tag == "host") {
      only(child, holds_hosts_, holds_zones_);
      read_host(child);
    } else if (tag == "router") {
      only(child, holds_hosts_, holds_zones_);
      builder_.add_router(zone_, child.text("id"), child.where("id"));
    } else if (tag == "link") {
      read_link(child);
    } else if (tag == "backbone") {
      read_backbone(child);
    } else if (tag == "host_link") {
      host_links_.push_back(child);
    } else if (tag == "route") {
      read_route(child);
    } else if (tag == "zoneRoute" || tag == "ASroute") {
      read_zone_route(child);
    } else if (tag == "prop" && zone_.index > 0) {
      // Those of the root zone are read elsewhere; others are notes of other programs.
      const auto known = cluster_property_names();
      if (std::ranges::find(known, child.text("id")) != known.end())
        child.fail_at("id", fmt::format("property {} belongs to the root zone", in_quotes(child.text("id"))));
    }
  }

  static void only(const Element& child, bool& mine, bool other) {
    mine = true;
    if (other)
      child.fail("a zone holds either hosts and routers or other zones, not both");
  }

  void read_host(const Element& element) {
    model::Host host;
    host.name = element.text("id");
    host.where = element.where("id");
    host.cores = read_cores(element);
    const std::vector<base::FlopsPerSecond> speeds = element.read("speed", read_speeds);
    const auto read_state = [&](const std::string& text) {
      return text.empty() ? 0 : base::parse_integer(text, 0, static_cast<long long>(speeds.size()) - 1);
    };
    host.speed = speeds[static_cast<std::size_t>(element.read("pstate", read_state))];
    host.properties = read_properties(element, {"device", "nic"});
    for (const Element& child : element.children()) {
      if (child.tag() == "disk")
        host.disks.push_back({child.has("id") ? child.text("id") : "/", child.read("read_bw", read_bandwidth),
                              child.read("write_bw", read_bandwidth), read_properties(child, {})});
    }
    builder_.add_host(zone_, std::move(host));
  }

  void read_link(const Element& element) {
    builder_.add_link(element.text("id"), element.read("bandwidth", read_bandwidth),
                      element.read("latency", read_latency), element.read("sharing_policy", sharing_policy),
                      element.where("id"), read_medium(element));
  }

  static model::Medium read_medium(const Element& link) {
    model::Medium medium = model::Medium::OTHER;
    (void)read_properties(link, {"medium"});
    for (const Element& child : link.children())
      if (child.text("id") == "medium")
        medium = child.read("value", model::medium_of);
    return medium;
  }

  void read_backbone(const Element& element) {
    if (backbone_)
      element.fail("a second backbone of one zone");
    backbone_ = element;
  }

  /// What <host_link> and <backbone> mean: all of them count, wherever they stand, and the backbone's name comes last.
  void join_star() {
    if (!backbone_ && host_links_.empty())
      return;
    auto* const star = dynamic_cast<StarRouting*>(builder_.zone(zone_).routing.get());
    if (star == nullptr)
      (backbone_ ? *backbone_ : host_links_.front()).fail("only a zone of routing Cluster takes this");
    std::vector<model::LinkId> shared;
    if (backbone_)
      shared.push_back(builder_
                           .add_link(backbone_->text("id"), backbone_->read("bandwidth", read_bandwidth),
                                     backbone_->read("latency", read_latency), LinkPolicy::SHARED,
                                     backbone_->where("id"))
                           .forward);
    for (const Element& element : host_links_) {
      const NetpointId host = member(element, "id", Netpoint::Kind::HOST);
      std::vector<model::LinkId> up = {link_of(element, "up")};
      up.insert(up.end(), shared.begin(), shared.end());
      std::vector<model::LinkId> down = shared;
      down.push_back(link_of(element, "down"));
      star->set_up(builder_[host].member, std::move(up));
      star->set_down(builder_[host].member, std::move(down));
    }
  }

  model::LinkId link_of(const Element& element, const char* attribute) const {
    return builder_.link(element.text(attribute), LinkDirection::NONE, element.where(attribute)).forward;
  }

  /// The member of this zone that the attribute names.
  NetpointId member(const Element& element, const char* attribute, Netpoint::Kind kind) const {
    const NetpointId id = builder_.netpoint(element.text(attribute), element.where(attribute));
    const Netpoint& found = builder_[id];
    const bool is_zone = found.kind == Netpoint::Kind::ZONE;
    if (is_zone != (kind == Netpoint::Kind::ZONE))
      element.fail_at(attribute,
                      fmt::format("{} is {}; allowed here: {}", in_quotes(found.name), is_zone ? "a zone" : "no zone",
                                  is_zone ? "hosts and routers (<zoneRoute> joins zones)" : "zones"));
    if (found.zone != zone_)
      element.fail_at(attribute, fmt::format("{} is not directly in zone {}", in_quotes(found.name),
                                             in_quotes(builder_.zone(zone_).name)));
    return id;
  }

  std::vector<LinkUse> read_links(const Element& element) const {
    std::vector<LinkUse> links;
    for (const Element& child : element.children())
      links.push_back(builder_.link(child.text("id"), child.read("direction", read_direction), child.where("id")));
    if (links.empty())
      element.fail("a route over no link; allowed: one <link_ctn> or more");
    return links;
  }

  void read_route(const Element& element) {
    const NetpointId from = member(element, "src", Netpoint::Kind::HOST);
    const NetpointId to = member(element, "dst", Netpoint::Kind::HOST);
    builder_.add_route(zone_, from, to, read_links(element), std::nullopt,
                       element.read("symmetrical", read_symmetrical), element.where());
  }

  void read_zone_route(const Element& element) {
    const NetpointId from = member(element, "src", Netpoint::Kind::ZONE);
    const NetpointId to = member(element, "dst", Netpoint::Kind::ZONE);
    if (from == to)
      element.fail_at("dst", "a zone needs no route to itself");
    const NetpointId gateway_from = gateway(element, "gw_src", from);
    const NetpointId gateway_to = gateway(element, "gw_dst", to);
    builder_.add_route(zone_, from, to, read_links(element), std::pair(gateway_from, gateway_to),
                       element.read("symmetrical", read_symmetrical), element.where());
  }

  NetpointId gateway(const Element& element, const char* attribute, NetpointId of_zone) const {
    const NetpointId id = builder_.netpoint(element.text(attribute), element.where(attribute));
    const Netpoint& found = builder_[id];
    if (found.kind == Netpoint::Kind::ZONE)
      element.fail_at(attribute, fmt::format("{} is a zone; allowed: a host or a router", in_quotes(found.name)));
    if (!builder_.is_inside(id, builder_[of_zone].inside))
      element.fail_at(attribute,
                      fmt::format("{} is not in zone {}", in_quotes(found.name), in_quotes(builder_[of_zone].name)));
    return id;
  }

  PlatformBuilder& builder_;
  ZoneId zone_;
  bool holds_zones_ = false, holds_hosts_ = false;
  std::optional<Element> backbone_;
  std::vector<Element> host_links_;
};

} // namespace

int read_cores(const Element& element) {
  return static_cast<int>(element.read(
      "core", [](const std::string& text) { return text.empty() ? 1 : base::parse_integer(text, 1, MOST_CORES); }));
}

std::map<std::string, std::string> read_properties(const Element& element, const std::vector<std::string>& ours) {
  std::map<std::string, std::string> properties;
  for (const Element& child : element.children()) {
    if (child.tag() != "prop")
      continue;
    const std::string name = child.text("id");
    const std::string meant = base::nearest(name, ours);
    const auto first = [](const std::string& word) { return std::tolower(static_cast<unsigned char>(word.front())); };
    if (!meant.empty() && meant != name && first(meant) == first(name)) // 'service' is a word of its own
      child.fail_at("id", fmt::format("{} is no property of Tandem's (did you mean '{}'?)", in_quotes(name), meant));
    if (!properties.emplace(name, child.text("value")).second)
      child.fail_at("id", fmt::format("property {} is given twice", in_quotes(name)));
  }
  return properties;
}

void read_zone(PlatformBuilder& builder, std::optional<ZoneId> parent, const Element& element) {
  if (element.tag() == "cluster") {
    read_cluster_tag(builder, parent, element);
    return;
  }
  const ZoneId zone =
      builder.add_zone(parent, element.text("id"), element.read("routing", make_routing), element.where("id"));
  ZoneReader(builder, zone).read(element);
}

} // namespace tandem::platform
