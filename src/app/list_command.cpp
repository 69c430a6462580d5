// tandem list: what there is to choose from.
#include "app/commands.h"
#include "app/options.h"
#include "collective/strategy.h"
#include "platform/device_keys.h"
#include "platform/devices.h"
#include "report/device_report.h"
#include "report/table.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

namespace tandem::app {

namespace {

void list_strategies() {
  for (const auto& info : collective::strategies()) {
    std::cout << info.name << "\n    " << info.summary << '\n';
    for (const auto& parameter : info.parameters)
      std::cout << "    :" << parameter.name << '=' << parameter.fallback << "  " << parameter.help << '\n';
  }
}

/// YAML files of a folder, sorted.
std::vector<std::string> files_in(const std::string& folder, const std::string& suffix) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == suffix)
      files.push_back(entry.path().string());
  if (error)
    throw base::UserError({.file = folder}, "cannot be listed: " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

void list_devices(const std::string& folder) {
  std::vector<model::Device> devices;
  for (const auto& file : files_in(folder, ".yaml"))
    devices.push_back(platform::read_device(file));
  std::cout << report::device_table(devices, {.width = 132});
}

void list_device_keys() {
  for (const auto& key : platform::device_keys())
    std::cout << key.name << "  (" << key.unit
              << (key.required                ? ", required"
                  : key.default_value.empty() ? ""
                                              : ", default " + key.default_value)
              << ")\n    " << key.help << '\n';
}

} // namespace

void add_list(CLI::App& app) {
  auto* command = app.add_subcommand("list", "what there is to choose from: strategies, devices, device keys");
  command->require_subcommand(1);
  command->footer("Examples:\n  tandem list strategies\n  tandem list devices\n  tandem list devices --in my-devices\n "
                  " tandem list device-keys");
  command->add_subcommand("strategies", "collective strategies and their parameters")->callback(list_strategies);
  auto* devices = command->add_subcommand("devices", "device files and their numbers, with what is assumed");
  auto folder = std::make_shared<std::string>("platforms/devices");
  devices->add_option("--in", *folder, "folder of device files (default: platforms/devices)")->type_name("DIR");
  devices->callback([folder] { list_devices(*folder); });
  command->add_subcommand("device-keys", "keys of a device file and of --set device.KEY")->callback(list_device_keys);
}

} // namespace tandem::app
