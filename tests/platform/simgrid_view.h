// A platform as text, once as SimGrid loads it and once as Tandem reads it: hosts, links, and the routes of all pairs
// of hosts.
#pragma once

#include <string>

namespace tandem::platform {

/// As libsimgrid loads the file, in a process of its own (one Engine per process). `failed` when SimGrid aborts or
/// hangs.
struct SimgridView {
  std::string text;
  bool failed = false;
};
SimgridView simgrid_view(const std::string& path);

/// As read_cluster() reads it, in the same notation. `devices` are its search paths.
std::string tandem_view(const std::string& path, const std::string& devices);

} // namespace tandem::platform
