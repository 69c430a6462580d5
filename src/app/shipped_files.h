// Where the platforms, devices and workloads are that come with the program.
#pragma once

#include <string>
#include <vector>

namespace tandem::app {

/// Folder "platforms", "platforms/devices" or "workloads": beside the folder of the program (a build folder in the
/// repository), in ../share/tandem from it (an installation), or in the working directory, in this order. Empty when
/// none has it.
std::string shipped_folder(const std::string& name);

/// The places that shipped_folder() looks at.
std::vector<std::string> shipped_places(const std::string& name);

/// Files of a folder and, if asked for, of the folders in it, with this suffix (".yaml"), sorted. Throws UserError when
/// the folder cannot be listed.
std::vector<std::string> files_in(const std::string& folder, const std::string& suffix, bool recursive);

} // namespace tandem::app
