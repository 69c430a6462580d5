// Environment variables that stand in for flags, and where the value of each flag comes from.
#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <string>
#include <vector>

namespace tandem::app {

/// A variable that the program reads. There are no others: an unknown TANDEM_* is an error.
struct Variable {
  std::string name;
  std::string flag; ///< "--jobs"; empty: no flag has its meaning
  std::string help;
  std::vector<std::string> allowed; ///< of a variable without a flag
};

/// In the order of the documentation.
const std::vector<Variable>& variables();

/// Where the value of each flag of one command comes from.
class Origins {
public:
  void set(const std::string& flag, const std::string& origin) { origins_[flag] = origin; }
  /// "flag", "environment: TANDEM_JOBS" or "default".
  [[nodiscard]] std::string of(const std::string& flag) const;
  [[nodiscard]] bool given(const std::string& flag) const { return origins_.contains(flag); }

private:
  std::map<std::string, std::string> origins_;
};

/// Gives the flags of `command` that were not on the command line the values of their variables; call first in the
/// command's callback. An empty variable counts as absent. Throws UserError that names the variable: a bad value, or a
/// TANDEM_* that is not known.
Origins apply_environment(CLI::App& command);

} // namespace tandem::app
