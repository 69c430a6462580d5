// The table of variables, and how they reach the flags. CLI11's own reading of variables would fail commands for
// variables of other commands' flags, and does not name the variable.
#include "app/environment.h"

#include "base/error.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace tandem::app {

namespace {

constexpr const char* PREFIX = "TANDEM_";

/// Value of a variable; empty when it is not set.
std::string value_of(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

/// Every variable with our prefix must be one of the table.
void check_names() {
  std::vector<std::string> known;
  for (const auto& variable : variables())
    known.push_back(variable.name);
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const auto name = text.substr(0, text.find('='));
    if (name.starts_with(PREFIX) && std::find(known.begin(), known.end(), name) == known.end())
      throw base::UserError(base::unknown_word("environment variable", name, known));
  }
}

void check_words() {
  for (const auto& variable : variables()) {
    const auto value = value_of(variable.name);
    const auto& allowed = variable.allowed;
    if (!value.empty() && !allowed.empty() && std::find(allowed.begin(), allowed.end(), value) == allowed.end())
      throw base::UserError(variable.name + ": " + base::unknown_word("word", value, allowed));
  }
}

} // namespace

const std::vector<Variable>& variables() {
  static const std::vector<Variable> table = {
      {"TANDEM_DEVICES", "--devices", "as the flag: one device file or folder of device files", {}},
      {"TANDEM_FORMAT", "--format", "as the flag: table, json or csv", {}},
      {"TANDEM_JOBS", "--jobs", "as the flag: simulations at a time", {}},
      {"TANDEM_PLATFORM", "--platform", "as the flag: the platform file of all cases", {}},
      {"TANDEM_SEED", "--seed", "as the flag: seed of everything random", {}},
      {"TANDEM_CONTEXT_FACTORY",
       "",
       "how SimGrid runs the actors; results do not depend on it, and AddressSanitizer needs ucontext or thread",
       {"raw", "ucontext", "boost", "thread"}},
  };
  return table;
}

std::string Origins::of(const std::string& flag) const {
  const auto found = origins_.find(flag);
  return found == origins_.end() ? "default" : found->second;
}

Origins apply_environment(CLI::App& command) {
  check_names();
  check_words();
  Origins origins;
  for (CLI::Option* option : command.get_options()) {
    const auto flag = option->get_name();
    if (option->count() > 0) {
      origins.set(flag, "flag");
      continue;
    }
    const auto variable =
        std::find_if(variables().begin(), variables().end(), [&](const Variable& row) { return row.flag == flag; });
    if (variable == variables().end())
      continue;
    const auto value = value_of(variable->name);
    if (value.empty())
      continue;
    try {
      option->add_result(value);
      option->run_callback();
    } catch (const CLI::ParseError& error) {
      throw base::UserError(variable->name + ", which stands in for " + error.what());
    }
    origins.set(flag, "environment: " + variable->name);
  }
  return origins;
}

} // namespace tandem::app
