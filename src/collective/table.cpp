// The explicit table of built-in strategies, and the reader of `name:key=value`, where a name may be a file's, and of
// `...+codec`.
#include "collective/codec.h"
#include "collective/compressed_strategy.h"
#include "collective/msccl/strategy.h"
#include "collective/plugin/plugin_strategy.h"
#include "collective/selection.h"
#include "collective/strategies/strategies.h"
#include "collective/strategy.h"

#include "base/error.h"

#include <algorithm>
#include <string_view>
#include <utility>

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
  Selection selection{text, info.name, read_parameters(who, info.parameters, assignments), nullptr, file};
  for (const auto& parameter : info.parameters)
    if (gives(assignments, parameter.name))
      selection.given.push_back(parameter.name);
  try {
    selection.strategy = info.make(selection.parameters);
  } catch (const base::UserError& error) {
    const std::string message = error.what(); // which may begin with a place in the file
    throw base::UserError(!file.empty() && message.starts_with(file) ? message : who + ": " + message);
  }
  return selection;
}

/// The file that the text begins with; empty: its name does not end so.
std::string named_file(const std::string& text, std::string_view suffix) {
  for (auto at = text.find(suffix); at != std::string::npos; at = text.find(suffix, at + 1)) {
    const auto end = at + suffix.size();
    if (end == text.size() || text[end] == ':' || text[end] == '+')
      return text.substr(0, end);
  }
  return {};
}

std::string algorithm_file(const std::string& text) {
  return named_file(text, ".xml");
}

/// A strategy without a codec.
Selection select_bare(const std::string& text) {
  if (const auto file = plugin_file(text); !file.empty()) {
    const auto assignments = split_selection(text.substr(file.size())).second;
    return select(plugin_strategy(file, time_limit(assignments)), "plugin " + file, text, assignments, file);
  }
  if (const auto file = algorithm_file(text); !file.empty())
    return select(msccl::file_strategy(file), "strategy " + file, text,
                  split_selection(text.substr(file.size())).second, file);
  const auto [name, assignments] = split_selection(text);
  return select(entry_named("strategy", name, strategies()), "strategy " + name, text, assignments, {});
}

} // namespace

std::string plugin_file(const std::string& text) {
  return named_file(text, ".so");
}

Selection select_strategy(const std::string& text) {
  const auto plus = text.find('+', std::max(plugin_file(text).size(), algorithm_file(text).size()));
  auto selection = select_bare(text.substr(0, plus));
  if (plus == std::string::npos)
    return selection;
  selection = with_codec(std::move(selection), select_codec(text.substr(plus + 1)));
  selection.text = text;
  return selection;
}

} // namespace tandem::collective
