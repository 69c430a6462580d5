// CLI11 knows what is wrong, but not what was meant.
#include "app/usage_error.h"

#include "base/error.h"

#include <algorithm>

namespace tandem::app {

namespace {

/// The command that the line had reached, and its words: "tandem platform check".
struct Reached {
  const CLI::App* command;
  std::string words;
};

Reached reached(const CLI::App& app) {
  Reached result{&app, app.get_name()};
  while (!result.command->get_subcommands().empty()) {
    result.command = result.command->get_subcommands().front();
    result.words += " " + result.command->get_name();
  }
  return result;
}

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const auto* option : command.get_options()) {
    for (const auto& name : option->get_lnames())
      flags.push_back("--" + name);
    for (const auto& name : option->get_snames())
      flags.push_back("-" + name);
  }
  return flags;
}

std::vector<std::string> commands_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* sub : command.get_subcommands([](const CLI::App*) { return true; }))
    if (!sub->get_group().empty()) // hidden
      names.push_back(sub->get_name());
  return names;
}

/// The words that no command took: a flag first, since its value is often among them.
std::string unexpected(const CLI::App& command) {
  const auto words = command.remaining();
  const auto flag =
      std::find_if(words.begin(), words.end(), [](const std::string& word) { return word.starts_with('-'); });
  if (flag != words.end())
    return base::unknown_word("flag", flag->substr(0, flag->find('=')), flags_of(command));
  const auto word = words.empty() ? std::string() : words.front();
  return base::in_quotes(word) + " is one argument too many";
}

std::string missing_command(const CLI::App& command) {
  const auto words = command.remaining();
  if (words.empty())
    return "a command is missing; allowed: " + CLI::detail::join(commands_of(command), ", ");
  if (words.front().starts_with('-'))
    return unexpected(command);
  return base::unknown_word("command", words.front(), commands_of(command));
}

std::string missing_argument(const CLI::App& command) {
  for (const auto* option : command.get_options())
    if (option->get_required() && option->count() == 0)
      return option->get_name() + " is missing: " + option->get_description();
  return "an argument is missing";
}

/// Flags with one value that were given more.
std::string repeated(const CLI::App& command) {
  for (const auto* option : command.get_options())
    if (option->get_expected_max() == 1 && option->count() > 1)
      return option->get_name() + " is given " + std::to_string(option->count()) + " times; allowed: once";
  return "";
}

/// Flags whose value is missing.
std::string without_value(const CLI::App& command, const CLI::ParseError& error) {
  for (const auto* option : command.get_options())
    if (option->get_items_expected_min() > 0 && std::string(error.what()).starts_with(option->get_name() + ":"))
      return option->get_name() + " has no value; allowed: " + option->get_type_name() + ", " +
             option->get_description();
  return error.what();
}

std::string message(const CLI::App& command, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
    return unexpected(command);
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
    return commands_of(command).empty() ? missing_argument(command) : missing_command(command);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::string told = error.what();
    if (const auto at = told.find(" was given a disallowed flag override"); at != std::string::npos)
      return "--" + told.substr(0, at) + " takes no value";
    const auto text = repeated(command);
    return text.empty() ? without_value(command, error) : text;
  }
  return error.what();
}

} // namespace

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const auto [command, words] = reached(app);
  return message(*command, error) + "\nRun '" + words + " --help' for what is allowed.";
}

} // namespace tandem::app
