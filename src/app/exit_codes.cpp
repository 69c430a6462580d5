// One row per exit code.
#include "app/exit_codes.h"

#include <fmt/format.h>

namespace tandem::app {

const std::vector<ExitCode>& exit_codes() {
  using base::Exit;
  static const std::vector<ExitCode> codes = {
      {Exit::OK, "ok", "the result is complete"},
      {Exit::INFEASIBLE, "infeasible",
       "the input is sound, but has no answer: a strategy that cannot run on this device, too few GPUs; the message "
       "says why"},
      {Exit::BAD_INPUT, "bad input",
       "a file, a flag or a variable is wrong; the message says where, what was found and what is allowed"},
      {Exit::OUT_OF_TOLERANCE, "outside a tolerance", "a comparison with expected numbers failed"},
      {Exit::BUG, "a bug of Tandem's", "an internal check failed; please report it"},
      {Exit::INTERRUPTED, "interrupted",
       "SIGINT (Ctrl-C); what had been simulated is written and marked as interrupted"},
  };
  return codes;
}

std::string exit_codes_line() {
  std::string text = "Exit codes: ";
  for (const auto& row : exit_codes())
    text += fmt::format("{}{} {}", &row == exit_codes().data() ? "" : ", ", static_cast<int>(row.code), row.word);
  return text + ".";
}

} // namespace tandem::app
