// Ranges of ranks between commas, read and written.
#include "model/rank_list.h"

#include "base/error.h"
#include "base/units.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::model {

namespace {

constexpr long long LARGEST = 1LL << 31;

std::uint32_t rank_of(std::string_view text, std::size_t gpus) {
  const auto rank = base::parse_integer(text, 0, LARGEST);
  if (static_cast<std::size_t>(rank) >= gpus)
    throw base::UserError(
        fmt::format("rank {} does not exist: the platform has {} GPUs; allowed: 0 to {}", rank, gpus, gpus - 1));
  return static_cast<std::uint32_t>(rank);
}

/// The ranks of FIRST, FIRST-LAST or FIRST-LAST:STEP.
std::vector<std::uint32_t> range_of(std::string_view text, std::size_t gpus) {
  const auto dash = text.find('-');
  const auto colon = text.find(':');
  if (colon != std::string_view::npos && (dash == std::string_view::npos || colon < dash))
    throw base::UserError(base::in_quotes(text) + " has a step without a range; allowed: as 0-63:8");
  if (dash == std::string_view::npos)
    return {rank_of(text, gpus)};
  const auto first = rank_of(text.substr(0, dash), gpus);
  const auto last = rank_of(text.substr(dash + 1, colon == std::string_view::npos ? colon : colon - dash - 1), gpus);
  if (last < first)
    throw base::UserError(fmt::format("{} runs backwards: {} is before {}", base::in_quotes(text), last, first));
  const auto step = colon == std::string_view::npos ? 1 : base::parse_integer(text.substr(colon + 1), 1, LARGEST);
  std::vector<std::uint32_t> ranks;
  for (long long rank = first; rank <= last; rank += step)
    ranks.push_back(static_cast<std::uint32_t>(rank));
  return ranks;
}

} // namespace

std::vector<std::uint32_t> parse_rank_list(std::string_view text, std::size_t gpus) {
  if (text.empty())
    throw base::UserError("a group without a rank; allowed: ranks and ranges between commas, as 0-7, 0,8,16 or 0-63:8");
  std::vector<std::uint32_t> ranks;
  std::vector<bool> is_in(gpus, false);
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    for (const auto rank : range_of(text.substr(begin, end - begin), gpus)) {
      if (is_in[rank])
        throw base::UserError(fmt::format("rank {} is given twice in {}", rank, base::in_quotes(text)));
      is_in[rank] = true;
      ranks.push_back(rank);
    }
    begin = end + 1;
  }
  return ranks;
}

std::vector<RankRun> rank_runs(const std::vector<std::uint32_t>& ranks) {
  constexpr std::size_t SHORTEST_RUN = 3; // two that are not neighbours are no run
  std::vector<RankRun> runs;
  for (std::size_t first = 0; first < ranks.size();) {
    auto last = first;
    const auto step = first + 1 < ranks.size() && ranks[first + 1] > ranks[first] ? ranks[first + 1] - ranks[first] : 0;
    while (step > 0 && last + 1 < ranks.size() && ranks[last + 1] > ranks[last] &&
           ranks[last + 1] - ranks[last] == step)
      ++last;
    if (last + 1 - first < SHORTEST_RUN && step != 1)
      last = first;
    runs.push_back({ranks[first], ranks[last], step});
    first = last + 1;
  }
  return runs;
}

std::string to_string(const RankRun& run, const std::string& before_step) {
  auto text = std::to_string(run.first);
  if (run.last > run.first)
    text += fmt::format("-{}", run.last);
  if (run.last > run.first && run.step > 1)
    text += before_step + std::to_string(run.step);
  return text;
}

std::string rank_list(const std::vector<std::uint32_t>& ranks) {
  std::string text;
  for (const auto& run : rank_runs(ranks))
    text.append(text.empty() ? "" : ",").append(to_string(run, ":"));
  return text;
}

} // namespace tandem::model
