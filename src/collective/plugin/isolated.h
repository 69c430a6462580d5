// Runs foreign code in a forked child, so that what goes wrong there is an error here.
#pragma once

#include "base/units.h"

#include <functional>
#include <string>

namespace tandem::collective {

/// Calls `task` in a child and returns what it returned. A UserError that it throws is thrown here again.
///
/// Throws UserError that says what became of the child: a signal that killed it, an exit of its own, an answer that is
/// none, no answer within `limit`. The child is then gone. What it prints goes to stderr; it reads nothing from stdin;
/// it does not outlive this process.
std::string run_isolated(const std::function<std::string()>& task, base::Seconds limit);

} // namespace tandem::collective
