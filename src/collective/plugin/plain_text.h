// Text of a plugin's, fit for messages, tables and JSON.
#pragma once

#include <string>

namespace tandem::collective {

/// Printable ASCII only, anything else as '?', and the first `most` bytes of it.
std::string plain_text(const char* text, std::size_t most = 300);

} // namespace tandem::collective
