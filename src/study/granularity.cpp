// Names of the granularities.
#include "study/granularity.h"

#include "base/error.h"

#include <fmt/format.h>

namespace tandem::study {

std::string flow_error_text() {
  return fmt::format("within {:.0f} % of steps where others are on the same links (the worst that was measured)",
                     100.0 * FLOW_ERROR);
}

std::vector<std::string> granularity_names() {
  return {"step", "flow"};
}

Granularity granularity_of(const std::string& name) {
  const auto names = granularity_names();
  if (name == names.front())
    return Granularity::STEP;
  if (name == names.back())
    return Granularity::FLOW;
  throw base::UserError(base::unknown_word("granularity", name, names));
}

} // namespace tandem::study
