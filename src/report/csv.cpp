// Columns of the CSV of `tandem compare`, and RFC 4180 quoting.
#include "report/csv.h"

#include "report/energy_report.h"
#include "report/link_report.h"
#include "report/numbers.h"

#include <array>
#include <fmt/format.h>
#include <functional>

namespace tandem::report {

namespace {

using model::CaseResult;

struct CaseColumn {
  const char* name;
  std::string (*text)(const CaseResult&);
};

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, "; "));
}

/// "name 12/256 3 spills; ...": peak, capacity, spills.
std::string resources_text(const CaseResult& result) {
  std::vector<std::string> uses;
  for (const model::ResourceUse& use : result.resources)
    uses.push_back(fmt::format("{} {}/{} {} spills", use.name, use.peak, use.capacity, use.spills));
  return joined(uses);
}

std::string energy_field(const CaseResult& result, std::size_t number) {
  return energy_fields(result.energy)[number];
}

std::string link_field(const CaseResult& result, std::size_t number) {
  return link_fields(result.links)[number];
}

constexpr std::array COLUMNS = {
    CaseColumn{"model", [](const CaseResult& r) { return r.model; }},
    CaseColumn{"tp", [](const CaseResult& r) { return fmt::format("{}", r.tp); }},
    CaseColumn{"sublayer", [](const CaseResult& r) { return r.sublayer; }},
    CaseColumn{"phase", [](const CaseResult& r) { return r.phase; }},
    CaseColumn{"platform", [](const CaseResult& r) { return r.platform; }},
    CaseColumn{"strategy", [](const CaseResult& r) { return r.strategy; }},
    CaseColumn{"ideal", [](const CaseResult& r) { return std::string(r.ideal ? "true" : "false"); }},
    CaseColumn{"time_s", [](const CaseResult& r) { return number(r.time_s); }},
    CaseColumn{"gemm_s", [](const CaseResult& r) { return number(r.gemm_s); }},
    CaseColumn{"rs_s", [](const CaseResult& r) { return number(r.rs_s); }},
    CaseColumn{"ag_s", [](const CaseResult& r) { return number(r.ag_s); }},
    CaseColumn{"other_s", [](const CaseResult& r) { return number(r.other_s); }},
    CaseColumn{"compute_s", [](const CaseResult& r) { return number(r.compute_s); }},
    CaseColumn{"exposed_communication_s", [](const CaseResult& r) { return number(r.exposed_s); }},
    CaseColumn{"idle_s", [](const CaseResult& r) { return number(r.idle_s); }},
    CaseColumn{"speedup", [](const CaseResult& r) { return r.speedup > 0.0 ? number(r.speedup) : std::string(); }},
    CaseColumn{"lower_bound_s", [](const CaseResult& r) { return number(r.lower_bound_s); }},
    CaseColumn{"gemm_read_bytes", [](const CaseResult& r) { return number(r.dram.gemm_read); }},
    CaseColumn{"gemm_write_bytes", [](const CaseResult& r) { return number(r.dram.gemm_write); }},
    CaseColumn{"rs_read_bytes", [](const CaseResult& r) { return number(r.dram.rs_read); }},
    CaseColumn{"rs_write_bytes", [](const CaseResult& r) { return number(r.dram.rs_write); }},
    CaseColumn{"ag_read_bytes", [](const CaseResult& r) { return number(r.dram.ag_read); }},
    CaseColumn{"ag_write_bytes", [](const CaseResult& r) { return number(r.dram.ag_write); }},
    CaseColumn{"other_read_bytes", [](const CaseResult& r) { return number(r.dram.other_read); }},
    CaseColumn{"other_write_bytes", [](const CaseResult& r) { return number(r.dram.other_write); }},
    CaseColumn{"dram_bytes", [](const CaseResult& r) { return number(r.dram.total()); }},
    CaseColumn{"memory_intensity", [](const CaseResult& r) { return number(r.memory_intensity); }},
    CaseColumn{"queue_threshold", [](const CaseResult& r) { return fmt::format("{}", r.queue_threshold); }},
    CaseColumn{"algorithm", [](const CaseResult& r) { return r.algorithm; }},
    CaseColumn{"limit", [](const CaseResult& r) { return r.limit; }},
    CaseColumn{"resources", resources_text},
    CaseColumn{"assumed", [](const CaseResult& r) { return joined(r.assumed); }},
    CaseColumn{"played_gpus", [](const CaseResult& r) { return fmt::format("{}", r.played_gpus); }},
    CaseColumn{"energy_j", [](const CaseResult& r) { return energy_field(r, 0); }},
    CaseColumn{"idle_j", [](const CaseResult& r) { return energy_field(r, 1); }},
    CaseColumn{"sm_energy_j", [](const CaseResult& r) { return energy_field(r, 2); }},
    CaseColumn{"memory_energy_j", [](const CaseResult& r) { return energy_field(r, 3); }},
    CaseColumn{"link_energy_j", [](const CaseResult& r) { return energy_field(r, 4); }},
    CaseColumn{"nvlink_link_bytes", [](const CaseResult& r) { return link_field(r, 0); }},
    CaseColumn{"xgmi_link_bytes", [](const CaseResult& r) { return link_field(r, 1); }},
    CaseColumn{"pcie_link_bytes", [](const CaseResult& r) { return link_field(r, 2); }},
    CaseColumn{"network_link_bytes", [](const CaseResult& r) { return link_field(r, 3); }},
    CaseColumn{"other_link_bytes", [](const CaseResult& r) { return link_field(r, 4); }},
    CaseColumn{"busiest_link", [](const CaseResult& r) { return r.links.busiest; }},
    CaseColumn{"busiest_link_bytes", [](const CaseResult& r) { return link_field(r, 6); }},
    CaseColumn{"busiest_link_utilisation", [](const CaseResult& r) { return link_field(r, 7); }},
    CaseColumn{"notes", [](const CaseResult& r) { return joined(r.notes); }},
};

void append_row(std::string& out, const std::function<std::string(const CaseColumn&)>& text) {
  for (const CaseColumn& column : COLUMNS) {
    if (&column != COLUMNS.data())
      out += ',';
    out += csv_field(text(column));
  }
  out += "\r\n";
}

} // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos)
    return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"')
      quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string comparison_csv(const model::Comparison& comparison) {
  std::string out;
  append_row(out, [](const CaseColumn& column) { return std::string(column.name); });
  for (const CaseResult& result : comparison.cases)
    append_row(out, [&](const CaseColumn& column) { return column.text(result); });
  return out;
}

} // namespace tandem::report
