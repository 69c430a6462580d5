// SimGrid as the engine uses it: the headers, the settings, and the place for differences between its versions.
#pragma once

#include <simgrid/s4u.hpp>

#include <map>
#include <string>

namespace tandem::engine {

namespace sg4 = simgrid::s4u;

/// Creates the process's one Engine with the settings below. Throws Bug when called twice.
sg4::Engine& start_simgrid();

/// An execution on `host`, not started. this_actor::exec_init() would put it on the actor's host first, and every such
/// call suspends the actor once.
inline sg4::ExecPtr exec_on(sg4::Host* host, double amount) {
  return sg4::Exec::init()->set_flops_amount(amount)->set_host(host);
}

/// SimGrid's version and every setting that start_simgrid() changes, for the result file.
std::map<std::string, std::string> simgrid_settings();

} // namespace tandem::engine
