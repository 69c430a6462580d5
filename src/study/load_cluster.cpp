// Platform file, device files, and the user's values over them.
#include "study/load_cluster.h"

#include "base/digest.h"
#include "base/error.h"
#include "base/log.h"
#include "collective/strategy.h"
#include "platform/device_keys.h"
#include "platform/libraries.h"
#include "platform/platform.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace tandem::study {

namespace {

/// What a user who brings a device file may not expect: the platform's numbers take the place of the file's, and a file
/// that no GPU names is not used.
void warn_of_devices(const model::Cluster& cluster, const std::vector<std::string>& device_paths) {
  for (const auto* key : {"peak.fp16", "hbm_bandwidth"}) {
    const auto& sources = cluster.gpus.front().device->sources;
    const auto source = sources.find(key);
    if (source != sources.end() && source->second.starts_with("platform file"))
      base::log_warning(fmt::format("{}: its own {} takes the place of the one in {} (tandem platform show tells more)",
                                    cluster.file, key, cluster.gpus.front().device->file));
  }
  for (const auto& path : device_paths) {
    const bool used = std::any_of(cluster.gpus.begin(), cluster.gpus.end(),
                                  [&](const model::Gpu& gpu) { return gpu.device->file == path; });
    if (std::filesystem::is_regular_file(path) && !used)
      base::log_warning(
          fmt::format("--devices {}: no GPU of {} uses it; a GPU of device NAME reads NAME.yaml", path, cluster.file));
  }
}

/// Device files and folders in the order in which they are looked in, each once.
std::vector<std::string> device_paths(const std::string& platform, const MachineChoice& choice) {
  auto all = choice.paths;
  all.push_back((std::filesystem::path(platform).parent_path() / "devices").string());
  if (!choice.catalogue.empty())
    all.push_back(choice.catalogue);
  std::vector<std::string> paths;
  for (const auto& path : all)
    if (std::none_of(paths.begin(), paths.end(), [&](const std::string& known) {
          std::error_code ignored;
          return known == path || std::filesystem::equivalent(known, path, ignored);
        }))
      paths.push_back(path);
  return paths;
}

/// `choice` or, where it is empty, what the devices name. Libraries lie beside the folders of devices.
std::shared_ptr<const model::Library> library_of(const model::Cluster& cluster, const std::string& choice,
                                                 const std::vector<std::string>& paths) {
  if (std::filesystem::is_regular_file(choice))
    return platform::read_library(choice);
  const auto& name = choice.empty() ? cluster.gpus.front().device->library : choice;
  if (name.empty())
    return nullptr;
  std::vector<std::string> folders;
  for (const auto& path : paths)
    folders.push_back((std::filesystem::path(path).parent_path() / "libraries").string());
  return platform::find_library(name, folders);
}

} // namespace

model::Cluster read_machine(const std::string& path, const MachineChoice& choice) {
  auto cluster = platform::read_cluster(path, device_paths(path, choice), choice.platform_values);
  if (!choice.values.empty())
    cluster.edit_devices([&](model::Device& device) {
      for (const auto& [key, value] : choice.values)
        platform::set_device_key(device, key, value);
    });
  return cluster;
}

void require_gpus(const model::Cluster& cluster) {
  if (cluster.gpus.empty())
    throw base::UserError({.file = cluster.file}, "no GPU: no host has a <prop id=\"device\" value=\"...\"/>");
}

model::Cluster load_cluster(const std::string& path, const MachineChoice& choice) {
  auto cluster = read_machine(path, choice);
  base::log_info(fmt::format("{}: {} hosts, {} GPUs, {} links", path, cluster.hosts.size(), cluster.gpus.size(),
                             cluster.links.size()));
  require_gpus(cluster);
  warn_of_devices(cluster, choice.paths);
  cluster.library = library_of(cluster, choice.library, device_paths(path, choice));
  return cluster;
}

std::map<std::string, std::string> input_digests(const model::Cluster& cluster) {
  std::map<std::string, std::string> list{{cluster.file, base::digest_file(cluster.file)}};
  for (const auto& gpu : cluster.gpus)
    if (const auto& file = gpu.device->file; !file.empty() && !list.contains(file))
      list[file] = base::digest_file(file);
  if (cluster.library)
    list[cluster.library->file] = base::digest_file(cluster.library->file);
  return list;
}

CodecClaims codec_claims(const std::vector<std::string>& strategies) {
  CodecClaims claims;
  for (const auto& text : strategies) {
    const auto selection = collective::select_strategy(text);
    if (!selection.error.empty())
      claims.errors["error/" + text] = selection.error;
    for (const auto& name : selection.assumed)
      if (std::find(claims.assumed.begin(), claims.assumed.end(), name) == claims.assumed.end())
        claims.assumed.push_back(name);
  }
  return claims;
}

std::map<std::string, std::string> strategy_digests(const std::vector<std::string>& strategies) {
  std::map<std::string, std::string> list;
  for (const auto& strategy : strategies)
    if (const auto file = collective::select_strategy(strategy).file; !file.empty())
      list[file] = base::digest_file(file);
  return list;
}

} // namespace tandem::study
