// Keys and order of the JSON of `tandem compare`.
#include "report/json.h"

#include "report/energy_report.h"
#include "report/json_text.h"
#include "report/link_report.h"
#include "report/summary.h"

#include <nlohmann/json.hpp>

namespace tandem::report {

namespace {

using Json = nlohmann::ordered_json;

Json object_of(const std::map<std::string, std::string>& pairs) {
  Json object = Json::object();
  for (const auto& [key, value] : pairs)
    object[key] = value;
  return object;
}

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json dram_json(const model::DramSummary& dram) {
  return {{"gemm_read", dram.gemm_read},   {"gemm_write", dram.gemm_write},  {"rs_read", dram.rs_read},
          {"rs_write", dram.rs_write},     {"ag_read", dram.ag_read},        {"ag_write", dram.ag_write},
          {"other_read", dram.other_read}, {"other_write", dram.other_write}};
}

Json resources_json(const std::vector<model::ResourceUse>& resources) {
  Json array = Json::array();
  for (const model::ResourceUse& use : resources)
    array.push_back({{"name", use.name}, {"capacity", use.capacity}, {"peak", use.peak}, {"spills", use.spills}});
  return array;
}

Json case_json(const model::CaseResult& result) {
  Json object;
  object["model"] = result.model;
  object["tp"] = result.tp;
  object["sublayer"] = result.sublayer;
  object["phase"] = result.phase;
  object["platform"] = result.platform;
  object["strategy"] = result.strategy;
  object["ideal"] = result.ideal;
  object["time_s"] = result.time_s;
  object["gemm_s"] = result.gemm_s;
  object["gemm_split"] = {{"compute_s", result.gemm_split.compute_s},
                          {"memory_s", result.gemm_split.memory_s},
                          {"launch_s", result.gemm_split.launch_s},
                          {"waiting_s", result.gemm_split.waiting_s}};
  object["rs_s"] = result.rs_s;
  object["ag_s"] = result.ag_s;
  object["other_s"] = result.other_s;
  object["compute_s"] = result.compute_s;
  object["exposed_communication_s"] = result.exposed_s;
  object["idle_s"] = result.idle_s;
  object["speedup"] = result.speedup > 0.0 ? Json(result.speedup) : Json(nullptr);
  object["lower_bound_s"] = result.lower_bound_s;
  object["dram_bytes"] = dram_json(result.dram);
  object.update(links_json(result.links));
  if (!result.items.empty()) {
    Json items = Json::array();
    for (const model::ItemTime& item : result.items)
      items.push_back({{"name", item.name}, {"kind", item.kind}, {"time_s", item.time_s}});
    object["items"] = items;
  }
  object["limit"] = result.limit;
  object["algorithm"] = result.algorithm;
  object["resources"] = resources_json(result.resources);
  object["memory_intensity"] = result.memory_intensity;
  object["queue_threshold"] = result.queue_threshold;
  object["played_gpus"] = result.played_gpus;
  object["fold_factor"] = result.played_gpus > 0 ? static_cast<double>(result.tp) / result.played_gpus : 1.0;
  if (result.energy)
    object["energy"] = energy_json(*result.energy, result.time_s, result.tp);
  object["assumed"] = result.assumed;
  object["notes"] = result.notes;
  return object;
}

Json summary_json(const StrategySummary& summary) {
  Json object;
  object["strategy"] = summary.strategy;
  object["ideal"] = summary.ideal;
  object["count"] = summary.count;
  object["geomean_speedup"] = or_null(summary.geomean_speedup);
  object["max_speedup"] = or_null(summary.max_speedup);
  object["min_speedup"] = or_null(summary.min_speedup);
  object["mean_exposed_share"] = summary.mean_exposed_share;
  object["mean_dram_reduction"] = or_null(summary.mean_dram_reduction);
  object["max_dram_reduction"] = or_null(summary.max_dram_reduction);
  object["gemm_read_ratio_geomean"] = or_null(summary.gemm_read_ratio_geomean);
  object["limit"] = summary.limit;
  object["limit_count"] = summary.limit_count;
  return object;
}

} // namespace

std::string comparison_json(const model::Comparison& comparison) {
  Json document;
  document["tandem"] = {{"version", comparison.version}};
  document["workload"] = {{"title", comparison.title}, {"file", comparison.workload_file}};
  document["baseline"] = comparison.baseline;
  document["inputs"] = object_of(comparison.digests);
  document["settings"] = object_of(comparison.settings);
  document["seed"] = comparison.seed;
  document["interrupted"] = comparison.interrupted;
  document["cases"] = Json::array();
  for (const model::CaseResult& result : comparison.cases)
    document["cases"].push_back(case_json(result));
  document["summary"] = Json::array();
  for (const StrategySummary& summary : summarize(comparison))
    document["summary"].push_back(summary_json(summary));
  return json_text(document);
}

} // namespace tandem::report
