// The settings that make SimGrid fluid and exact: no TCP factors, no cross-traffic, tight precision.
#include "engine/simgrid.h"

#include "base/error.h"

#include <simgrid/version.h>

#include <cstdlib>
#include <memory>
#include <vector>

namespace tandem::engine {

namespace {

const std::vector<std::pair<std::string, std::string>>& fluid_settings() {
  static const std::vector<std::pair<std::string, std::string>> list{
      {"network/model", "CM02"},     // no latency or bandwidth factors
      {"network/TCP-gamma", "0"},    // no TCP window
      {"network/crosstraffic", "0"}, // no share for acknowledgements
      {"surf/precision", "1e-12"},   // the default of 1e-9 merges events of ranks that start at different times
      {"contexts/stack-size", "64"}, // KiB
  };
  return list;
}

} // namespace

sg4::Engine& start_simgrid() {
  static std::unique_ptr<sg4::Engine> engine;
  if (engine)
    throw base::Bug("a second simulation in one process: SimGrid would go on with the first one's clock");
  std::vector<std::string> arguments{"tandem", "--log=root.thresh:critical"};
  for (const auto& [key, value] : fluid_settings())
    arguments.push_back("--cfg=" + key + ":" + value);
  // AddressSanitizer cannot follow raw contexts; its runs ask for others. Results do not depend on it.
  if (const char* factory = std::getenv("TANDEM_CONTEXT_FACTORY"))
    arguments.push_back(std::string("--cfg=contexts/factory:") + factory);
  std::vector<char*> argv;
  for (auto& argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(arguments.size());
  engine = std::make_unique<sg4::Engine>(&argc, argv.data());
  return *engine;
}

std::map<std::string, std::string> simgrid_settings() {
  int major = 0, minor = 0, patch = 0;
  sg_version_get(&major, &minor, &patch);
  std::map<std::string, std::string> result{
      {"simgrid", std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch)}};
  for (const auto& [key, value] : fluid_settings())
    result[key] = value;
  return result;
}

} // namespace tandem::engine
