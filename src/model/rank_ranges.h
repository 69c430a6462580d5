// Sets of ranks as people write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tandem::model {

/// "0-7, 12, 16-1016 step 8": `ranks` ascending, as the fewest runs found greedily; after `most` runs ", ...".
std::string rank_ranges(const std::vector<std::uint32_t>& ranks, std::size_t most = 6);

} // namespace tandem::model
