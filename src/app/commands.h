// The commands of the program. Each adds itself to the command line and is run when chosen.
#pragma once

#include <CLI/CLI.hpp>

namespace tandem::app {

void add_compare(CLI::App& app);
void add_collective(CLI::App& app);
void add_train(CLI::App& app);
void add_diff(CLI::App& app);
void add_report(CLI::App& app);
void add_list(CLI::App& app);
void add_platform(CLI::App& app);
void add_validate(CLI::App& app);
/// Hidden: prints docs/inputs.md. Add it last: it describes the other commands.
void add_docs(CLI::App& app);

} // namespace tandem::app
