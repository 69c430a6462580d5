// Strategies of users' own: a shared object that speaks collective/plugin/tandem_plugin.h.
#pragma once

#include "collective/strategy.h"

#include <string>
#include <vector>

namespace tandem::collective {

/// What every plugin's strategy takes beside the plugin's own parameters.
Parameter time_limit_of_plugin();

/// The plugin in `file` as an entry of the table. `limit`: text of the time limit for describing it.
///
/// Throws UserError that names the file: it is absent, no shared object, no plugin, of another version, or it crashes,
/// hangs or answers nonsense. The strategy's why_not() and plan() throw the same; a plan is proven before it is
/// returned.
StrategyInfo plugin_strategy(const std::string& file, const std::string& limit);

} // namespace tandem::collective
