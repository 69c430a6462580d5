// Shared flags.
#include "app/options.h"

#include "base/error.h"
#include "base/log.h"
#include "base/output_file.h"
#include "base/text.h"
#include "base/units.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

namespace tandem::app {

Assignments read_assignments(const std::string& flag, const std::vector<std::string>& texts) {
  Assignments result;
  for (const auto& text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw base::UserError(flag + ": " + base::in_quotes(text) + " is not key=value");
    if (!result.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
      throw base::UserError(flag + ": " + text.substr(0, equals) + " is given twice");
  }
  return result;
}

CLI::Validator whole_number(long long minimum, long long maximum) {
  return {[minimum, maximum](std::string& text) -> std::string {
            try {
              (void)base::parse_integer(text, minimum, maximum);
              return {};
            } catch (const base::UserError& error) {
              return error.what();
            }
          },
          ""};
}

CLI::Validator not_empty() {
  return {[](std::string& text) -> std::string { return text.empty() ? "the value is empty" : ""; }, ""};
}

CLI::Validator one_of(const std::string& kind, const std::vector<std::string>& allowed) {
  return {[kind, allowed](std::string& text) -> std::string {
            const bool known = std::find(allowed.begin(), allowed.end(), text) != allowed.end();
            return known ? "" : base::unknown_word(kind, text, allowed);
          },
          ""};
}

CLI::Option* add_switch(CLI::App& command, const std::string& flag, bool& value, const std::string& help) {
  return command.add_flag(flag, value, help)->disable_flag_override();
}

CLI::Option* add_repeatable(CLI::App& command, const std::string& flag, std::vector<std::string>& values,
                            const std::string& help) {
  return command.add_option(flag, values, help + "; repeatable")->allow_extra_args(false)->check(not_empty());
}

void add_jobs(CLI::App& command, int& jobs) {
  constexpr int MOST_JOBS = 4096;
  command.add_option("-j,--jobs", jobs, "simulations at a time (default: 0, one per core)")
      ->type_name("N")
      ->check(whole_number(0, MOST_JOBS));
}

void Output::add_to(CLI::App& command) {
  command
      .add_option("-o,--output", file,
                  "write to FILE instead of stdout ('-'); a suffix .json or .csv chooses the format")
      ->type_name("FILE")
      ->check(not_empty());
  command.add_option("--format", format, "table, json or csv (default: by -o's suffix, else table)")
      ->type_name("FORMAT")
      ->check(one_of("format", {"table", "json", "csv"}));
}

Output::Choice Output::choose(const Origins& origins) const {
  if (origins.of("--format") == "flag")
    return {format, "flag"};
  for (const std::string suffix : {"json", "csv"})
    if (base::lower_case(std::filesystem::path(file).extension()) == "." + suffix)
      return {suffix, "suffix of --output"};
  return {format.empty() ? "table" : format, origins.of("--format")};
}

void Output::write(const std::string& text) const {
  if (file == "-") {
    print(text);
    return;
  }
  base::OutputFile out(file);
  out.stream() << text;
  out.commit();
}

void print(const std::string& text) {
  std::cout << text << std::flush;
  if (!std::cout)
    throw base::UserError("standard output cannot be written to its end");
}

void Verbosity::add_to(CLI::App& command) {
  auto* q = add_switch(command, "-q,--quiet", quiet, "errors only on stderr");
  add_switch(command, "-v,--verbose", verbose, "more on stderr")->excludes(q);
}

void Verbosity::apply() const {
  base::set_log_level(quiet ? base::LogLevel::QUIET : verbose ? base::LogLevel::VERBOSE : base::LogLevel::NORMAL);
}

std::string program_version() {
  return TANDEM_VERSION;
}

} // namespace tandem::app
