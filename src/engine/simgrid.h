// SimGrid as the engine uses it: the headers, the settings, and the place for differences between its versions.
#pragma once

#include <simgrid/s4u.hpp>
#include <simgrid/simix.hpp>

#include <map>
#include <string>

namespace tandem::engine {

namespace sg4 = simgrid::s4u;

/// Creates the process's one Engine with the settings below. Throws Bug when called twice.
sg4::Engine& start_simgrid();

/// How fast an execution may run, in the host's unit per second (0: no limit), and its weight against others.
struct Pace {
  double bound = 0.0;
  double priority = 1.0;
};

/// Starts an execution on `host`. Each of SimGrid's own setters and start() would suspend the actor, where others may
/// run; this does so once. this_actor::exec_init() would put it on the actor's host first, too.
inline sg4::ExecPtr start_exec(sg4::Host* host, double amount, const Pace& pace = {}) {
  auto exec = sg4::Exec::init();
  simgrid::kernel::actor::simcall_answered([&] {
    exec->set_flops_amount(amount)->set_host(host);
    if (pace.priority != 1.0)
      exec->set_priority(pace.priority);
    if (pace.bound > 0.0)
      exec->set_bound(pace.bound);
    exec->start();
  });
  return exec;
}

/// Whether a started execution has ended. Exec::get_remaining() would suspend the actor; Activity's own does not, and
/// is 0 from the end on. (Of a message it is 0 before the two ends meet, too.)
inline bool is_over(const sg4::Exec& started) {
  return started.get_state() == sg4::Activity::State::FINISHED || started.sg4::Activity::get_remaining() <= 0.0;
}

/// SimGrid's version and every setting that start_simgrid() changes, for the result file.
std::map<std::string, std::string> simgrid_settings();

} // namespace tandem::engine
