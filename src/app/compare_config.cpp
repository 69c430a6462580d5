// tandem compare --print-config: every value, and whether the default, the workload file, the environment or a flag set
// it.
#include "app/compare_flags.h"
#include "collective/strategy.h"
#include "platform/device_keys.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::app {

namespace {

/// A text as a YAML word, in quotes where it could be read as something else.
std::string word(const std::string& text) {
  const bool plain = !text.empty() && text.find_first_of(":#{}[],&*!|>'\"%@` \t\n\\") == std::string::npos;
  if (plain)
    return text;
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

std::string line(const std::string& key, const std::string& value, const std::string& origin) {
  return fmt::format("{}: {}  # {}\n", key, value, origin);
}

std::string list_lines(const std::string& key, const std::vector<std::string>& values, const std::string& origin) {
  if (values.empty())
    return line(key, "[]", origin);
  std::string text = fmt::format("{}:  # {}\n", key, origin);
  for (const auto& value : values)
    text += fmt::format("  - {}\n", word(value));
  return text;
}

/// Every parameter, and which of them the user's text gives.
std::string strategy_line(const std::string& text) {
  const auto selection = collective::select_strategy(text);
  std::string values = "name: " + selection.name, given;
  for (const auto& [key, value] : selection.parameters) {
    values += fmt::format(", {}: {}", key, word(value));
    if (std::find(selection.given.begin(), selection.given.end(), key) != selection.given.end())
      given += (given.empty() ? "" : ", ") + key;
  }
  const bool bare = selection.parameters.empty();
  return fmt::format("  - {{{}}}{}\n", values,
                     bare            ? ""
                     : given.empty() ? "  # parameters: default"
                                     : fmt::format("  # given: {}; other parameters: default", given));
}

std::string stated_in_file(const model::Workload& workload, const std::string& key) {
  return workload.stated.contains(key) ? "workload file" : "default";
}

} // namespace

std::string config_text(const CompareFlags& flags, const Origins& origins, const model::Workload& workload) {
  std::string text = line("workload", word(workload.file), "argument");
  text += line("title", word(workload.title), stated_in_file(workload, "title"));
  text += flags.platform.empty() ? line("platform", "as each case says", "workload file")
                                 : line("platform", word(flags.platform), origins.of("--platform"));
  text += list_lines("devices", flags.machine.devices, origins.of("--devices"));
  text += flags.machine.nodes == 0 ? line("nodes", "as each platform says", "default")
                                   : line("nodes", fmt::format("{}", flags.machine.nodes), origins.of("--nodes"));
  text += line("baseline", word(workload.baseline), stated_in_file(workload, "baseline"));
  const bool own = flags.strategies.empty();
  text += fmt::format("strategies:  # {}\n", own ? "workload file" : origins.of("--strategy"));
  for (const auto& strategy : own ? workload.strategies : flags.strategies)
    text += strategy_line(strategy);
  text += list_lines("set", flags.machine.set, origins.of("--set"));
  text += list_lines("only", flags.only, origins.of("--only"));
  const auto [format, format_origin] = flags.output.choose(origins);
  text += line("format", format, format_origin);
  text += line("output", word(flags.output.file), origins.of("--output"));
  text += line("timeline", word(flags.timeline), origins.of("--timeline"));
  text += line("stats", word(flags.stats), origins.of("--stats"));
  text += line("fold", flags.folding.fold, origins.of("--fold"));
  text += line("max_time", word(flags.limit.longest), origins.of("--max-time"));
  text += flags.limit.most_memory.empty()
              ? line("max_memory", "what the machine has", "default")
              : line("max_memory", word(flags.limit.most_memory), origins.of("--max-memory"));
  text += line("jobs", fmt::format("{}", flags.jobs), origins.of("--jobs"));
  text += line("seed", fmt::format("{}", flags.seed), origins.of("--seed"));
  text += line("energy", flags.energy ? "true" : "false", origins.of("--energy"));
  text += line("detail", flags.detail ? "true" : "false", origins.of("--detail"));
  text += "cases:  # workload file, before --only\n";
  for (const auto& described : workload.cases)
    text += fmt::format("  - {{model: {}, tp: {}, sublayer: {}, phase: {}, platform: {}}}\n", word(described.model),
                        described.tp, word(described.sublayer), described.phase, word(described.platform));
  return text;
}

} // namespace tandem::app
