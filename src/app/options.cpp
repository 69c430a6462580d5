// Shared flags.
#include "app/options.h"

#include "base/log.h"
#include "base/output_file.h"

#include <cstdio>
#include <iostream>
#include <unistd.h>

namespace tandem::app {

Assignments read_assignments(const std::string& flag, const std::vector<std::string>& texts) {
  Assignments result;
  for (const auto& text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw base::UserError(flag + ": '" + text + "' is not key=value");
    if (!result.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
      throw base::UserError(flag + ": " + text.substr(0, equals) + " is given twice");
  }
  return result;
}

void Output::add_to(CLI::App& command) {
  command
      .add_option("-o,--output", file,
                  "write to FILE instead of stdout ('-'); a suffix .json or .csv chooses the format")
      ->type_name("FILE");
  command.add_option("--format", format, "table, json or csv (default: table)")
      ->type_name("FORMAT")
      ->envname("TANDEM_FORMAT");
}

std::string Output::chosen_format() const {
  if (format.empty()) {
    for (const std::string suffix : {"json", "csv"})
      if (file.ends_with("." + suffix))
        return suffix;
    return "table";
  }
  if (format != "table" && format != "json" && format != "csv")
    throw base::UserError("--format: " + base::unknown_word("format", format, {"table", "json", "csv"}));
  return format;
}

void Output::check() const {
  (void)chosen_format();
  if (file != "-")
    base::check_writable(file);
}

void Output::write(const std::string& text) const {
  if (file == "-") {
    std::cout << text << std::flush;
    if (!std::cout)
      throw base::UserError("standard output cannot be written to its end");
    return;
  }
  base::OutputFile out(file);
  out.stream() << text;
  out.commit();
}

void Verbosity::add_to(CLI::App& command) {
  auto* q = command.add_flag("-q,--quiet", quiet, "errors only on stderr");
  command.add_flag("-v,--verbose", verbose, "more on stderr")->excludes(q);
}

void Verbosity::apply() const {
  base::set_log_level(quiet ? base::LogLevel::QUIET : verbose ? base::LogLevel::VERBOSE : base::LogLevel::NORMAL);
}

void show_progress(std::size_t done, std::size_t all) {
  if (isatty(STDERR_FILENO) == 0)
    return;
  constexpr std::size_t WIDTH = 40;
  const std::size_t filled = all == 0 ? WIDTH : done * WIDTH / all;
  std::fprintf(stderr, "\r[%s%s] %zu/%zu simulations%s", std::string(filled, '#').c_str(),
               std::string(WIDTH - filled, '.').c_str(), done, all, done == all ? "\r\033[K" : "");
  std::fflush(stderr);
}

std::string program_version() {
  return TANDEM_VERSION;
}

} // namespace tandem::app
