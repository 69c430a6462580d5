// The flags and their values.
#include "app/limit_flags.h"

#include "base/error.h"
#include "base/units.h"

#include <unistd.h>

namespace tandem::app {

namespace {

double memory_of_machine() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// `parse` throws UserError, which does not know the flag.
template <class Parse> double value_of(const char* flag, const std::string& text, Parse parse) {
  try {
    return parse(text).value();
  } catch (const base::UserError& error) {
    throw base::UserError(std::string(flag) + ": " + error.what());
  }
}

} // namespace

void LimitFlags::add_to(CLI::App& command) {
  command
      .add_option(
          "--max-time", longest,
          "refuse a simulation that would take longer on one core, by an estimate that -v shows (default: 600s; "
          "0s: never)")
      ->type_name("TIME");
  command
      .add_option("--max-memory", most_memory,
                  "refuse a simulation that would take more memory, by an estimate that -v shows (default: what the "
                  "machine has; 0B: never)")
      ->type_name("SIZE");
}

study::CostLimits LimitFlags::limits() const {
  return {.most_s = value_of("--max-time", longest, base::parse_seconds),
          .most_bytes =
              most_memory.empty() ? memory_of_machine() : value_of("--max-memory", most_memory, base::parse_bytes)};
}

} // namespace tandem::app
