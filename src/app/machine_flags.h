// Flags that choose and change the machine: --devices, --library, --nodes, --set device.KEY and --set platform.KEY.
#pragma once

#include "app/options.h"
#include "study/load_cluster.h"

#include <string>
#include <vector>

namespace tandem::app {

struct MachineFlags {
  std::vector<std::string> devices, set;
  std::string library;
  int nodes = 0; ///< 0: as the platform file says
  void add_to(CLI::App& command);
  /// With the program's own catalogue. Throws UserError on a key that nobody knows, with the nearest one.
  [[nodiscard]] study::MachineChoice choice() const;
  /// What the flags change, for a result's settings.
  [[nodiscard]] Assignments settings() const;
};

/// Every key that --set knows.
std::vector<std::string> machine_keys();

} // namespace tandem::app
