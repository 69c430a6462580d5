// Flags that several commands share, and what is done with them.
#pragma once

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

/// -o and --format.
struct Output {
  std::string file = "-"; ///< "-": stdout
  std::string format;     ///< table, json, csv; empty: by the file's suffix, else table
  /// Adds the two flags.
  void add_to(CLI::App& command);
  [[nodiscard]] std::string chosen_format() const;
  /// Before a long run. Throws UserError.
  void check() const;
  void write(const std::string& text) const;
};

/// -q, -v: what goes to stderr.
struct Verbosity {
  bool quiet = false, verbose = false;
  void add_to(CLI::App& command);
  void apply() const;
};

/// Shows "12/128" on stderr while work runs, on a terminal only; ends the line at the end.
void show_progress(std::size_t done, std::size_t all);

std::string program_version();

} // namespace tandem::app
