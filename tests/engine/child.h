// Runs a simulation in a forked child: SimGrid keeps one clock per process, and a hang must not stop the tests.
#pragma once

#include "engine/play.h"

#include <functional>
#include <string>
#include <vector>

namespace tandem::test {

/// What `task` returned in a child. An exception in the child is thrown here again: UserError, Bug and Deadlock with
/// their type. A child that runs for more than `patience_s` is ended and throws runtime_error.
std::string in_child(const std::function<std::string()>& task, unsigned patience_s = 60);

/// engine::play() in a child. Settings are left out.
model::Recording played(const model::Cluster& cluster, const std::vector<const model::Schedule*>& sequence,
                        const engine::PlayOptions& options = {});
model::Recording played(const model::Cluster& cluster, const model::Schedule& schedule,
                        const engine::PlayOptions& options = {});

model::Recording played(const model::Cluster& cluster, const model::Job& job, const engine::PlayOptions& options);

/// All of a recording but the settings, bit by bit: two are the same if their bytes are.
std::string bytes_of(const model::Recording& recording);

} // namespace tandem::test
