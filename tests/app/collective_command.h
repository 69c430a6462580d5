// Command lines of tandem collective.
#pragma once

#include "app/program.h"

#include <string>
#include <vector>

namespace tandem::app {

/// `tandem collective` with these arguments on a platform of the repository.
inline std::vector<std::string> collective_command(const std::vector<std::string>& arguments,
                                                   const std::string& platform = "platforms/dgx-h100.xml") {
  std::vector<std::string> all{"collective"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.insert(all.end(), {"--platform", repository(platform)});
  return all;
}

} // namespace tandem::app
