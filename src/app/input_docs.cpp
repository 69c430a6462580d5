// The half of docs/inputs.md that is about files and strategies, and the page as a whole.
#include "app/input_docs.h"

#include "app/markdown.h"
#include "base/units.h"
#include "collective/codec.h"
#include "collective/plugin/plugin_strategy.h"
#include "collective/strategy.h"
#include "platform/device_keys.h"
#include "platform/platform.h"
#include "platform/platform_tags.h"
#include "platform/simgrid_units.h"
#include "study/sweep/study_file.h"
#include "workload/framework.h"
#include "workload/model_reader.h"
#include "workload/validation_set.h"
#include "workload/workload_reader.h"

#include <fmt/format.h>

namespace tandem::app {

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string units_text(const std::vector<base::UnitTable>& tables) {
  Rows rows;
  for (const auto& table : tables)
    rows.push_back({table.kind, code(table.example), code_list(table.units)});
  return markdown_table({"kind", "example", "units"}, rows);
}

std::string quantities() {
  return "## Quantities\n\n"
         "A quantity is a decimal number, at most one blank, and a unit: `16MiB`, `1.5e-6 s`. Refused are a missing "
         "unit, a sign other than `+`, a thousands separator, a decimal comma, hexadecimal, NaN and infinity, "
         "whatever the locale. `B` is bytes and `b` is bits; a bare `200G` of bandwidth is refused. Bare `K M G T` of "
         "a size are powers of 1024.\n"
         "Plain numbers may end in `K`, `M`, `B` or `T` (10^3, 10^6, 10^9, 10^12); whole numbers are digits only.\n\n" +
         units_text(base::unit_tables());
}

std::string range_of(const workload::KeyInfo& key) {
  return key.minimum < key.maximum ? fmt::format("{} to {}", key.minimum, key.maximum) : code_list(key.allowed);
}

std::string level_of(const std::vector<workload::KeyInfo>& keys, const std::string& level) {
  Rows rows;
  for (const auto& key : keys)
    if (key.level == level)
      rows.push_back(
          {code(key.name), key.type, range_of(key), key.required ? "required" : code(key.fallback), key.help});
  return markdown_table({"key", "type", "allowed", "default", "meaning"}, rows) + '\n';
}

std::string workload_level(const std::string& level) {
  return level_of(workload::workload_keys(), level);
}

std::string model_file() {
  return "## Model file\n\n"
         "A model is a Hugging Face `config.json`, or YAML of these keys; `tandem list models` lists those of "
         "`workloads/models/`. Any other key is an error, in both: a key of a `config.json` is read, is known to "
         "change "
         "neither time nor memory, or is refused.\n\n" +
         level_of(workload::model_keys(), "") + "Keys of an entry of `matrices`:\n\n" +
         level_of(workload::model_keys(), "matrices") + "Keys of an entry of `measured`:\n\n" +
         level_of(workload::model_keys(), "measured");
}

std::string workload_file() {
  return "## Workload file\n\n"
         "YAML, a map of these keys; any other key is an error. Paths are relative to the file. Copy one of "
         "`workloads/examples/` to start from; `tandem list workloads` lists what there is.\n\n" +
         workload_level("") + "Keys of an entry of `models`:\n\n" + workload_level("models") +
         "Keys of an entry of `gemms`:\n\n" + workload_level("gemms") +
         "Cases run in the order models x tp x (sublayers, layers), then gemms x tp.\n";
}

std::string framework_file() {
  return "## Framework file\n\n"
         "What `--framework` names: YAML of these keys. Those of `platforms/frameworks/` come with the program; "
         "[models.md](models.md), \"Training iteration\", says what a host does.\n\n" +
         level_of(workload::framework_keys(), "");
}

std::string validation_set() {
  return "## Set of measured iterations\n\n"
         "What `tandem validate SET` reads: YAML of these keys. Those of `workloads/validation/` come with the "
         "program.\n\n" +
         level_of(workload::validation_keys(), "");
}

std::string study_file() {
  return "## Study file\n\n"
         "What `tandem sweep STUDY` reads: YAML of these keys. Names in `axes`, `derive` and `fixed` are flags of the "
         "command, with `_` for `-`: `micro_batch` is `--micro-batch`, `set.device.sms` is `--set device.sms=VALUE`, "
         "`only.tp` is `--only tp=VALUE`, and the words that have no flag are `workload` and `operation`. A switch is "
         "true or false, `~` leaves the flag out, and flags that can be repeated take a list. Files are looked for "
         "beside the study first, then in the working directory. Flags about output and about how the run goes are "
         "the sweep's own.\n\n" +
         level_of(study::study_keys(), "") +
         "Expressions are of 64-bit whole numbers, texts in quotes and names, and bind as in Python: `or and not == != "
         "< <= > >= + - * / // %`, parentheses, `min(a, b)`, `max(a, b)` and `if(condition, then, else)`. `/` must "
         "leave no rest: a point where it does is infeasible for that reason. `//` and `%` round down. Texts can be "
         "compared by `==` and `!=`. A derived value may also be a text with expressions in braces: "
         "`\"../t3-ring-{tp}.xml\"`.\n\n";
}

std::string device_file() {
  Rows rows;
  for (const auto& key : platform::device_keys())
    rows.push_back({code(key.name), key.unit, key.required ? "required" : code(key.default_value), key.help});
  return "## Device file\n\n"
         "YAML, one GPU type: `name`, which is also the file's name (`my-gpu.yaml`), `source`, which says where the "
         "plain values come from, and the keys below. A dotted key may be written as a map: `queue: {depth: 64}`. "
         "Each value is plain (`sms: 80`), or `{value: 80, source: \"where from\"}`, or `{value: 80, assumed: "
         "\"why\"}`. Defaults, and plain values of a file without `source`, count as assumed; a result that rests on "
         "assumed values lists them.\n"
         "A device that a platform file names is looked for as `NAME.yaml` in each `--devices` path (or as that "
         "file), then in the folder `devices` beside the platform file, then among the program's own. "
         "`--set device.KEY=VALUE` overrides any value.\n\n" +
         markdown_table({"key", "value", "default", "meaning"}, rows);
}

/// Elements that may stand inside of a tag and are not refused.
std::vector<std::string> children_of(const platform::XmlTag& tag) {
  auto names = platform::words(tag.children);
  for (const auto& other : platform::platform_tags())
    if (!other.refusal.empty())
      std::erase(names, other.name);
  return names;
}

std::string platform_file() {
  Rows properties, tags, refused;
  for (const auto& property : platform::platform_properties())
    properties.push_back({property.name, property.value, property.meaning});
  for (const auto& tag : platform::platform_tags()) {
    if (tag.refusal.empty())
      tags.push_back({code(tag.name), code_list(platform::words(tag.required)),
                      code_list(platform::words(tag.optional)), code_list(children_of(tag))});
    else
      refused.push_back({code(tag.name), tag.refusal});
  }
  return "## Platform file\n\n"
         "A SimGrid platform file (XML, version 4.1). `tandem platform check FILE` reads one and says what may "
         "surprise; `tandem platform show FILE` prints its GPUs, links and routes. These mean more to Tandem than to "
         "SimGrid:\n\n" +
         markdown_table({"what", "value", "meaning"}, properties) +
         "\nElements and attributes that are read; any other is an error:\n\n" +
         markdown_table({"element", "required", "optional", "may hold"}, tags) +
         "\nElements of SimGrid's that are refused:\n\n" + markdown_table({"element", "why"}, refused) +
         "\nNumbers are SimGrid's, with its units and without a blank; a bare number has the first of them:\n\n" +
         units_text(platform::simgrid_unit_tables());
}

template <class Entry> Rows parameter_rows(const std::vector<Entry>& table) {
  Rows rows;
  for (const auto& info : table) {
    rows.push_back({code(info.name), "", "", info.summary});
    for (const auto& parameter : info.parameters)
      rows.push_back({"", code(parameter.name), parameter.fallback.empty() ? "" : code(parameter.fallback),
                      parameter.help + (parameter.assumed ? " (assumed)" : "")});
  }
  return rows;
}

std::string strategies() {
  const auto limit = collective::time_limit_of_plugin();
  return "## Strategies\n\n"
         "`NAME` or `NAME:key=value:key=value`, in `strategies` of a workload file or with `--strategy`.\n\n" +
         markdown_table({"strategy", "parameter", "default", "meaning"}, parameter_rows(collective::strategies())) +
         "\n`FILE.so` or `FILE.so:key=value` is a plugin, an algorithm of your own "
         "([adding_a_strategy.md](adding_a_strategy.md)); its path is relative to the working directory. Each has the "
         "parameter " +
         fmt::format("{} (default {}): {}.\n", code(limit.name), code(limit.fallback), limit.help);
}

std::string codecs() {
  return "## Codecs\n\n"
         "`STRATEGY+CODEC` or `STRATEGY+CODEC:key=value:key=value` compresses the messages of a strategy: "
         "`ring:channels=2+zfp:rate=8` ([models.md](models.md), \"Compression\").\n\n" +
         markdown_table({"codec", "parameter", "default", "meaning"}, parameter_rows(collective::codecs()));
}

} // namespace

std::string file_sections() {
  return quantities() + '\n' + workload_file() + '\n' + model_file() + '\n' + framework_file() + validation_set() +
         study_file() + device_file() + '\n' + platform_file() + '\n' + strategies() + '\n' + codecs();
}

std::string inputs_page(const CLI::App& app) {
  return "<!-- Printed by `tandem docs inputs` from the tables that the program reads its input with. Do not edit. "
         "-->\n"
         "# Inputs\n\n"
         "Everything that Tandem reads. Results are described in [results.md](results.md).\n\n" +
         command_sections(app) + '\n' + file_sections();
}

} // namespace tandem::app
