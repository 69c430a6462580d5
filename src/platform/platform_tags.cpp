// One row per tag of SimGrid's document type, version 4.1. What is refused here would change a simulation if it were
// skipped.
#include "platform/platform_tags.h"

namespace tandem::platform {

namespace {

const char* const ZONE_CHILDREN =
    "prop zone AS cluster peer host router link backbone cabinet host_link route zoneRoute "
    "ASroute bypassRoute bypassZoneRoute bypassASroute trace trace_connect include storage "
    "storage_type";

XmlTag refused(const char* name, const char* reason) {
  return {name, "", "", "", "", reason};
}

const char* const TRACES = "nothing that changes with time is read from a platform file";
const char* const BYPASS = "give the route itself, or split the zone";
const char* const STORAGE = "SimGrid removed it in 3.27; use <disk> inside of <host>";
const char* const ACTORS = "what runs on the platform comes from the workload";

} // namespace

const std::vector<XmlTag>& platform_tags() {
  static const std::vector<XmlTag> tags = {
      {"platform", "version", "", "",
       "config random include cluster cabinet peer zone AS trace trace_connect process actor", ""},
      {"config", "", "id", "", "prop", ""},
      {"prop", "id value", "", "", "", ""},
      {"zone", "id routing", "", "", ZONE_CHILDREN, ""},
      {"AS", "id routing", "", "", ZONE_CHILDREN, ""},
      {"host", "id speed", "core pstate", "speed_file availability_file state_file coordinates", "disk prop mount", ""},
      {"disk", "read_bw write_bw", "id", "", "prop", ""},
      {"router", "id", "", "coordinates", "", ""},
      {"link", "id bandwidth latency", "sharing_policy", "bandwidth_file latency_file state_file", "prop", ""},
      {"backbone", "id bandwidth latency", "", "", "", ""},
      {"host_link", "id up down", "", "", "", ""},
      {"cluster", "id prefix suffix radical speed bw lat",
       "core sharing_policy topology topo_parameters bb_bw bb_lat bb_sharing_policy router_id limiter_link loopback_bw "
       "loopback_lat",
       "", "prop", ""},
      {"route", "src dst", "symmetrical", "", "link_ctn", ""},
      {"zoneRoute", "src dst gw_src gw_dst", "symmetrical", "", "link_ctn", ""},
      {"ASroute", "src dst gw_src gw_dst", "symmetrical", "", "link_ctn", ""},
      {"link_ctn", "id", "direction", "", "", ""},
      refused("include", "SimGrid removed it in 3.18; write one file"),
      refused("random", "SimGrid ignores it"),
      refused("cabinet", "use <cluster> or <host> and <host_link>"),
      refused("peer", "it needs Vivaldi coordinates"),
      refused("trace", TRACES),
      refused("trace_connect", TRACES),
      refused("bypassRoute", BYPASS),
      refused("bypassZoneRoute", BYPASS),
      refused("bypassASroute", BYPASS),
      refused("storage", STORAGE),
      refused("storage_type", STORAGE),
      refused("mount", STORAGE),
      refused("process", ACTORS),
      refused("actor", ACTORS),
  };
  return tags;
}

} // namespace tandem::platform
