// SimGrid as the engine uses it: the headers, the settings, and the place for differences between its versions.
#pragma once

#include <simgrid/s4u.hpp>

#include <map>
#include <string>

namespace tandem::engine {

namespace sg4 = simgrid::s4u;

/// Creates the process's one Engine with the settings below. Throws Bug when called twice.
sg4::Engine& start_simgrid();

/// SimGrid's version and every setting that start_simgrid() changes, for the result file.
std::map<std::string, std::string> simgrid_settings();

} // namespace tandem::engine
