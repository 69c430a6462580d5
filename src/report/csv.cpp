// Columns of the CSV of `tandem compare`, and RFC 4180 quoting.
#include "report/csv.h"

#include "report/numbers.h"

#include <array>
#include <fmt/format.h>
#include <functional>

namespace tandem::report {

namespace {

using model::CaseResult;

struct Column {
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

constexpr std::array COLUMNS = {
    Column{"model", [](const CaseResult& r) { return r.model; }},
    Column{"tp", [](const CaseResult& r) { return fmt::format("{}", r.tp); }},
    Column{"sublayer", [](const CaseResult& r) { return r.sublayer; }},
    Column{"phase", [](const CaseResult& r) { return r.phase; }},
    Column{"platform", [](const CaseResult& r) { return r.platform; }},
    Column{"strategy", [](const CaseResult& r) { return r.strategy; }},
    Column{"ideal", [](const CaseResult& r) { return std::string(r.ideal ? "true" : "false"); }},
    Column{"time_s", [](const CaseResult& r) { return number(r.time_s); }},
    Column{"gemm_s", [](const CaseResult& r) { return number(r.gemm_s); }},
    Column{"rs_s", [](const CaseResult& r) { return number(r.rs_s); }},
    Column{"ag_s", [](const CaseResult& r) { return number(r.ag_s); }},
    Column{"other_s", [](const CaseResult& r) { return number(r.other_s); }},
    Column{"compute_s", [](const CaseResult& r) { return number(r.compute_s); }},
    Column{"exposed_communication_s", [](const CaseResult& r) { return number(r.exposed_s); }},
    Column{"idle_s", [](const CaseResult& r) { return number(r.idle_s); }},
    Column{"speedup", [](const CaseResult& r) { return r.speedup > 0.0 ? number(r.speedup) : std::string(); }},
    Column{"lower_bound_s", [](const CaseResult& r) { return number(r.lower_bound_s); }},
    Column{"gemm_read_bytes", [](const CaseResult& r) { return number(r.dram.gemm_read); }},
    Column{"gemm_write_bytes", [](const CaseResult& r) { return number(r.dram.gemm_write); }},
    Column{"rs_read_bytes", [](const CaseResult& r) { return number(r.dram.rs_read); }},
    Column{"rs_write_bytes", [](const CaseResult& r) { return number(r.dram.rs_write); }},
    Column{"ag_read_bytes", [](const CaseResult& r) { return number(r.dram.ag_read); }},
    Column{"ag_write_bytes", [](const CaseResult& r) { return number(r.dram.ag_write); }},
    Column{"other_read_bytes", [](const CaseResult& r) { return number(r.dram.other_read); }},
    Column{"other_write_bytes", [](const CaseResult& r) { return number(r.dram.other_write); }},
    Column{"dram_bytes", [](const CaseResult& r) { return number(r.dram.total()); }},
    Column{"memory_intensity", [](const CaseResult& r) { return number(r.memory_intensity); }},
    Column{"queue_threshold", [](const CaseResult& r) { return fmt::format("{}", r.queue_threshold); }},
    Column{"algorithm", [](const CaseResult& r) { return r.algorithm; }},
    Column{"limit", [](const CaseResult& r) { return r.limit; }},
    Column{"resources", resources_text},
    Column{"assumed", [](const CaseResult& r) { return joined(r.assumed); }},
    Column{"played_gpus", [](const CaseResult& r) { return fmt::format("{}", r.played_gpus); }},
    Column{"notes", [](const CaseResult& r) { return joined(r.notes); }},
};

void append_row(std::string& out, const std::function<std::string(const Column&)>& text) {
  for (const Column& column : COLUMNS) {
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
  append_row(out, [](const Column& column) { return std::string(column.name); });
  for (const CaseResult& result : comparison.cases)
    append_row(out, [&](const Column& column) { return column.text(result); });
  return out;
}

} // namespace tandem::report
