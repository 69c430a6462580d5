// The explicit table of built-in strategies, and the reader of `name:key=value`.
#include "collective/strategies/strategies.h"
#include "collective/strategy.h"

#include "base/error.h"

#include <algorithm>

namespace tandem::collective {

const std::vector<StrategyInfo>& strategies() {
  static const std::vector<StrategyInfo> table{
#define STRATEGY(name) name##_strategy(),
#include "collective/strategies/table.inc"
#undef STRATEGY
  };
  return table;
}

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const auto end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos)
      return parts;
    begin = end + 1;
  }
}

void set_parameter(const StrategyInfo& info, const std::string& assignment, Parameters& given) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos)
    throw base::UserError("strategy " + info.name + ": " + base::in_quotes(assignment) + " is not key=value");
  const auto key = assignment.substr(0, equals);
  std::vector<std::string> known;
  for (const auto& parameter : info.parameters)
    known.push_back(parameter.name);
  if (std::find(known.begin(), known.end(), key) == known.end())
    throw base::UserError("strategy " + info.name + ": " +
                          (known.empty() ? "it has no parameters, found " + base::in_quotes(key)
                                         : base::unknown_word("parameter", key, known)));
  if (!given.emplace(key, assignment.substr(equals + 1)).second)
    throw base::UserError("strategy " + info.name + ": parameter " + key + " is given twice");
}

} // namespace

Selection select_strategy(const std::string& text) {
  const auto parts = split(text, ':');
  const auto& table = strategies();
  const auto info =
      std::find_if(table.begin(), table.end(), [&](const StrategyInfo& entry) { return entry.name == parts.front(); });
  if (info == table.end()) {
    std::vector<std::string> names;
    for (const auto& entry : table)
      names.push_back(entry.name);
    throw base::UserError(base::unknown_word("strategy", parts.front(), names));
  }
  Parameters parameters;
  for (std::size_t part = 1; part < parts.size(); ++part)
    set_parameter(*info, parts[part], parameters);
  for (const auto& parameter : info->parameters)
    parameters.try_emplace(parameter.name, parameter.fallback);
  try {
    return {text, info->name, parameters, info->make(parameters)};
  } catch (const base::UserError& error) {
    throw base::UserError("strategy " + info->name + ": " + error.what());
  }
}

} // namespace tandem::collective
