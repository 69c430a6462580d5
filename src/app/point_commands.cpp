// Flags are taken from CLI11's description of each command, so that a new one is known to studies at once.
#include "app/point_commands.h"

#include "app/commands.h"
#include "app/environment.h"
#include "app/inner_run.h"
#include "app/machine_flags.h"
#include "app/usage_error.h"
#include "base/error.h"
#include "base/text.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>

namespace tandem::app {

namespace {

using study::CommandInfo;
using study::FlagInfo;

/// About the run and what is written, not about what is simulated.
const std::vector<std::string> OF_THE_SWEEP = {
    "help",  "output",       "format",          "jobs",   "quiet", "verbose", "timeline", "timeline-ranks",
    "stats", "print-config", "explain-classes", "detail", "export"};

/// The three commands, which hand over to `inner`.
void add_commands(CLI::App& app, InnerRun& inner) {
  app.name("tandem");
  app.require_subcommand(1);
  add_compare(app, &inner);
  add_collective(app, &inner);
  add_train(app, &inner);
}

void parse(CLI::App& app, const std::vector<std::string>& words) {
  app.parse(std::vector<std::string>(words.rbegin(), words.rend())); // CLI11 takes the last one first
}

std::string study_name(std::string flag) {
  std::replace(flag.begin(), flag.end(), '-', '_');
  return flag;
}

bool takes_path(const CLI::Option& option) {
  const auto type = option.get_type_name();
  return type == "FILE" || type == "PATH" || option.get_name() == "WORKLOAD" || option.get_name() == "--library";
}

void add_assignments(const std::string& flag, const std::vector<std::string>& keys, CommandInfo& command) {
  for (const auto& key : keys)
    command.flags.push_back({flag.substr(2) + "." + key, flag, FlagInfo::Kind::ASSIGNMENT, false});
}

void add_flag(const CLI::Option& option, CommandInfo& command) {
  if (option.get_positional()) {
    command.flags.push_back({base::lower_case(option.get_name()), "", FlagInfo::Kind::POSITIONAL, takes_path(option)});
    return;
  }
  const auto& name = option.get_lnames().front();
  if (std::find(OF_THE_SWEEP.begin(), OF_THE_SWEEP.end(), name) != OF_THE_SWEEP.end())
    return;
  if (name == "set") {
    add_assignments("--set", machine_keys(), command);
    return;
  }
  if (name == "only") {
    add_assignments("--only", {"model", "tp", "sublayer", "phase"}, command);
    return;
  }
  const auto kind = option.get_items_expected_max() == 0 ? FlagInfo::Kind::SWITCH
                    : option.get_expected_max() > 1      ? FlagInfo::Kind::REPEATED
                                                         : FlagInfo::Kind::VALUE;
  command.flags.push_back({study_name(name), "--" + name, kind, takes_path(option)});
}

/// Runs the words up to a stage; `inner` has the result.
void run_words(const std::vector<std::string>& words, InnerRun& inner) {
  CLI::App app;
  add_commands(app, inner);
  auto all = words;
  for (const auto* word : {"-q", "-j", "1"}) // the sweep itself runs several at a time
    all.emplace_back(word);
  try {
    parse(app, all);
  } catch (const CLI::ParseError& error) {
    const auto message = usage_error(app, error);
    throw base::UserError(message.substr(0, message.find('\n'))); // without the advice to read --help
  }
}

} // namespace

std::vector<CommandInfo> point_commands() {
  InnerRun inner;
  CLI::App app;
  add_commands(app, inner);
  std::vector<CommandInfo> commands;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    CommandInfo info{command->get_name(), {}};
    for (const auto* option : command->get_options())
      add_flag(*option, info);
    commands.push_back(std::move(info));
  }
  return commands;
}

study::PointRunner point_runner() {
  study::PointRunner runner;
  runner.check = [](const std::vector<std::string>& words) -> std::string {
    InnerRun inner{.stage = InnerRun::Stage::FLAGS, .inputs = {}, .output = {}};
    try {
      run_words(words, inner);
      return {};
    } catch (const base::UserError& error) {
      return error.what();
    }
  };
  runner.inputs = [](const std::vector<std::string>& words) {
    InnerRun inner{.stage = InnerRun::Stage::INPUTS, .inputs = {}, .output = {}};
    run_words(words, inner);
    return inner.inputs;
  };
  runner.run = [](const std::vector<std::string>& words) {
    InnerRun inner;
    run_words(words, inner);
    return inner.output;
  };
  return runner;
}

std::vector<std::string> words_of_environment(const study::Study& study) {
  std::vector<std::string> words;
  for (const auto& variable : variables()) {
    const char* value = std::getenv(variable.name.c_str());
    const auto& flags = study.command.flags;
    const bool takes = std::any_of(flags.begin(), flags.end(), [&](const FlagInfo& flag) {
      return flag.flag == variable.flag && flag.kind != FlagInfo::Kind::ASSIGNMENT;
    });
    const bool given = std::any_of(study.inputs.begin(), study.inputs.end(), [&](const study::StudyInput& input) {
      return input.flag && input.flag->flag == variable.flag;
    });
    if (value == nullptr || *value == '\0' || !takes || given)
      continue;
    words.push_back(variable.flag);
    words.emplace_back(value);
  }
  return words;
}

} // namespace tandem::app
