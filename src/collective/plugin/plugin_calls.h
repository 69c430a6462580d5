// The calls into a plugin's shared object. All run foreign code: in a forked child only.
#pragma once

#include "collective/strategy.h"

#include <string>
#include <vector>

namespace tandem::collective {

/// What a plugin says of itself.
struct PluginDescription {
  std::string name, summary;
  std::vector<Parameter> parameters;
};

/// Each loads the shared object and throws UserError for what is wrong with it or its answer.
PluginDescription call_describe(const std::string& file);
std::string call_why_not(const std::string& file, const Parameters& parameters, const Request& request,
                         const model::Cluster& cluster);
model::Schedule call_plan(const std::string& file, const Parameters& parameters, const Request& request,
                          const model::Cluster& cluster);

} // namespace tandem::collective
