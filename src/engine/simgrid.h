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

/// Whether a started execution has ended. Exec::get_remaining() would suspend the actor; Activity's own does not, and
/// is 0 from the end on. (Of a message it is 0 before the two ends meet, too.)
inline bool is_over(const sg4::Exec& started) {
  return started.get_state() == sg4::Activity::State::FINISHED || started.sg4::Activity::get_remaining() <= 0.0;
}

/// SimGrid's version and every setting that start_simgrid() changes, for the result file.
std::map<std::string, std::string> simgrid_settings();

} // namespace tandem::engine
