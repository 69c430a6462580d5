// What a page says of the numbers of a result: names, units, definitions.
#pragma once

#include <string>
#include <vector>

namespace tandem::report {

/// A number of a result, by its JSON key.
struct PageMetric {
  const char *key, *label;
  const char* unit; ///< as the file has it: s, us, B, tokens/s, TFLOP/s, GB/s; "share": 1 is all; "": a ratio
  const char* meaning;
};

/// Those of an entry that `command` ("train", "compare", "collective") writes, in the order of a table.
const std::vector<PageMetric>& page_metrics(const std::string& command);

} // namespace tandem::report
