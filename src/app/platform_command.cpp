// tandem platform: look at a platform file before it is used.
#include "app/commands.h"
#include "app/options.h"
#include "app/shipped_files.h"
#include "platform/platform.h"
#include "report/platform_report.h"

#include <filesystem>
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
  if (const auto shipped = shipped_folder("platforms/devices"); !shipped.empty())
    paths.push_back(shipped);
  return platform::read_cluster(flags.file, paths);
}

void add_verb(CLI::App& command, const std::string& verb, const std::string& help,
              std::string (*text)(const model::Cluster&)) {
  auto flags = std::make_shared<PlatformFlags>();
  auto* added = command.add_subcommand(verb, help);
  added->add_option("FILE", flags->file, "platform file (SimGrid XML)")->required();
  add_devices(*added, flags->devices);
  added->callback([added, flags, text] {
    (void)apply_environment(*added);
    print(text(read(*flags)));
  });
}

constexpr report::Layout LAYOUT{.width = 132};

} // namespace

void add_platform(CLI::App& app) {
  auto* command = app.add_subcommand("platform", "check a platform file, or show what it describes");
  command->require_subcommand(1);
  command->footer("Examples:\n"
                  "  tandem platform check platforms/t3-ring-8.xml\n"
                  "  tandem platform show platforms/h100-nvswitch-8.xml");
  add_verb(*command, "check", "read it, and say whether it can be used",
           [](const model::Cluster& cluster) { return report::platform_check(cluster, LAYOUT); });
  add_verb(*command, "show", "GPUs, links, routes and bandwidths",
           [](const model::Cluster& cluster) { return report::platform_show(cluster, LAYOUT); });
}

} // namespace tandem::app
