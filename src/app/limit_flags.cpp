// The flags and their values.
#include "app/limit_flags.h"

#include "app/options.h"
#include "base/units.h"

#include <unistd.h>

namespace tandem::app {

namespace {

double memory_of_machine() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
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
  return {.most_s = value_of_flag("--max-time", [&] { return base::parse_seconds(longest); }).value(),
          .most_bytes = most_memory.empty() ? memory_of_machine() : value_of_flag("--max-memory", [&] {
                                                                      return base::parse_bytes(most_memory);
                                                                    }).value()};
}

} // namespace tandem::app
