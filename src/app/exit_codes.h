// The program's exit codes in words, for --help and the documentation.
#pragma once

#include "base/error.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace tandem::app {

struct ExitCode {
  base::Exit code;
  std::string word;    ///< "bad input"
  std::string meaning; ///< one sentence
};

const std::vector<ExitCode>& exit_codes();

/// A comparison with expected numbers failed; what it found is already written. Ends the program with exit 3.
class OutOfTolerance : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// "Exit codes: 0 ok, 1 infeasible, ...".
std::string exit_codes_line();

} // namespace tandem::app
