// One row per property.
#include "platform/cluster_properties.h"

#include "base/units.h"
#include "platform/platform.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace tandem::platform {

namespace {

using base::in_quotes;
using base::UserError;

constexpr int MOST_NODES = 1'000'000;
constexpr int MOST_PORTS = 1 << 16, MOST_IN_GROUP = 1 << 12;

bool read_truth(const std::string& text) {
  if (text != "true" && text != "false")
    throw UserError(base::unknown_word("truth value", text, {"true", "false"}));
  return text == "true";
}

std::string read_word(const std::string& kind, const std::string& text, const std::vector<std::string>& allowed) {
  if (std::ranges::find(allowed, text) == allowed.end())
    throw UserError(base::unknown_word(kind, text, allowed));
  return text;
}

int read_count(const std::string& text, int maximum) {
  return static_cast<int>(base::parse_integer(text, 1, maximum));
}

base::BytesPerSecond read_rate(const std::string& text) {
  const auto rate = base::parse_bandwidth(text);
  if (rate.value() <= 0.0)
    throw UserError(fmt::format("{} is out of range; allowed: above 0", in_quotes(text)));
  return rate;
}

RoutingPolicy read_policy(const std::string& text) {
  const auto& all = routing_policies();
  const auto word = read_word("routing", text, all);
  return static_cast<RoutingPolicy>(std::ranges::find(all, word) - all.begin());
}

/// "8x8x4".
std::vector<int> read_dims(const std::string& text) {
  std::vector<int> dims;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find('x', begin);
    dims.push_back(read_count(text.substr(begin, end == std::string::npos ? end : end - begin), MOST_NODES));
    if (dims.size() > 8)
      throw UserError(fmt::format("{} has too many dimensions; allowed: up to 8", in_quotes(text)));
    if (end == std::string::npos)
      return dims;
    begin = end + 1;
  }
}

/// "a b, c" is "a b" and "c".
std::vector<std::string> read_list(const std::string& text) {
  std::vector<std::string> list;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto word = fmt::format("{}", fmt::join(words(text.substr(begin, end - begin)), " "));
    if (word.empty())
      throw UserError(fmt::format("{} has an empty entry", in_quotes(text)));
    list.push_back(word);
    begin = end + 1;
  }
  return list;
}

const ClusterProperty* find(const std::string& name) {
  const auto& all = cluster_properties();
  const auto found = std::ranges::find(all, name, &ClusterProperty::name);
  return found == all.end() ? nullptr : &*found;
}

/// A value of the file's or of the user's.
struct Given {
  std::string value;
  std::optional<Element> element; ///< none: from the command line
};

[[noreturn]] void fail(const std::string& name, const Given& given, const std::string& message) {
  if (given.element)
    given.element->fail_at("value", message);
  throw UserError(fmt::format("{}{}: {}", name == "nodes" ? "--" : "platform.", name, message));
}

std::map<std::string, Given> given_properties(const Element& zone) {
  std::map<std::string, Given> given;
  for (const Element& child : zone.children()) {
    if (child.tag() != "prop")
      continue;
    const std::string name = child.text("id");
    if (find(name) == nullptr) {
      if (const auto meant = base::nearest(name, cluster_property_names()); !meant.empty())
        child.fail_at("id", fmt::format("{} is no property of Tandem's (did you mean '{}'?)", in_quotes(name), meant));
      continue;
    }
    if (!given.emplace(name, Given{child.text("value"), child}).second)
      child.fail_at("id", fmt::format("property {} is given twice", in_quotes(name)));
  }
  return given;
}

/// What a file without a fabric cannot have, and what one of this kind does not know.
void check_kind(const Element& zone, const std::string& kind, const std::map<std::string, Given>& given) {
  for (const auto& [name, value] : given) {
    if (kind.empty() && name != "in_switch_reduction" && name != "assumed")
      fail(name, value,
           fmt::format("{} states no fabric, so it describes one machine and not a cluster of nodes; a cluster's root "
                       "zone has <prop id=\"fabric\" value=\"...\"/>",
                       in_quotes(zone.where().file)));
    const auto kinds = words(find(name)->fabrics);
    if (!kinds.empty() && std::ranges::find(kinds, kind) == kinds.end())
      fail(name, value, fmt::format("a fabric of kind {} has no {}; it is of {}", kind, name, fmt::join(kinds, ", ")));
  }
  if (kind.empty())
    return;
  for (const Element& child : zone.children())
    if (child.tag() == "prop" && find(child.text("id")) == nullptr)
      child.fail_at("id", base::unknown_word("property of a cluster", child.text("id"), cluster_property_names()));
}

} // namespace

const std::vector<ClusterProperty>& cluster_properties() {
  using Properties = ClusterProperties;
  using Text = const std::string&;
  static const std::vector<ClusterProperty> properties = {
      {"fabric", fmt::format("{}", fmt::join(fabric_kinds(), ", ")), "",
       "what connects the nodes; the zone is then one node of a cluster, and its GPUs and other hosts name their "
       "network card with `nic`",
       [](Properties& p, Text text) { p.fabric.kind = read_word("fabric", text, fabric_kinds()); }},
      {"nodes", fmt::format("whole number, 1 to {}, default 1", MOST_NODES), "", "as --nodes, which replaces it",
       [](Properties& p, Text text) { p.nodes = read_count(text, MOST_NODES); }},
      {"fabric_bandwidth", "bandwidth, as 400Gbps; required", "", "of a link of the fabric, in each direction",
       [](Properties& p, Text text) { p.fabric.bandwidth = read_rate(text); }},
      {"fabric_latency", "time, as 500ns, default 0", "", "of a link of the fabric with the switch behind it",
       [](Properties& p, Text text) { p.fabric.latency = base::parse_seconds(text); }},
      {"nic_bandwidth", "bandwidth, default fabric_bandwidth", "", "of the link between a network card and its switch",
       [](Properties& p, Text text) { p.fabric.nic_bandwidth = read_rate(text); }},
      {"nic_latency", "time, default fabric_latency", "",
       "of the link between a network card and its switch, with the card",
       [](Properties& p, Text text) { p.fabric.nic_latency = base::parse_seconds(text); }},
      {"routing", "deterministic, ecmp or spray, default deterministic", "",
       "how a flow chooses among equally short ways: by where it goes, by a hash of both ends, or all of them at once",
       [](Properties& p, Text text) { p.fabric.routing = read_policy(text); }},
      {"routing_seed", "whole number, default 0", "", "of the hash of ecmp",
       [](Properties& p, Text text) {
         p.fabric.seed =
             static_cast<std::uint64_t>(base::parse_integer(text, 0, std::numeric_limits<std::int64_t>::max()));
       }},
      {"fabric_radix", "even whole number, as 64; required", "fat-tree rail", "ports of a switch",
       [](Properties& p, Text text) { p.fabric.radix = read_count(text, MOST_PORTS); }},
      {"fabric_oversubscription", "whole number, default 1", "fat-tree rail",
       "ports of a leaf switch to nodes for each port upwards",
       [](Properties& p, Text text) { p.fabric.oversubscription = read_count(text, MOST_PORTS); }},
      {"fabric_dims", "whole numbers, as 8x8x4", "torus", "sizes of the dimensions; their product is the nodes",
       [](Properties& p, Text text) { p.fabric.dims = read_dims(text); }},
      {"fabric_dimensions", "whole number, 1 to 8", "torus",
       "instead of fabric_dims: so many dimensions, as even as the number of nodes allows",
       [](Properties& p, Text text) { p.fabric.dimensions = read_count(text, 8); }},
      {"group_routers", "whole number; required", "dragonfly", "routers of a group",
       [](Properties& p, Text text) { p.fabric.group_routers = read_count(text, MOST_IN_GROUP); }},
      {"router_nics", "whole number; required", "dragonfly", "network cards at a router",
       [](Properties& p, Text text) { p.fabric.router_nics = read_count(text, MOST_IN_GROUP); }},
      {"router_globals", "whole number; required", "dragonfly", "links of a router to other groups",
       [](Properties& p, Text text) { p.fabric.router_globals = read_count(text, MOST_IN_GROUP); }},
      {"in_switch_reduction", "true or false, default false", "",
       "whether the switch between the GPUs of a node can add what they send (NVLS); also without a fabric",
       [](Properties& p, Text text) { p.in_switch_reduction = read_truth(text); }},
      {"assumed", "words separated by commas, as latencies, links between CPUs", "",
       "numbers of this file that have no source; results that rest on them say so; also without a fabric",
       [](Properties& p, Text text) { p.assumed = read_list(text); }},
      {"fabric_assumed", "words separated by commas", "", "the same of the fabric, which counts for more than one node",
       [](Properties& p, Text text) { p.fabric_assumed = read_list(text); }},
      {"fabric_in_switch_reduction", "true or false, default false", "",
       "whether the switches between nodes can add what they are sent (SHARP)",
       [](Properties& p, Text text) { p.fabric_in_switch_reduction = read_truth(text); }},
  };
  return properties;
}

std::vector<std::string> cluster_property_names() {
  std::vector<std::string> names;
  for (const auto& property : cluster_properties())
    names.push_back(property.name);
  return names;
}

ClusterProperties read_cluster_properties(const Element& zone, const std::map<std::string, std::string>& overrides) {
  ClusterProperties result;
  auto given = given_properties(zone);
  result.where = given.contains("fabric") ? given.at("fabric").element->where("value") : zone.where();
  for (const auto& [name, value] : overrides) {
    if (find(name) == nullptr)
      throw UserError(base::unknown_word("property of a cluster", name, cluster_property_names()));
    if (name == "fabric" && !given.contains("fabric"))
      fail(name, {value, std::nullopt}, "a fabric can be replaced, but not added to a file that has none");
    given[name] = {value, std::nullopt};
  }
  for (const auto& [name, value] : given) {
    try {
      find(name)->set(result, value.value);
    } catch (const UserError& error) {
      fail(name, value, error.what());
    }
  }
  check_kind(zone, result.fabric.kind, given);
  return result;
}

} // namespace tandem::platform
