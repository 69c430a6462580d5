// Reading a whole file of the user's.
#pragma once

#include <cstddef>
#include <string>

namespace tandem::base {

/// No file that a person wrote is larger; what is (a device that never ends, say) is not read on.
constexpr std::size_t MOST_TEXT_BYTES = std::size_t{512} << 20;

/// All bytes of the file. Throws UserError that names the path when it is absent, a directory, unreadable or larger
/// than `most`.
std::string read_text_file(const std::string& path, std::size_t most = MOST_TEXT_BYTES);

} // namespace tandem::base
