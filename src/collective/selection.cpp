// Names and assignments.
#include "collective/selection.h"

#include "base/text.h"

namespace tandem::collective {

std::pair<std::string, std::vector<std::string>> split_selection(const std::string& text) {
  auto parts = base::split(text, ':');
  const auto name = parts.front();
  parts.erase(parts.begin());
  return {name, std::move(parts)};
}

bool gives(const std::vector<std::string>& assignments, const std::string& parameter) {
  return std::any_of(assignments.begin(), assignments.end(),
                     [&](const std::string& text) { return text.starts_with(parameter + "="); });
}

Parameters read_parameters(const std::string& who, const std::vector<Parameter>& parameters,
                           const std::vector<std::string>& assignments) {
  std::vector<std::string> known;
  for (const auto& parameter : parameters)
    known.push_back(parameter.name);
  Parameters values;
  for (const auto& assignment : assignments) {
    const auto equals = assignment.find('=');
    if (equals == std::string::npos)
      throw base::UserError(who + ": " + base::in_quotes(assignment) + " is not key=value");
    const auto key = assignment.substr(0, equals);
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw base::UserError(who + ": " +
                            (known.empty() ? "it has no parameters, found " + base::in_quotes(key)
                                           : base::unknown_word("parameter", key, known)));
    if (!values.emplace(key, assignment.substr(equals + 1)).second)
      throw base::UserError(who + ": parameter " + key + " is given twice");
  }
  for (const auto& parameter : parameters)
    values.try_emplace(parameter.name, parameter.fallback);
  return values;
}

} // namespace tandem::collective
