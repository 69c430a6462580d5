// The commands of the program. Each adds itself to the command line and is run when chosen.
#pragma once

#include <CLI/CLI.hpp>

namespace tandem::app {

struct InnerRun;

// With `inner` the result is handed over to it instead of written.
void add_compare(CLI::App& app, InnerRun* inner = nullptr);
void add_collective(CLI::App& app, InnerRun* inner = nullptr);
void add_train(CLI::App& app, InnerRun* inner = nullptr);
void add_plan(CLI::App& app);
void add_diff(CLI::App& app);
void add_report(CLI::App& app);
void add_sweep(CLI::App& app);
void add_list(CLI::App& app);
void add_platform(CLI::App& app);
void add_validate(CLI::App& app);
/// Hidden: prints docs/inputs.md. Add it last: it describes the other commands.
void add_docs(CLI::App& app);

} // namespace tandem::app
