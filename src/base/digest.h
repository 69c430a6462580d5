// Digest of an input, so that a result can name the exact bytes it came from. Not cryptographic.
#pragma once

#include <string>
#include <string_view>

namespace tandem::base {

/// FNV-1a, 64 bits, as 16 lower-case hexadecimal digits.
std::string digest(std::string_view bytes);

/// The digest of a file's bytes. Throws as read_text_file().
std::string digest_file(const std::string& path);

} // namespace tandem::base
