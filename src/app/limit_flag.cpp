// The flag and its value.
#include "app/limit_flag.h"

#include "base/error.h"
#include "base/units.h"

namespace tandem::app {

void LimitFlag::add_to(CLI::App& command) {
  command
      .add_option(
          "--max-time", longest,
          "refuse a simulation that would take longer on one core, by an estimate that -v shows (default: 600s; "
          "0s: never)")
      ->type_name("TIME");
}

double LimitFlag::seconds() const {
  try {
    return base::parse_seconds(longest).value();
  } catch (const base::UserError& error) {
    throw base::UserError(std::string("--max-time: ") + error.what());
  }
}

} // namespace tandem::app
