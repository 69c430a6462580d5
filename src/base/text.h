// Text cut into parts, and small turns of phrase.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tandem::base {

/// What stands between the separators, empty parts included; at least one part.
std::vector<std::string> split(const std::string& text, char separator);

/// ASCII letters only.
std::string lower_case(std::string text);

/// "1 rank", "2 ranks"; a noun with another plural gives it.
std::string counted(std::size_t count, const std::string& noun, const std::string& plural = "");

} // namespace tandem::base
