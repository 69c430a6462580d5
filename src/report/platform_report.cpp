// Sections of `tandem platform show`, and the warnings of `tandem platform check`.
#include "report/platform_report.h"

#include "base/text.h"
#include "report/device_report.h"
#include "report/fabric_report.h"
#include "report/gpu_pairs.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <tuple>

namespace tandem::report {

namespace {

using base::counted;
using model::Cluster;

constexpr std::size_t MATRIX_UP_TO = 16, MEDIUM_UP_TO = 8, ALL_PAIRS_UP_TO = 64;

std::string counts(const Cluster& cluster) {
  const std::string nodes =
      cluster.nodes() == 1 ? "" : counted(static_cast<std::size_t>(cluster.nodes()), "node") + ", ";
  return fmt::format("{}{}, {}, {} (one for each direction)", nodes, counted(cluster.hosts.size(), "host"),
                     counted(cluster.gpus.size(), "GPU"), counted(cluster.links.size(), "link"));
}

std::string title(const Cluster& cluster) {
  return cluster.file.empty() ? cluster.name : fmt::format("{} ({})", cluster.name, cluster.file);
}

std::string host_name(const Cluster& cluster, std::uint32_t gpu) {
  return cluster.hosts[cluster.gpus[gpu].host.index].name;
}

std::string path_text(const PairPath& path) {
  if (path.links.empty())
    return "on the same host";
  return fmt::format("{}, {}", base::format_bandwidth(path.bandwidth), base::format_seconds(path.latency));
}

std::string section(const std::string& heading, const Layout& layout) {
  return '\n' + tinted(heading, Tint::BOLD, layout.colour) + '\n';
}

/// GPUs with the same device and the same numbers: their ranks, and the first of them.
struct GpuType {
  std::string name;
  std::vector<DeviceNumber> numbers;
  std::vector<std::uint32_t> ranks;
};

std::vector<GpuType> gpu_types(const Cluster& cluster) {
  std::vector<GpuType> types;
  std::vector<std::pair<model::SharedDevice, std::size_t>> seen; // device, number of its type
  for (std::uint32_t rank = 0; rank < cluster.gpus.size(); ++rank) {
    const auto same = std::find_if(seen.begin(), seen.end(),
                                   [&](const auto& known) { return known.first.is(cluster.gpus[rank].device); });
    if (same != seen.end()) {
      types[same->second].ranks.push_back(rank);
      continue;
    }
    const model::Device& device = *cluster.gpus[rank].device;
    const std::vector<DeviceNumber> numbers = device_numbers(device);
    auto type = std::find_if(types.begin(), types.end(), [&](const GpuType& known) {
      return known.name == device.name && known.numbers == numbers;
    });
    if (type == types.end())
      type = types.insert(types.end(), {device.name, numbers, {}});
    type->ranks.push_back(rank);
    seen.emplace_back(cluster.gpus[rank].device, static_cast<std::size_t>(type - types.begin()));
  }
  return types;
}

/// "0-3, 8": runs of consecutive numbers.
std::string ranges(const std::vector<std::uint32_t>& ascending) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < ascending.size();) {
    std::size_t last = i;
    while (last + 1 < ascending.size() && ascending[last + 1] == ascending[last] + 1)
      ++last;
    parts.push_back(last == i ? fmt::format("{}", ascending[i]) : fmt::format("{}-{}", ascending[i], ascending[last]));
    i = last + 1;
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string gpus_text(const Cluster& cluster, const Layout& layout) {
  std::string out;
  for (const GpuType& type : gpu_types(cluster)) {
    const std::uint32_t first = type.ranks.front();
    out += section(fmt::format("{} {} ({} to {})", type.ranks.size() == 1 ? "GPU" : "GPUs", ranges(type.ranks),
                               host_name(cluster, first), host_name(cluster, type.ranks.back())),
                   layout);
    out += device_details(*cluster.gpus[first].device, layout);
  }
  return out;
}

/// Links of the first node; all where there is one.
std::size_t node_links(const Cluster& cluster) {
  return cluster.fabric ? cluster.fabric->first_link / static_cast<std::size_t>(cluster.nodes()) : cluster.links.size();
}

std::string links_text(const Cluster& cluster, const Layout& layout) {
  struct Kind {
    double bandwidth, latency;
    model::Sharing sharing;
    model::Medium medium;
    std::vector<std::string> names;
  };
  std::vector<Kind> kinds;
  const std::size_t of_node = node_links(cluster);
  for (std::size_t i = 0; i < of_node; ++i) {
    const model::Link link = cluster.links[i];
    const auto key = std::tuple(link.bandwidth.value(), link.latency.value(), link.sharing, link.medium);
    auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& known) {
      return std::tuple(known.bandwidth, known.latency, known.sharing, known.medium) == key;
    });
    if (kind == kinds.end())
      kind = kinds.insert(kinds.end(), {link.bandwidth.value(), link.latency.value(), link.sharing, link.medium, {}});
    kind->names.push_back(name_in_node(cluster, link.name));
  }
  Table table({{"links", Align::RIGHT},
               {"bandwidth", Align::RIGHT},
               {"latency", Align::RIGHT},
               {"medium"},
               {"sharing"},
               {"names"}});
  for (const Kind& kind : kinds) {
    const bool few = kind.names.size() <= 3;
    table.add({fmt::format("{}", kind.names.size()), base::format_bandwidth(base::BytesPerSecond(kind.bandwidth)),
               base::format_seconds(base::Seconds(kind.latency)), model::medium_name(kind.medium),
               kind.sharing == model::Sharing::SHARED ? "shared by its flows" : "whole for each flow",
               few ? fmt::format("{}", fmt::join(kind.names, ", "))
                   : fmt::format("{}, {}, ..., {}", kind.names[0], kind.names[1], kind.names.back())});
  }
  return section(cluster.nodes() == 1 ? "Links" : "Links of a node", layout) + table.text(layout);
}

std::string neighbours_text(const Cluster& cluster, const Layout& layout) {
  std::vector<std::pair<std::string, std::vector<GpuPair>>> groups; // by what the route is like
  for (const GpuPair pair : ring_pairs(cluster)) {
    const std::optional<PairPath> path = pair_path(cluster, pair);
    const std::string text =
        path ? fmt::format("{} over {}", path_text(*path), counted(path->links.size(), "link")) : "no route";
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& known) { return known.first == text; });
    if (group == groups.end())
      group = groups.insert(groups.end(), {text, {}});
    group->second.push_back(pair);
  }
  if (groups.empty())
    return {};
  Table table({{"pairs", Align::RIGHT}, {"first"}, {"route"}});
  for (const auto& [text, pairs] : groups)
    table.add({fmt::format("{}", pairs.size()), fmt::format("{} -> {}", pairs.front().from, pairs.front().to), text});
  return section("Ring neighbours, each GPU to the next", layout) + table.text(layout);
}

std::string routes_text(const Cluster& cluster, const Layout& layout) {
  const auto gpus = static_cast<std::uint32_t>(cluster.gpus.size());
  if (gpus < 2)
    return {};
  Table table({{"route"}, {"bottleneck and latency"}, {"links"}});
  for (const std::uint32_t to : std::set<std::uint32_t>{1, gpus / 2, gpus - 1}) {
    const std::optional<PairPath> path = pair_path(cluster, {0, to});
    std::vector<std::string> names;
    if (path)
      for (const model::LinkId link : path->links)
        names.push_back(cluster.links[link.index].name);
    table.add(
        {fmt::format("0 -> {}", to), path ? path_text(*path) : "no route", fmt::format("{}", fmt::join(names, ", "))});
  }
  return section("Routes from GPU 0, for example", layout) + table.text(layout);
}

/// The medium of the narrowest link, where the file says so.
std::string limit_of(const Cluster& cluster, const PairPath& path) {
  for (const model::LinkId id : path.links)
    if (const model::Link link = cluster.links[id.index];
        link.bandwidth == path.bandwidth && link.medium != model::Medium::OTHER)
      return ' ' + model::medium_name(link.medium);
  return "";
}

std::string matrix_text(const Cluster& cluster, const Layout& layout) {
  auto gpus = static_cast<std::uint32_t>(cluster.gpus.size());
  const bool all = cluster.nodes() == 1;
  if (!all)
    gpus = static_cast<std::uint32_t>(cluster.gpus_per_node);
  if (gpus < 2 || gpus > MATRIX_UP_TO)
    return {};
  std::vector<Column> columns = {{"from \\ to", Align::RIGHT}};
  for (std::uint32_t to = 0; to < gpus; ++to)
    columns.push_back({fmt::format("{}", to), Align::RIGHT});
  Table table(columns);
  for (std::uint32_t from = 0; from < gpus; ++from) {
    std::vector<Cell> row = {fmt::format("{}", from)};
    for (std::uint32_t to = 0; to < gpus; ++to) {
      const std::optional<PairPath> path = from == to ? std::nullopt : pair_path(cluster, {from, to});
      if (from == to)
        row.emplace_back(".");
      else if (!path)
        row.emplace_back("none", Tint::RED);
      else
        row.emplace_back(path->links.empty() ? "host"
                                             : fmt::format("{:.4g}{}", path->bandwidth.value() / 1e9,
                                                           gpus <= MEDIUM_UP_TO ? limit_of(cluster, *path) : ""));
    }
    table.add(std::move(row));
  }
  return section(all ? "Bottleneck bandwidth between GPUs, GB/s"
                     : "Bottleneck bandwidth between the GPUs of a node, GB/s",
                 layout) +
         table.text(layout);
}

/// Warnings about the routes of the pairs that are looked at.
std::vector<std::string> route_warnings(const Cluster& cluster) {
  std::vector<std::string> missing, uneven;
  std::set<std::uint32_t> used;
  for (const GpuPair pair : pairs_to_check(cluster, ALL_PAIRS_UP_TO)) {
    const std::optional<PairPath> there = pair_path(cluster, pair), back = pair_path(cluster, {pair.to, pair.from});
    if (!there) {
      missing.push_back(fmt::format("{} -> {}", host_name(cluster, pair.from), host_name(cluster, pair.to)));
      continue;
    }
    for (const model::LinkId link : there->links)
      used.insert(link.index);
    if (back && pair.from < pair.to && there->bandwidth != back->bandwidth)
      uneven.push_back(fmt::format("{} and {}", host_name(cluster, pair.from), host_name(cluster, pair.to)));
  }
  std::vector<std::string> warnings;
  if (!missing.empty())
    warnings.push_back(fmt::format("no route between {} of GPUs, the first {}", counted(missing.size(), "ordered pair"),
                                   missing.front()));
  if (!uneven.empty())
    warnings.push_back(fmt::format("another bandwidth there than back between {} of GPUs, the first {}",
                                   counted(uneven.size(), "pair"), uneven.front()));
  // A node of a cluster has links that lead to its network cards only.
  if (!cluster.fabric && cluster.gpus.size() > 1 && cluster.gpus.size() <= ALL_PAIRS_UP_TO &&
      used.size() < cluster.links.size()) {
    std::uint32_t idle = 0;
    while (used.contains(idle))
      ++idle;
    warnings.push_back(fmt::format("{} on no route between GPUs, the first {}",
                                   counted(cluster.links.size() - used.size(), "link"), cluster.links[idle].name));
  }
  return warnings;
}

} // namespace

std::string platform_show(const Cluster& cluster, const Layout& layout) {
  const std::string assumed =
      cluster.assumed.empty() ? "" : fmt::format("Assumed, without a source: {}.", fmt::join(cluster.assumed, ", "));
  return tinted(title(cluster), Tint::BOLD, layout.colour) + '\n' + wrapped(counts(cluster), layout) +
         (assumed.empty() ? "" : wrapped(assumed, layout)) + gpus_text(cluster, layout) + links_text(cluster, layout) +
         nics_text(cluster, layout) + fabric_text(cluster, layout) + neighbours_text(cluster, layout) +
         routes_text(cluster, layout) + matrix_text(cluster, layout);
}

std::vector<std::string> platform_warnings(const Cluster& cluster) {
  if (cluster.gpus.empty())
    return {"no host is a GPU: a GPU has a property `device`"};
  std::vector<std::string> warnings;
  const std::vector<GpuType> types = gpu_types(cluster);
  if (types.size() > 1) {
    std::vector<std::string> parts;
    parts.reserve(types.size());
    for (const GpuType& type : types)
      parts.push_back(fmt::format("{} (GPUs {})", type.name, ranges(type.ranks)));
    warnings.push_back(fmt::format("GPUs of {} types: {}", types.size(), fmt::join(parts, "; ")));
  }
  const std::vector<std::string> routes = route_warnings(cluster);
  warnings.insert(warnings.end(), routes.begin(), routes.end());
  return warnings;
}

std::string platform_check(const Cluster& cluster, const Layout& layout) {
  const std::vector<std::string> warnings = platform_warnings(cluster);
  const std::string what = fmt::format("{}: {}; {} between GPUs looked at", title(cluster), counts(cluster),
                                       counted(pairs_to_check(cluster, ALL_PAIRS_UP_TO).size(), "route"));
  const Layout plain{layout.width, 0, layout.colour};
  std::string out = wrapped((warnings.empty() ? "ok: " : "read, with warnings: ") + what, plain);
  for (const std::string& warning : warnings)
    out += wrapped("warning: " + warning, plain);
  return out;
}

} // namespace tandem::report
