// The program's exit codes in words, for --help and the documentation.
#pragma once

#include "base/error.h"

#include <string>
#include <vector>

namespace tandem::app {

struct ExitCode {
  base::Exit code;
  std::string word;    ///< "bad input"
  std::string meaning; ///< one sentence
};

const std::vector<ExitCode>& exit_codes();

/// "Exit codes: 0 ok, 1 infeasible, ...".
std::string exit_codes_line();

} // namespace tandem::app
