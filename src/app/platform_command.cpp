// tandem platform: look at a platform file before it is used.
#include "app/commands.h"
#include "app/machine_flags.h"
#include "app/options.h"
#include "report/platform_report.h"
#include "study/load_cluster.h"

#include <memory>

namespace tandem::app {

namespace {

struct PlatformFlags {
  std::string file;
  MachineFlags machine;
};

void add_verb(CLI::App& command, const std::string& verb, const std::string& help,
              std::string (*text)(const model::Cluster&)) {
  auto flags = std::make_shared<PlatformFlags>();
  auto* added = command.add_subcommand(verb, help);
  added->add_option("FILE", flags->file, "platform file (SimGrid XML)")->required();
  flags->machine.add_to(*added);
  added->callback([added, flags, text] {
    (void)apply_environment(*added);
    print(text(study::read_machine(flags->file, flags->machine.choice())));
  });
}

constexpr report::Layout LAYOUT{.width = 132};

} // namespace

void add_platform(CLI::App& app) {
  auto* command = app.add_subcommand("platform", "check a platform file, or show what it describes");
  command->require_subcommand(1);
  command->footer("Examples:\n"
                  "  tandem platform check platforms/t3-ring-8.xml\n"
                  "  tandem platform show platforms/dgx-h100.xml\n"
                  "  tandem platform show platforms/dgx-h100.xml --nodes 16\n"
                  "  tandem platform check platforms/aws-p4d.xml --nodes 5 --set platform.routing=ecmp");
  add_verb(*command, "check", "read it, and say whether it can be used", [](const model::Cluster& cluster) {
    study::require_gpus(cluster);
    return report::platform_check(cluster, LAYOUT);
  });
  add_verb(*command, "show", "GPUs, links, routes and bandwidths",
           [](const model::Cluster& cluster) { return report::platform_show(cluster, LAYOUT); });
}

} // namespace tandem::app
