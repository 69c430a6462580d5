// tandem platform: look at a platform file before it is used.
#include "app/commands.h"
#include "app/options.h"
#include "platform/platform.h"
#include "report/platform_report.h"

#include <filesystem>
#include <iostream>
#include <memory>

namespace tandem::app {

namespace {

struct PlatformFlags {
  std::string file;
  std::vector<std::string> devices;
};

model::Cluster read(const PlatformFlags& flags) {
  auto paths = flags.devices;
  paths.push_back((std::filesystem::path(flags.file).parent_path() / "devices").string());
  return platform::read_cluster(flags.file, paths);
}

CLI::App* add_verb(CLI::App& command, const std::string& verb, const std::string& help,
                   const std::function<void(const PlatformFlags&)>& run) {
  auto flags = std::make_shared<PlatformFlags>();
  auto* added = command.add_subcommand(verb, help);
  added->add_option("FILE", flags->file, "platform file (SimGrid XML)")->required();
  added->add_option("--devices", flags->devices, "device file, or folder of device files, to look in first; repeatable")
      ->type_name("PATH");
  added->callback([flags, run] { run(*flags); });
  return added;
}

} // namespace

void add_platform(CLI::App& app) {
  auto* command = app.add_subcommand("platform", "check a platform file, or show what it describes");
  command->require_subcommand(1);
  command->footer("Examples:\n  tandem platform check platforms/t3-ring-8.xml\n  tandem platform show "
                  "platforms/h100-nvswitch-8.xml");
  add_verb(*command, "check", "read it, and say whether it can be used",
           [](const PlatformFlags& flags) { std::cout << report::platform_check(read(flags), {.width = 132}); });
  add_verb(*command, "show", "GPUs, links, routes and bandwidths",
           [](const PlatformFlags& flags) { std::cout << report::platform_show(read(flags), {.width = 132}); });
}

} // namespace tandem::app
