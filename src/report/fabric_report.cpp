// The tower has one line per layer of switches and one per stage of links between two of them.
#include "report/fabric_report.h"

#include "base/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::report {

namespace {

using model::Cluster;
using Stage = model::Fabric::Stage;

double total(const Stage& stage) {
  return static_cast<double>(stage.links) * stage.bandwidth.value();
}

std::string stage_line(const Stage& stage) {
  return fmt::format("{} each way, {} each, {} together, {}", base::counted(stage.links, "link"),
                     base::format_bandwidth(stage.bandwidth),
                     base::format_bandwidth(base::BytesPerSecond(total(stage))), base::format_seconds(stage.latency));
}

/// How much of what comes from below can go on.
std::string taper(const Stage& below, const Stage& stage) {
  return fmt::format("; {:.3g} % of the bandwidth below", 100.0 * total(stage) / total(below));
}

struct Layer {
  std::string name, text;
};

std::vector<Layer> layers_of(const Cluster& cluster) {
  const model::Fabric& fabric = *cluster.fabric;
  std::vector<Layer> layers; // from the nodes upwards, switches and links in turn
  layers.push_back(
      {"NIC", fmt::format("{}, {} in each of {}", cluster.nodes() * fabric.nics_per_node, fabric.nics_per_node,
                          base::counted(static_cast<std::size_t>(cluster.nodes()), "node"))});
  for (std::size_t i = 0; i < fabric.stages.size(); ++i) {
    const Stage& stage = fabric.stages[i];
    const bool inside = stage.switches == 0; // between switches of the layer below
    layers.push_back({inside ? "" : "|", inside
                                             ? stage.name + ": " + stage_line(stage)
                                             : stage_line(stage) + (i == 0 ? "" : taper(fabric.stages[i - 1], stage))});
    if (!inside)
      layers.push_back({stage.switch_name, fmt::format("{}", stage.switches)});
  }
  return layers;
}

} // namespace

std::string name_in_node(const Cluster& cluster, const std::string& name) {
  constexpr std::string_view FIRST = "node0.";
  return cluster.nodes() > 1 && name.starts_with(FIRST) ? name.substr(FIRST.size()) : name;
}

std::string fabric_text(const Cluster& cluster, const Layout& layout) {
  if (!cluster.fabric)
    return "";
  const model::Fabric& fabric = *cluster.fabric;
  std::string out =
      '\n' + tinted(fmt::format("Fabric: {}, routing {}", fabric.kind, fabric.routing), Tint::BOLD, layout.colour) +
      '\n';
  if (cluster.fabric_reduces_in_switch)
    out += wrapped("Its switches can reduce.", layout);
  if (fabric.stages.empty())
    return out + wrapped("One node has nobody to reach: --nodes N connects N of them.", layout);
  auto layers = layers_of(cluster);
  std::reverse(layers.begin(), layers.end());
  Table table({{"layer"}, {"how many"}});
  for (const auto& layer : layers)
    table.add({layer.name == "|" ? "  |" : layer.name, layer.text});
  return out + table.text(layout);
}

std::string nics_text(const Cluster& cluster, const Layout& layout) {
  const std::size_t hosts = cluster.hosts.size() / static_cast<std::size_t>(cluster.nodes());
  std::vector<std::pair<std::string, std::string>> users; // by card, in the order of the file
  for (std::size_t i = 0; i < hosts; ++i) {
    const model::Host host = cluster.hosts[i];
    const auto nic = host.properties.find("nic");
    if (nic == host.properties.end())
      continue;
    auto known = users.begin();
    while (known != users.end() && known->first != nic->second)
      ++known;
    if (known == users.end())
      known = users.insert(users.end(), {nic->second, ""});
    known->second += (known->second.empty() ? "" : ", ") + name_in_node(cluster, host.name);
  }
  if (users.empty())
    return "";
  Table table({{"card"}, {"used by"}});
  for (const auto& [nic, names] : users)
    table.add({nic, names});
  return '\n' + tinted("Network cards of a node", Tint::BOLD, layout.colour) + '\n' + table.text(layout);
}

} // namespace tandem::report
