// The first runs, with words.
#include "model/rank_ranges.h"

#include "model/rank_list.h"

namespace tandem::model {

std::string rank_ranges(const std::vector<std::uint32_t>& ranks, std::size_t most) {
  std::string text;
  std::size_t runs = 0;
  for (const auto& run : rank_runs(ranks)) {
    text += runs == 0 ? "" : ", ";
    if (runs++ == most)
      return text + "...";
    text += to_string(run, " step ");
  }
  return text;
}

} // namespace tandem::model
