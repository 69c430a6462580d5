// Models side by side: what they are, and how many parameters they have.
#pragma once

#include "report/table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::report {

struct ModelRow {
  std::string name, file, source;
  std::int64_t parameters = 0, active = 0;                     ///< active: that a sample meets; equal where all do
  std::int64_t layers = 0, hidden = 0, heads = 0, experts = 0; ///< 0: none
};

std::string model_table(const std::vector<ModelRow>& rows, const Layout& layout);

} // namespace tandem::report
