// The half of docs/inputs.md that is about the command line.
#include "app/environment.h"
#include "app/exit_codes.h"
#include "app/input_docs.h"
#include "app/markdown.h"

#include <fmt/format.h>

namespace tandem::app {

namespace {

/// "`-o,--output FILE`".
std::string option_text(const CLI::Option& option) {
  const auto name = option.get_positional() ? option.get_name() : option.get_name(false, true);
  const bool takes_value = !option.get_positional() && option.get_items_expected_max() > 0;
  return code(name + (takes_value ? " " + option.get_type_name() : ""));
}

std::string variable_of(const CLI::Option& option) {
  for (const auto& variable : variables())
    if (variable.flag == option.get_name())
      return code(variable.name);
  return "";
}

std::string command_section(const CLI::App& command, const std::string& words) {
  auto description = command.get_description();
  if (description.front() >= 'a' && description.front() <= 'z')
    description.front() = static_cast<char>(description.front() - 'a' + 'A');
  std::string text = fmt::format("### {}\n\n{}.\n\n", words, description);
  std::vector<std::vector<std::string>> rows;
  for (const auto* option : command.get_options())
    if (option != command.get_help_ptr())
      rows.push_back({option_text(*option), variable_of(*option), option->get_description()});
  if (!rows.empty())
    text += markdown_table({"argument", "variable", "meaning"}, rows) + '\n';
  return text;
}

void add_commands(const CLI::App& app, const std::string& words, std::string& text) {
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_group().empty()) // hidden
      continue;
    const auto name = words + " " + command->get_name();
    if (command->get_subcommands([](const CLI::App*) { return true; }).empty())
      text += command_section(*command, name);
    else
      add_commands(*command, name, text);
  }
}

} // namespace

std::string command_sections(const CLI::App& app) {
  std::string text = "## Commands\n\n"
                     "Data goes to stdout; warnings, errors and the progress bar (on a terminal only) go to stderr. "
                     "`--help` after any command shows its arguments with examples.\n"
                     "A value is taken from the first that gives it: a flag, an environment variable, the workload "
                     "file, the default. `--print-config` shows every value and which of them gave it.\n\n";
  add_commands(app, app.get_name(), text);
  text +=
      "The program's own platforms, devices and workloads lie beside its folder (a build folder in the repository), "
      "else in `../share/tandem` from it (an installation), else in the working directory.\n\n";

  text += "## Environment variables\n\n"
          "An empty variable counts as absent. A `TANDEM_` variable that is not listed is an error.\n\n";
  std::vector<std::vector<std::string>> rows;
  for (const auto& variable : variables())
    rows.push_back({code(variable.name), code(variable.flag),
                    variable.help + (variable.allowed.empty() ? "" : "; one of " + code_list(variable.allowed))});
  text += markdown_table({"variable", "flag", "meaning"}, rows);

  text += "\n## Exit codes\n\n";
  rows.clear();
  for (const auto& row : exit_codes())
    rows.push_back({fmt::format("{}", static_cast<int>(row.code)), row.word, row.meaning});
  return text + markdown_table({"code", "name", "meaning"}, rows);
}

} // namespace tandem::app
