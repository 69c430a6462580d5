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

/// The shortest of these ways to write the group: parse_rank_list() gives it back.
std::string rank_list(const std::vector<std::uint32_t>& ranks);

} // namespace tandem::model
