// tandem list: what there is to choose from.
#include "app/commands.h"
#include "app/options.h"
#include "app/shipped_files.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "collective/codec.h"
#include "collective/plugin/plugin_strategy.h"
#include "collective/strategy.h"
#include "platform/device_keys.h"
#include "platform/devices.h"
#include "platform/platform.h"
#include "report/device_report.h"
#include "report/model_table.h"
#include "report/table.h"
#include "workload/model_reader.h"
#include "workload/parameters.h"
#include "workload/workload_reader.h"

#include <filesystem>
#include <fmt/format.h>
#include <memory>

namespace tandem::app {

namespace {

constexpr std::size_t LIST_WIDTH = 132;
constexpr report::Layout REMARK{LIST_WIDTH, 4, false};

std::string described(const std::string& title, const std::string& summary,
                      const std::vector<collective::Parameter>& parameters) {
  auto text = title + '\n' + report::wrapped(summary, REMARK);
  for (const auto& parameter : parameters)
    text += report::wrapped(fmt::format(":{}={}  {}{}", parameter.name, parameter.fallback, parameter.help,
                                        parameter.assumed ? " (assumed)" : ""),
                            REMARK);
  return text;
}

std::string strategies_text() {
  std::string text;
  for (const auto& info : collective::strategies())
    text += described(info.name, info.summary, info.parameters);
  return text;
}

std::string codecs_text() {
  std::string text;
  for (const auto& info : collective::codecs())
    text += described(info.name, info.summary, info.parameters);
  return text;
}

std::string plugins_text(const std::vector<std::string>& files) {
  std::string text;
  for (const auto& file : files) {
    const auto info = collective::plugin_strategy(file, collective::time_limit_of_plugin().fallback);
    text += described(fmt::format("{}  ({})", file, info.name), info.summary, info.parameters);
  }
  return text;
}

std::string devices_text(const std::string& folder) {
  std::vector<model::Device> devices;
  for (const auto& file : files_in(folder, ".yaml", false))
    devices.push_back(platform::read_device(file));
  return report::device_table(devices, {.width = LIST_WIDTH});
}

std::string device_keys_text() {
  std::string text;
  for (const auto& key : platform::device_keys()) {
    const auto need = key.required                ? std::string(", required")
                      : key.default_value.empty() ? std::string()
                                                  : ", default " + key.default_value;
    text += fmt::format("{}  ({}{})\n", key.name, key.unit, need) + report::wrapped(key.help, REMARK);
  }
  return text;
}

/// Words of `text` between `begin` and the first `end` after it, with single blanks; empty when there are none.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const auto from = text.find(begin);
  if (from == std::string::npos)
    return "";
  const auto start = from + begin.size();
  const auto inside = text.substr(start, text.find(end, start) - start);
  std::string words;
  for (const char c : inside) {
    const bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!blank)
      words += c;
    else if (!words.empty() && words.back() != ' ')
      words += ' ';
  }
  return words.substr(0, words.find_last_not_of(' ') + 1);
}

/// Platform files with their size and the comment at their head.
std::string platforms_text(const std::string& folder) {
  std::string text;
  for (const auto& file : files_in(folder, ".xml", false)) {
    const auto cluster = platform::read_cluster(
        file, {(std::filesystem::path(folder) / "devices").string(), shipped_folder("platforms/devices")});
    const auto device = cluster.gpus.empty() ? std::string() : ", " + cluster.gpus.front().device->name;
    text += fmt::format("{}  ({}{})\n", file, base::counted(cluster.gpus.size(), "GPU"), device);
    text += report::wrapped(between(base::read_text_file(file), "<!--", "-->"), REMARK);
  }
  return text;
}

report::ModelRow model_row(const model::LanguageModel& model) {
  const auto count = workload::count_parameters(model);
  const auto& first = model.kinds.front();
  report::ModelRow row{.name = model.name, .file = model.file, .source = model.source};
  row.parameters = count.total;
  row.active = count.active;
  row.layers = static_cast<std::int64_t>(model.layers.size());
  row.hidden = model.hidden;
  row.heads = first.attention.heads;
  for (const auto& kind : model.kinds)
    row.experts = kind.experts ? kind.experts->routed : row.experts;
  return row;
}

report::ModelRow model_row(const model::ConvolutionalModel& model) {
  report::ModelRow row{.name = model.name, .file = model.file, .source = model.source};
  row.parameters = row.active = workload::count_parameters(model);
  row.layers = static_cast<std::int64_t>(model.layers.size());
  return row;
}

report::ModelRow model_row(const model::RecommendationModel& model) {
  report::ModelRow row{.name = model.name, .file = model.file, .source = model.source};
  row.parameters = row.active = workload::count_parameters(model);
  row.layers = static_cast<std::int64_t>(model.bottom.size() + model.top.size());
  return row;
}

report::ModelRow model_row(const model::MeasuredModel& model) {
  report::ModelRow row{.name = model.name, .file = model.file, .source = model.source};
  row.parameters = row.active = workload::count_parameters(model);
  row.layers = static_cast<std::int64_t>(model.layers.size());
  return row;
}

/// Model files of a folder, ours and Hugging Face's.
std::string models_text(const std::string& folder) {
  std::vector<report::ModelRow> rows;
  for (const char* suffix : {".yaml", ".json"})
    for (const auto& file : files_in(folder, suffix, false)) {
      rows.push_back(std::visit([](const auto& model) { return model_row(model); }, workload::read_model(file)));
      rows.back().file = std::filesystem::path(file).stem().string();
    }
  return report::model_table(rows, {.width = LIST_WIDTH});
}

/// Workload files with their title, and how many cases they hold. Models, studies and sets of measurements have folders
/// of their own.
std::string workloads_text(const std::string& folder) {
  std::string text;
  for (const auto& file : files_in(folder, ".yaml", true)) {
    const auto place = std::filesystem::path(file).parent_path().filename();
    if (place == "models" || place == "validation" || place == "studies" || place == "seeds")
      continue;
    const auto workload = workload::read_workload(file);
    text += fmt::format("{}  ({}, {})\n", file, base::counted(workload.cases.size(), "case"),
                        base::counted(workload.strategies.size(), "strategy", "strategies"));
    text += report::wrapped(workload.title, REMARK);
  }
  return text;
}

/// A list of files of a folder, by default of the one that comes with the program.
void add_files(CLI::App& list, const std::string& name, const std::string& help, const std::string& shipped,
               std::string (*text)(const std::string&)) {
  auto* command = list.add_subcommand(name, help);
  auto given = std::make_shared<std::string>();
  command->add_option("--in", *given, "folder to look in (default: the program's own " + shipped + ")")
      ->type_name("DIR")
      ->check(not_empty());
  command->callback([command, given, shipped, text] {
    (void)apply_environment(*command);
    const auto folder = given->empty() ? shipped_folder(shipped) : *given;
    if (folder.empty())
      throw base::UserError(
          fmt::format("no folder of {} in {}; give one with --in", shipped, fmt::join(shipped_places(shipped), ", ")));
    print(text(folder));
  });
}

void add_text(CLI::App& list, const std::string& name, const std::string& help, std::string (*text)()) {
  auto* command = list.add_subcommand(name, help);
  command->callback([command, text] {
    (void)apply_environment(*command);
    print(text());
  });
}

/// The built-in ones, or what plugins say of themselves.
void add_strategies(CLI::App& list) {
  auto* command = list.add_subcommand("strategies", "collective strategies and their parameters");
  auto plugins = std::make_shared<std::vector<std::string>>();
  add_repeatable(*command, "--plugin", *plugins, "describe this plugin instead (a shared object, FILE.so)")
      ->type_name("FILE");
  command->callback([command, plugins] {
    (void)apply_environment(*command);
    print(plugins->empty() ? strategies_text() : plugins_text(*plugins));
  });
}

} // namespace

void add_list(CLI::App& app) {
  auto* command = app.add_subcommand(
      "list", "what there is to choose from: strategies, codecs, devices, device keys, platforms, models, workloads");
  command->require_subcommand(1);
  command->footer("Examples:\n"
                  "  tandem list strategies\n"
                  "  tandem list codecs\n"
                  "  tandem list devices\n"
                  "  tandem list devices --in platforms/devices\n"
                  "  tandem list device-keys\n"
                  "  tandem list platforms\n"
                  "  tandem list models\n"
                  "  tandem list workloads");
  add_strategies(*command);
  add_text(*command, "codecs", "codecs that compress a strategy's messages (STRATEGY+CODEC)", codecs_text);
  add_files(*command, "devices", "device files and their numbers, with what is assumed", "platforms/devices",
            devices_text);
  add_text(*command, "device-keys", "keys of a device file and of --set device.KEY", device_keys_text);
  add_files(*command, "platforms", "platform files", "platforms", platforms_text);
  add_files(*command, "models", "models, with their parameters and layers", "workloads/models", models_text);
  add_files(*command, "workloads", "workload files", "workloads", workloads_text);
}

} // namespace tandem::app
