// The explicit table of built-in strategies, and the reader of `name:key=value`, where a name may be a file's.
#include "collective/msccl/strategy.h"
#include "collective/plugin/plugin_strategy.h"
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

/// `who`: what messages call the strategy.
void set_parameter(const StrategyInfo& info, const std::string& who, const std::string& assignment, Parameters& given) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos)
    throw base::UserError(who + ": " + base::in_quotes(assignment) + " is not key=value");
  const auto key = assignment.substr(0, equals);
  std::vector<std::string> known;
  for (const auto& parameter : info.parameters)
    known.push_back(parameter.name);
  if (std::find(known.begin(), known.end(), key) == known.end())
    throw base::UserError(who + ": " +
                          (known.empty() ? "it has no parameters, found " + base::in_quotes(key)
                                         : base::unknown_word("parameter", key, known)));
  if (!given.emplace(key, assignment.substr(equals + 1)).second)
    throw base::UserError(who + ": parameter " + key + " is given twice");
}

const StrategyInfo& built_in(const std::string& name) {
  const auto& table = strategies();
  const auto info =
      std::find_if(table.begin(), table.end(), [&](const StrategyInfo& entry) { return entry.name == name; });
  if (info != table.end())
    return *info;
  std::vector<std::string> names;
  for (const auto& entry : table)
    names.push_back(entry.name);
  throw base::UserError(base::unknown_word("strategy", name, names));
}

/// The time limit that is given, which holds for the description too; else the default.
std::string time_limit(const std::vector<std::string>& assignments) {
  const auto parameter = time_limit_of_plugin();
  for (const auto& assignment : assignments)
    if (assignment.starts_with(parameter.name + "="))
      return assignment.substr(parameter.name.size() + 1);
  return parameter.fallback;
}

/// `assignments`: what comes after the name, as key=value. `file`: that describes the strategy.
Selection select(const StrategyInfo& info, const std::string& who, const std::string& text,
                 const std::vector<std::string>& assignments, const std::string& file) {
  Parameters parameters;
  for (const auto& assignment : assignments)
    set_parameter(info, who, assignment, parameters);
  for (const auto& parameter : info.parameters)
    parameters.try_emplace(parameter.name, parameter.fallback);
  try {
    return {text, info.name, parameters, info.make(parameters), file};
  } catch (const base::UserError& error) {
    throw base::UserError(who + ": " + error.what());
  }
}

/// The file that the text begins with; empty: its name does not end so.
std::string named_file(const std::string& text, std::string_view suffix) {
  for (auto at = text.find(suffix); at != std::string::npos; at = text.find(suffix, at + 1)) {
    const auto end = at + suffix.size();
    if (end == text.size() || text[end] == ':')
      return text.substr(0, end);
  }
  return {};
}

/// What comes after the name.
std::vector<std::string> assignments_after(const std::string& name, const std::string& text) {
  auto assignments = split(text.substr(name.size()), ':');
  assignments.erase(assignments.begin()); // what stands before the first colon: nothing
  return assignments;
}

} // namespace

std::string plugin_file(const std::string& text) {
  return named_file(text, ".so");
}

Selection select_strategy(const std::string& text) {
  if (const auto file = plugin_file(text); !file.empty()) {
    const auto assignments = assignments_after(file, text);
    return select(plugin_strategy(file, time_limit(assignments)), "plugin " + file, text, assignments, file);
  }
  if (const auto file = named_file(text, ".xml"); !file.empty())
    return select(msccl::file_strategy(file), "strategy " + file, text, assignments_after(file, text), file);
  const auto name = text.substr(0, text.find(':'));
  const auto& info = built_in(name);
  return select(info, "strategy " + name, text, assignments_after(name, text), {});
}

} // namespace tandem::collective
