// Reading a whole file of the user's.
#pragma once

#include <string>

namespace tandem::base {

/// All bytes of the file. Throws UserError that names the path when it is absent, a directory or unreadable.
std::string read_text_file(const std::string& path);

} // namespace tandem::base
