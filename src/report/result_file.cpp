// Each command's JSON to common entries.
#include "report/result_file.h"

#include "base/error.h"
#include "report/json_file.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tandem::report {

namespace {

using base::UserError;
using Document = nlohmann::ordered_json;

std::string as_text(const Document& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Scalars at the top, and in the objects below it, by "object.key".
std::map<std::string, std::string> inputs_of(const Document& document) {
  std::map<std::string, std::string> inputs;
  for (const auto* key : {"model", "platform", "device", "gpus", "plan", "operation", "ranks", "library", "version"})
    if (const auto found = document.find(key); found != document.end() && found->is_primitive())
      inputs[key] = as_text(*found);
  for (const auto* object : {"configuration", "settings", "digests", "inputs", "workload", "tandem"})
    if (const auto found = document.find(object); found != document.end() && found->is_object())
      for (const auto& [key, value] : found->items())
        inputs[fmt::format("{}.{}", object, key)] = as_text(value);
  return inputs;
}

/// "exposed_tp_s" as "exposed tp".
std::string words_of(std::string key) {
  if (key.ends_with("_s"))
    key.resize(key.size() - 2);
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

/// A line of what was used, where the file says which link is the busiest.
void add_busiest_link(ResultEntry& entry, const Document& json) {
  if (const auto busiest = json.find("busiest_link"); busiest != json.end() && !busiest->is_null())
    entry.used.push_back(fmt::format("busiest link {}, at {:.1f} % of its bandwidth", busiest->get<std::string>(),
                                     100.0 * json.at("busiest_link_utilisation").get<double>()));
}

ResultEntry iteration(const Document& json) {
  ResultEntry entry;
  const auto strategies = json.at("strategies").get<std::string>();
  entry.name = entry.strategy = strategies.empty() ? "default strategies" : strategies;
  entry.time_s = json.at("iteration_s").get<double>();
  entry.tokens = std::round(json.at("tokens_per_s").get<double>() * entry.time_s);
  const auto& breakdown = json.at("breakdown");
  const double recompute = breakdown.at("recompute_s").get<double>();
  for (const auto& [key, value] : breakdown.items())
    entry.terms.emplace_back(words_of(key), value.get<double>() - (key == "compute_s" ? recompute : 0.0));
  if (const auto path = json.find("critical_path"); path != json.end())
    for (const auto& term : *path)
      entry.path.emplace_back(term.at("what").get<std::string>(), term.at("time_s").get<double>());
  entry.used = json.at("used").get<std::vector<std::string>>();
  add_busiest_link(entry, json);
  return entry;
}

ResultEntry compared(const Document& json) {
  ResultEntry entry;
  for (const auto* key : {"model", "tp", "sublayer", "phase"})
    entry.what += fmt::format("{}{}", entry.what.empty() ? "" : " ", as_text(json.at(key)));
  entry.strategy = as_text(json.at("strategy"));
  entry.name = fmt::format("{} {}", entry.what, entry.strategy);
  entry.time_s = json.at("time_s").get<double>();
  for (const auto* key : {"compute_s", "exposed_communication_s", "idle_s"})
    entry.terms.emplace_back(words_of(key), json.at(key).get<double>());
  add_busiest_link(entry, json);
  return entry;
}

ResultEntry sized(const Document& json) {
  constexpr double MICRO = 1e-6;
  ResultEntry entry;
  entry.what = fmt::format("{} B", as_text(json.at("size_bytes")));
  entry.strategy = as_text(json.at("strategy"));
  entry.name = fmt::format("{} {}", entry.what, entry.strategy);
  entry.time_s = json.at("time_us").get<double>() * MICRO;
  entry.used = {fmt::format("{} {}", as_text(json.at("algorithm")), as_text(json.at("protocol")))};
  add_busiest_link(entry, json);
  return entry;
}

void add_entries(ResultFile& result, const Document& list, ResultEntry (*read)(const Document&)) {
  for (const auto& one : list)
    result.entries.push_back(read(one));
}

} // namespace

ResultFile read_result_file(const std::string& file) {
  const auto document = read_json_file(file);
  ResultFile result{.file = file, .command = result_kind(document), .inputs = {}, .entries = {}};
  if (result.command.empty())
    throw UserError({.file = file}, "is no result; allowed: JSON of tandem train, compare or collective");
  try {
    if (result.command == "train")
      add_entries(result, document.at("cases"), iteration);
    else if (result.command == "compare")
      add_entries(result, document.at("cases"), compared);
    else
      add_entries(result, document.at("rows"), sized);
  } catch (const Document::exception& error) {
    throw UserError({.file = file}, fmt::format("is not as tandem {} writes it: {}", result.command, error.what()));
  }
  for (const auto& entry : result.entries)
    if (!(entry.time_s >= 0.0))
      throw UserError({.file = file}, fmt::format("{}: a time of {} s", base::in_quotes(entry.name), entry.time_s));
  result.inputs = inputs_of(document);
  return result;
}

} // namespace tandem::report
