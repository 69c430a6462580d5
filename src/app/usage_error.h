// What is wrong with a command line, in the user's terms.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace tandem::app {

/// The message for `error`, which parsing with `app` threw: what was found, what is allowed or was probably meant, and
/// where to read more.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

} // namespace tandem::app
