// Names of the granularities.
#include "study/granularity.h"

#include "base/error.h"

namespace tandem::study {

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
