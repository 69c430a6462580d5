// The explicit table of built-in strategies, and the reader of `name:key=value`.
#include "collective/msccl/strategy.h"
#include "collective/strategies/strategies.h"
#include "collective/strategy.h"

#include "base/error.h"

#include <algorithm>
#include <string_view>

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

/// Where the file's name ends in "algorithm.xml" or "algorithm.xml:sms=2"; npos: no file is named.
std::size_t end_of_file_name(const std::string& text) {
  constexpr std::string_view SUFFIX = ".xml";
  if (text.ends_with(SUFFIX))
    return text.size();
  const auto at = text.find(std::string(SUFFIX) + ':');
  return at == std::string::npos ? at : at + SUFFIX.size();
}

/// `assignments`: key=value texts, the values of parameters.
Parameters read_parameters(const StrategyInfo& info, const std::vector<std::string>& assignments) {
  Parameters parameters;
  for (const auto& assignment : assignments)
    set_parameter(info, assignment, parameters);
  for (const auto& parameter : info.parameters)
    parameters.try_emplace(parameter.name, parameter.fallback);
  return parameters;
}

Selection select_file(const std::string& text, std::size_t end) {
  const auto info = msccl::file_strategy(text.substr(0, end));
  const auto parameters =
      read_parameters(info, end == text.size() ? std::vector<std::string>{} : split(text.substr(end + 1), ':'));
  return {text, info.name, parameters, info.make(parameters), info.name};
}

} // namespace

Selection select_strategy(const std::string& text) {
  if (const auto end = end_of_file_name(text); end != std::string::npos)
    return select_file(text, end);
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
  const auto parameters = read_parameters(*info, {parts.begin() + 1, parts.end()});
  try {
    return {text, info->name, parameters, info->make(parameters), {}};
  } catch (const base::UserError& error) {
    throw base::UserError("strategy " + info->name + ": " + error.what());
  }
}

} // namespace tandem::collective
