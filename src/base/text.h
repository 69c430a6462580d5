// Text cut into parts.
#pragma once

#include <string>
#include <vector>

namespace tandem::base {

/// What stands between the separators, empty parts included; at least one part.
std::vector<std::string> split(const std::string& text, char separator);

} // namespace tandem::base
