// A group of ranks as the user writes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::model {

/// "0-7", "0,8,16,24", "0-63:8" (every 8th) and any of these between commas, in the order of the group. Throws
/// UserError: not a rank or a range, a range that runs backwards, a rank that is none of `gpus`, one given twice, none.
std::vector<std::uint32_t> parse_rank_list(std::string_view text, std::size_t gpus);

/// first, first + step, ..., last; of a single rank first is last.
struct RankRun {
  std::uint32_t first = 0, last = 0, step = 0;
};
/// The ranks in their order as runs of equal steps upwards, greedily from the first.
std::vector<RankRun> rank_runs(const std::vector<std::uint32_t>& ranks);
/// "7", "0-7", and with a step other than 1 "0-24", `before_step` and "8".
std::string to_string(const RankRun& run, const std::string& before_step);

/// The shortest of these ways to write the group: parse_rank_list() gives it back.
std::string rank_list(const std::vector<std::uint32_t>& ranks);

} // namespace tandem::model
