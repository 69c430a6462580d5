// Numbers are taken over as they stand in the files; nothing is computed here but the recomputation that `compute_s`
// of an iteration holds and that the breakdown shows apart.
#include "report/report_data.h"

#include "base/error.h"
#include "report/json_file.h"
#include "report/page_timeline.h"
#include "report/report_metrics.h"
#include "report/trace_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace tandem::report {

namespace {

using base::UserError;
using Json = nlohmann::ordered_json;

std::string plain_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

const Json& primitive(const Json& value) {
  if (!value.is_primitive())
    throw UserError(fmt::format("{} is no single value", base::in_quotes(value.dump())));
  return value;
}

/// A number as the file has it.
const Json& numeric(const Json& object, const char* key) {
  const auto& value = object.at(key);
  if (!value.is_number())
    throw UserError(fmt::format("{}: {} is no number", key, base::in_quotes(value.dump())));
  return value;
}

Json metrics_of(const Json& entry, const std::string& command) {
  Json metrics = Json::object();
  for (const auto& metric : page_metrics(command))
    if (const auto found = entry.find(metric.key); found != entry.end() && !found->is_null())
      metrics[metric.key] = numeric(entry, metric.key);
  return metrics;
}

Json breakdown_of_iteration(const Json& entry) {
  const auto& breakdown = entry.at("breakdown");
  const double recompute = numeric(breakdown, "recompute_s").get<double>();
  Json parts = Json::object();
  for (const auto& [key, value] : breakdown.items()) {
    const double seconds = numeric(breakdown, key.c_str()).get<double>();
    parts[key] = key == "compute_s" ? Json(seconds - recompute) : value;
  }
  return parts;
}

/// Bytes by name, of an object of numbers; none where the file has no such object.
Json bytes_of(const Json& entry, const char* key) {
  Json parts = Json::object();
  if (const auto found = entry.find(key); found != entry.end())
    for (const auto& part : found->items())
      parts[part.key()] = numeric(*found, part.key().c_str());
  return parts;
}

/// Accounts of the pipeline stage that holds most.
Json memory_of(const Json& entry) {
  const Json* fullest = nullptr;
  double most = 0.0;
  if (const auto stages = entry.find("stages"); stages != entry.end())
    for (const auto& stage : *stages)
      if (const double bytes = numeric(stage, "peak_memory_bytes").get<double>(); fullest == nullptr || bytes > most) {
        fullest = &stage;
        most = bytes;
      }
  return fullest == nullptr ? Json::object() : bytes_of(*fullest, "memory_bytes");
}

Json empty_row() {
  Json row;
  row["source"] = 0;
  row["point"] = nullptr;
  row["inputs"] = Json::object();
  row["status"] = "ok";
  row["reason"] = nullptr;
  row["command"] = nullptr;
  row["metrics"] = Json::object();
  row["breakdown"] = Json::object();
  row["memory"] = Json::object();
  row["dram"] = Json::object();
  row["links"] = Json::object();
  row["busiest_link"] = nullptr;
  row["capacity_bytes"] = nullptr;
  return row;
}

/// `row`, with one entry of a result.
Json filled(Json row, const Json& entry, const Json& document, const std::string& command) {
  auto& inputs = row["inputs"];
  row["metrics"] = metrics_of(entry, command);
  row["links"] = bytes_of(entry, "link_bytes");
  if (const auto busiest = entry.find("busiest_link"); busiest != entry.end())
    row["busiest_link"] = primitive(*busiest);
  if (command == "train") {
    inputs["gpus"] = numeric(document, "gpus");
    const auto strategies = entry.at("strategies").get<std::string>();
    inputs["strategy"] = strategies.empty() ? "default" : strategies;
    row["breakdown"] = breakdown_of_iteration(entry);
    row["memory"] = memory_of(entry);
    if (document.contains("hbm_capacity_bytes"))
      row["capacity_bytes"] = numeric(document, "hbm_capacity_bytes");
  } else if (command == "compare") {
    for (const auto* key : {"model", "tp", "sublayer", "phase", "strategy"})
      inputs[key] = primitive(entry.at(key));
    for (const auto* key : {"compute_s", "exposed_communication_s", "idle_s"})
      row["breakdown"][key] = numeric(entry, key);
    row["dram"] = bytes_of(entry, "dram_bytes");
  } else {
    inputs["ranks"] = numeric(document, "ranks");
    inputs["size_bytes"] = numeric(entry, "size_bytes");
    inputs["strategy"] = primitive(entry.at("strategy"));
    inputs["algorithm"] = primitive(entry.at("algorithm"));
  }
  return row;
}

/// Rows of a result, each with the inputs that `base` has already.
void add_rows(Json& rows, const Json& base, const Json& document, const std::string& command) {
  for (const auto& entry : document.at(command == "collective" ? "rows" : "cases"))
    rows.push_back(filled(base, entry, document, command));
}

/// Facts that hold for all documents of a file: what differs between two is an input, or no fact.
class SharedFacts {
public:
  void add(const Json& facts) {
    if (first_)
      facts_ = facts;
    else
      for (auto fact = facts_.begin(); fact != facts_.end();)
        fact =
            facts.contains(fact.key()) && facts.at(fact.key()) == fact.value() ? std::next(fact) : facts_.erase(fact);
    first_ = false;
  }
  [[nodiscard]] const Json& get() const { return facts_; }

private:
  bool first_ = true;
  Json facts_ = Json::object();
};

void add_facts(Json& facts, const Json& object) {
  for (const auto& [key, value] : object.items())
    if (value.is_primitive() && !value.is_null())
      facts[key] = plain_text(value);
}

Json facts_of(const Json& document) {
  Json facts = Json::object();
  for (const auto* key :
       {"version", "model", "platform", "device", "gpus", "plan", "peak", "operation", "ranks", "library", "baseline"})
    if (const auto found = document.find(key); found != document.end() && found->is_primitive() && !found->is_null())
      facts[key] = plain_text(*found);
  for (const auto* key : {"tandem", "configuration", "settings"})
    if (const auto found = document.find(key); found != document.end() && found->is_object())
      add_facts(facts, *found);
  if (const auto found = document.find("interrupted"); found != document.end() && *found == true)
    facts["interrupted"] = "yes: only a part of the cases was simulated";
  return facts;
}

void add_assumed(std::set<std::string>& assumed, const Json& document) {
  if (const auto found = document.find("assumed"); found != document.end())
    for (const auto& one : *found)
      assumed.insert(one.get<std::string>());
}

std::string title_of_result(const Json& document, const std::string& command) {
  if (command == "train")
    return fmt::format("{} on {} x {}", plain_text(document.at("model")), plain_text(document.at("gpus")),
                       plain_text(document.at("device")));
  if (command == "compare")
    return plain_text(document.at("workload").at("title"));
  return fmt::format("{} of {} ranks on {}", plain_text(document.at("operation")), plain_text(document.at("ranks")),
                     plain_text(document.at("device")));
}

void add_result(Json& source, Json& rows, const Json& document, const std::string& command) {
  source["title"] = title_of_result(document, command);
  source["command"] = command;
  source["study"] = false;
  source["facts"] = facts_of(document);
  source["varying"] = Json::array();
  std::set<std::string> assumed;
  add_assumed(assumed, document);
  source["assumed"] = assumed;
  auto row = empty_row(); // what may set it apart from the results of other files
  for (const auto* key : {"model", "platform", "device", "plan", "operation"})
    if (const auto found = document.find(key); found != document.end())
      row["inputs"][key] = primitive(*found);
  if (const auto found = document.find("configuration"); found != document.end())
    for (const auto& [key, value] : found->items())
      row["inputs"][key] = primitive(value);
  add_rows(rows, row, document, command);
}

void add_study(Json& source, Json& rows, const Json& study) {
  const auto command = study.at("study").at("command").get<std::string>();
  if (command != "train" && command != "compare" && command != "collective")
    throw UserError(base::unknown_word("command", command, {"train", "compare", "collective"}));
  source["title"] = study.at("study").at("title").get<std::string>();
  source["command"] = command;
  source["study"] = true;
  SharedFacts shared_inputs, shared_results;
  std::set<std::string> assumed;
  for (const auto& point : study.at("points")) {
    auto row = empty_row();
    row["point"] = numeric(point, "point");
    Json facts = Json::object();
    for (const auto& [key, value] : point.at("inputs").items())
      if (!primitive(value).is_null())
        row["inputs"][key] = value;
    add_facts(facts, point.at("inputs"));
    shared_inputs.add(facts);
    row["status"] = point.at("status").get<std::string>();
    for (const auto* key : {"reason", "command"})
      row[key] = primitive(point.at(key));
    const auto& document = point.at("result");
    if (document.is_null()) {
      rows.push_back(std::move(row));
      continue;
    }
    if (result_kind(document) != command)
      throw UserError(fmt::format("point {} has no result of tandem {}", point.at("point").dump(), command));
    shared_results.add(facts_of(document));
    add_assumed(assumed, document);
    add_rows(rows, row, document, command);
  }
  source["facts"] = shared_results.get();
  add_facts(source["facts"], shared_inputs.get());
  source["varying"] = study.at("varying").get<std::vector<std::string>>();
  source["assumed"] = assumed;
}

void add_file(Json& data, const ReportInput& input) {
  const auto& file = input.file;
  if (is_trace(input.text)) {
    Json timeline;
    timeline["file"] = file;
    timeline.update(page_timeline(read_trace(input.text, file)));
    data["timelines"].push_back(std::move(timeline));
    return;
  }
  const auto document = parse_json_file(input.text, file);
  const auto command = result_kind(document);
  const bool study = document.is_object() && document.contains("study") && document.contains("points");
  if (command.empty() && !study)
    throw UserError({.file = file},
                    "is no result; allowed: JSON of tandem sweep, train, compare or collective, a store of "
                    "tandem sweep, a timeline");
  Json source, rows = Json::array();
  source["file"] = file;
  try {
    if (study)
      add_study(source, rows, document);
    else
      add_result(source, rows, document, command);
  } catch (const UserError& error) {
    throw UserError({.file = file}, error.what());
  } catch (const Json::exception& error) {
    throw UserError({.file = file},
                    fmt::format("is not as tandem {} writes it: {}", study ? "sweep" : command, error.what()));
  }
  if (rows.empty())
    throw UserError({.file = file}, "has no points or entries, so that there is nothing to show");
  for (auto& row : rows) {
    row["source"] = data["sources"].size();
    data["rows"].push_back(std::move(row));
  }
  data["sources"].push_back(std::move(source));
}

Json definitions() {
  Json all = Json::object();
  for (const auto* command : {"train", "compare", "collective"})
    for (const auto& metric : page_metrics(command))
      all[command].push_back(
          {{"key", metric.key}, {"label", metric.label}, {"unit", metric.unit}, {"meaning", metric.meaning}});
  return all;
}

} // namespace

Json report_data(const std::vector<ReportInput>& inputs, const std::string& version) {
  Json data;
  data["version"] = version;
  data["title"] = "";
  data["sources"] = Json::array();
  data["metrics"] = definitions();
  data["rows"] = Json::array();
  data["timelines"] = Json::array();
  for (const auto& input : inputs)
    add_file(data, input);
  std::string title;
  for (const auto& source : data["sources"])
    title += fmt::format("{}{}", title.empty() ? "" : " · ", source.at("title").get<std::string>());
  data["title"] = title.empty() ? "Timeline" : title;
  return data;
}

} // namespace tandem::report
