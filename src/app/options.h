// Flags that several commands share, and what is done with them.
#pragma once

#include "app/environment.h"
#include "base/error.h"

#include <CLI/CLI.hpp>

#include <map>
#include <string>
#include <vector>

namespace tandem::app {

/// --set and --only: `key=value`, repeated.
using Assignments = std::map<std::string, std::string>;

/// Throws UserError: no '=', a key given twice.
Assignments read_assignments(const std::string& flag, const std::vector<std::string>& texts);

/// What `read` makes of the value of `flag`. Readers throw UserError, which does not know the flag: it is put before.
template <class Read> auto value_of_flag(const std::string& flag, const Read& read) {
  try {
    return read();
  } catch (const base::UserError& error) {
    throw base::UserError(flag + ": " + error.what());
  }
}

/// Checks of a flag's value, with the messages of base/units.h.
CLI::Validator whole_number(long long minimum, long long maximum);
CLI::Validator not_empty();
/// `kind`: what the words are; the flag is named before it.
CLI::Validator one_of(const std::string& kind, const std::vector<std::string>& allowed);

/// A flag without a value.
CLI::Option* add_switch(CLI::App& command, const std::string& flag, bool& value, const std::string& help);

/// A flag that may be given several times, with one value each time.
CLI::Option* add_repeatable(CLI::App& command, const std::string& flag, std::vector<std::string>& values,
                            const std::string& help);

/// -j.
void add_jobs(CLI::App& command, int& jobs);

/// -o and --format.
struct Output {
  std::string file = "-"; ///< "-": stdout
  std::string format;     ///< table, json, csv; empty: by the file's suffix, else table
  /// Adds the two flags.
  void add_to(CLI::App& command);
  /// The format, and what decided it. The suffix of -o is a flag's word, and beats the environment's.
  struct Choice {
    std::string format, origin;
  };
  [[nodiscard]] Choice choose(const Origins& origins) const;
  void write(const std::string& text) const;
};

/// To stdout. Throws UserError when it cannot be written to its end.
void print(const std::string& text);

/// -q, -v: what goes to stderr.
struct Verbosity {
  bool quiet = false, verbose = false;
  void add_to(CLI::App& command);
  void apply() const;
};

std::string program_version();

} // namespace tandem::app
