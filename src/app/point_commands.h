// The commands that a study can run, as the program's own command line has them.
#pragma once

#include "study/sweep/study_file.h"
#include "study/sweep/sweep.h"

#include <string>
#include <vector>

namespace tandem::app {

/// compare, collective and train with the flags that say what is run: not those about output, jobs and the like.
std::vector<study::CommandInfo> point_commands();

/// Runs command lines in this process, as main() would.
study::PointRunner point_runner();

/// Flags that environment variables stand in for, for points of this study: a point's command line says all.
std::vector<std::string> words_of_environment(const study::Study& study);

} // namespace tandem::app
