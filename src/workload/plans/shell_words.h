// The words of a shell script: comments, quotes, continued lines, variables and arrays, as far as lists of arguments
// need them.
#pragma once

#include "base/error.h"

#include <string>
#include <vector>

namespace tandem::workload {

struct ShellWord {
  std::string text; ///< without its quotes, and with the variables that the script has set; others stay "$NAME"
  base::Location where;
};

/// All words but assignments, whose values stand where their variables are used: NAME=value, NAME=( words ), $NAME,
/// ${NAME}, ${NAME[@]}, ${NAME:-value}. A variable that is never used, as an array of arguments that another file's
/// command takes, gives its words at its place in the file. Throws UserError with the place of a quote or a bracket
/// without its end.
std::vector<ShellWord> shell_words(const std::string& text, const std::string& file);

} // namespace tandem::workload
