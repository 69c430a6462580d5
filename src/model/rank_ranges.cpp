// Runs of equal steps, greedily from the lowest rank.
#include "model/rank_ranges.h"

#include <fmt/format.h>

namespace tandem::model {

std::string rank_ranges(const std::vector<std::uint32_t>& ranks, std::size_t most) {
  std::string text;
  std::size_t runs = 0;
  for (std::size_t first = 0; first < ranks.size(); ++runs) {
    text += first == 0 ? "" : ", ";
    if (runs == most)
      return text + "...";
    const auto step = first + 1 < ranks.size() ? ranks[first + 1] - ranks[first] : 1;
    auto last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] - ranks[last] == step)
      ++last;
    if (last == first + 1 && step > 1) // two that are not neighbours are no run
      last = first;
    text += fmt::format("{}", ranks[first]);
    if (last > first)
      text += fmt::format("-{}", ranks[last]);
    if (last > first && step > 1)
      text += fmt::format(" step {}", step);
    first = last + 1;
  }
  return text;
}

} // namespace tandem::model
