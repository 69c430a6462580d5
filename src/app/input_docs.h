// docs/inputs.md, made from the tables that the readers use.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace tandem::app {

/// The whole page. `app` holds all commands.
std::string inputs_page(const CLI::App& app);

/// Its parts: commands with their flags, environment variables and exit codes; and the files with their keys and units.
std::string command_sections(const CLI::App& app);
std::string file_sections();

} // namespace tandem::app
