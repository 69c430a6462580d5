// What `name:key=value:key=value` has in common, whatever the table that the name is looked for in.
#pragma once

#include "base/error.h"
#include "collective/strategy.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tandem::collective {

/// The name, and what comes after it between colons.
std::pair<std::string, std::vector<std::string>> split_selection(const std::string& text);

/// Some assignment gives the parameter a value.
bool gives(const std::vector<std::string>& assignments, const std::string& parameter);

/// The values of all `parameters`, given or default. `who`: what messages begin with. Throws UserError: an unknown key
/// with the nearest match, a key given twice, no key=value.
Parameters read_parameters(const std::string& who, const std::vector<Parameter>& parameters,
                           const std::vector<std::string>& assignments);

/// The entry of that name. Throws UserError with the nearest match.
template <class Entry>
const Entry& entry_named(const std::string& kind, const std::string& name, const std::vector<Entry>& table) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Entry& entry) { return entry.name == name; });
  if (found != table.end())
    return *found;
  std::vector<std::string> names;
  for (const auto& entry : table)
    names.push_back(entry.name);
  throw base::UserError(base::unknown_word(kind, name, names));
}

} // namespace tandem::collective
