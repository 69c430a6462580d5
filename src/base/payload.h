// Sizes of payloads as nccl-tests writes them.
#pragma once

#include <cstdint>
#include <string>

namespace tandem::base {

constexpr double MOST_PAYLOAD_BYTES = 1125899906842624.0; ///< 1 PiB; doubles hold every whole number up to 8 of them

/// A whole number of bytes; digits alone are bytes. Throws UserError: not a size, not whole, more than the most.
std::uint64_t parse_payload(const std::string& text);

} // namespace tandem::base
