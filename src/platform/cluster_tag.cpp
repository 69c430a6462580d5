// <cluster>: equal hosts around one switch, with or without a backbone, a loopback and a limiter of each host.
#include "platform/simgrid_units.h"
#include "platform/zone_reader.h"

#include <fmt/format.h>

namespace tandem::platform {

namespace {

void check_topology(const Element& element) {
  const std::string topology = element.text("topology");
  if (topology.empty() || topology == "FLAT")
    return;
  if (topology == "TORUS" || topology == "FAT_TREE" || topology == "DRAGONFLY")
    element.fail_at("topology", fmt::format("{} is not supported yet; allowed: FLAT, or zones with <route>", topology));
  element.fail_at("topology", base::unknown_word("topology", topology, {"FLAT"}));
}

/// SimGrid 3.32 takes FATPIPE of a <cluster>'s own links for SHARED, so it is not offered.
LinkPolicy read_link_policy(const std::string& text) {
  if (text.empty() || text == "SPLITDUPLEX" || text == "FULLDUPLEX")
    return LinkPolicy::SPLITDUPLEX;
  if (text == "SHARED")
    return LinkPolicy::SHARED;
  throw base::UserError(base::unknown_word("sharing policy of a cluster", text, {"SPLITDUPLEX", "SHARED"}));
}

LinkPolicy read_backbone_policy(const std::string& text) {
  if (text.empty() || text == "SHARED")
    return LinkPolicy::SHARED;
  if (text == "FATPIPE")
    return LinkPolicy::FATPIPE;
  throw base::UserError(base::unknown_word("sharing policy of a backbone", text, {"SHARED", "FATPIPE"}));
}

base::Seconds latency_of(const Element& element, const char* attribute) {
  return element.text(attribute).empty() ? base::Seconds(0.0) : element.read(attribute, read_latency);
}

bool is_given(const Element& element, const char* attribute) {
  return !element.text(attribute).empty();
}

} // namespace

void read_cluster_tag(PlatformBuilder& builder, std::optional<ZoneId> parent, const Element& element) {
  check_topology(element);
  const std::string id = element.text("id");
  const base::Location where = element.where("id");
  auto routing = std::make_unique<StarRouting>();
  StarRouting& star = *routing;
  const ZoneId zone = builder.add_zone(parent, id, std::move(routing), where);

  std::optional<LinkUse> backbone;
  if (is_given(element, "bb_bw"))
    backbone = builder.add_link(id + "_backbone", element.read("bb_bw", read_bandwidth), latency_of(element, "bb_lat"),
                                element.read("bb_sharing_policy", read_backbone_policy), where);
  model::Host host;
  host.where = where;
  host.speed = element.read("speed", read_speeds).front();
  host.cores = read_cores(element);
  host.properties = read_properties(element, {"device"});
  const base::BytesPerSecond bandwidth = element.read("bw", read_bandwidth);
  const base::Seconds latency = element.read("lat", read_latency);
  const LinkPolicy policy = element.read("sharing_policy", read_link_policy);
  for (const int number : element.read("radical", read_radical)) {
    host.name = fmt::format("{}{}{}", element.text("prefix"), number, element.text("suffix"));
    const NetpointId netpoint = builder.add_host(zone, host);
    const std::string link = fmt::format("{}_link_{}", id, number);
    if (is_given(element, "loopback_bw"))
      builder.add_link(link + "_loopback", element.read("loopback_bw", read_bandwidth),
                       latency_of(element, "loopback_lat"), LinkPolicy::FATPIPE, where);
    std::vector<model::LinkId> up;
    std::vector<model::LinkId> down;
    if (is_given(element, "limiter_link"))
      up.push_back(builder
                       .add_link(link + "_limiter", element.read("limiter_link", read_bandwidth), base::Seconds(0.0),
                                 LinkPolicy::SHARED, where)
                       .forward);
    down = up;
    const LinkUse use = builder.add_link(link, bandwidth, latency, policy, where);
    up.push_back(use.forward);
    down.insert(down.begin(), use.backward);
    if (backbone) {
      up.push_back(backbone->forward);
      down.insert(down.begin(), backbone->forward);
    }
    star.set_up(builder[netpoint].member, std::move(up));
    star.set_down(builder[netpoint].member, std::move(down));
  }
  const std::string router = element.text("router_id");
  builder.add_router(zone, router.empty() ? element.text("prefix") + id + "_router" + element.text("suffix") : router,
                     where);
  star.finish(builder.zone(zone).members);
}

} // namespace tandem::platform
