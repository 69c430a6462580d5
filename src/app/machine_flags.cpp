// Keys of --set against the tables of device keys and of a cluster's properties.
#include "app/machine_flags.h"

#include "app/shipped_files.h"
#include "base/error.h"
#include "platform/device_keys.h"
#include "platform/platform.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace tandem::app {

namespace {

constexpr std::string_view DEVICE = "device.", PLATFORM = "platform.";
constexpr int MOST_NODES = 1'000'000;

} // namespace

std::vector<std::string> machine_keys() {
  std::vector<std::string> known;
  for (const auto& row : platform::device_keys())
    known.push_back(fmt::format("{}{}", DEVICE, row.name));
  for (const auto& name : platform::cluster_property_names())
    known.push_back(fmt::format("{}{}", PLATFORM, name));
  return known;
}

void MachineFlags::add_to(CLI::App& command) {
  add_repeatable(command, "--devices", devices, "device file, or folder of device files, to look in first")
      ->type_name("PATH");
  command
      .add_option("--library", library,
                  "communication library, a name or a file, in place of the one that the GPUs name")
      ->type_name("NAME")
      ->check(not_empty());
  command.add_option("--nodes", nodes, "nodes of a cluster (default: 0, as the platform file says)")
      ->type_name("N")
      ->check(whole_number(0, MOST_NODES));
  add_repeatable(command, "--set", set,
                 "device.KEY=VALUE over the device file of every GPU, or platform.KEY=VALUE over a property of a "
                 "cluster's root zone, as platform.routing=ecmp")
      ->type_name("K=V");
}

study::MachineChoice MachineFlags::choice() const {
  for (const auto& path : devices)
    if (std::error_code ignored; !std::filesystem::is_directory(path, ignored) &&
                                 (!path.ends_with(".yaml") || !std::filesystem::exists(path, ignored)))
      throw base::UserError(
          fmt::format("--devices: {} is no device file (.yaml) and no folder", base::in_quotes(path)));
  study::MachineChoice choice{devices, shipped_folder("platforms/devices"), {}, {}, library};
  const auto known = machine_keys();
  for (const auto& [key, value] : read_assignments("--set", set)) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      const auto near = base::nearest(key, known);
      throw base::UserError(fmt::format("--set: unknown key {}{}; allowed: device.KEY with a KEY of `tandem list "
                                        "device-keys`, platform.KEY with a property of a cluster's root zone "
                                        "(docs/inputs.md)",
                                        base::in_quotes(key),
                                        near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
    }
    if (key.starts_with(DEVICE))
      choice.values[key.substr(DEVICE.size())] = value;
    else
      choice.platform_values[key.substr(PLATFORM.size())] = value;
  }
  if (nodes > 0) {
    if (choice.platform_values.contains("nodes"))
      throw base::UserError("--nodes and --set platform.nodes say the same thing; give one");
    choice.platform_values["nodes"] = std::to_string(nodes);
  }
  return choice;
}

Assignments MachineFlags::settings() const {
  Assignments result;
  for (const auto& [key, value] : read_assignments("--set", set))
    result["set/" + key] = value;
  if (nodes > 0)
    result["nodes"] = std::to_string(nodes);
  if (!library.empty())
    result["library"] = library;
  return result;
}

} // namespace tandem::app
