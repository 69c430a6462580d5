// Made-up results for the tests of this folder, with round numbers.
#pragma once

#include "model/result.h"

#include <string>
#include <vector>

namespace tandem::report::fakes {

struct FakeCase {
  std::string model = "T-NLG";
  int tp = 8;
  std::string sublayer = "OP";
};

/// Sequential 1 ms (0.5 GEMM + 0.25 RS + 0.25 AG), t3 `t3_s`, and the ideal bound of 0.75 ms. DRAM: 1 GB, 0.8 GB and 1
/// GB.
inline std::vector<model::CaseResult> case_of(const FakeCase& fake, double t3_s) {
  model::CaseResult base;
  base.model = fake.model;
  base.tp = fake.tp;
  base.sublayer = fake.sublayer;
  base.phase = "forward";
  base.platform = "ring.xml";
  base.strategy = "sequential";
  base.time_s = 1e-3;
  base.gemm_s = 0.5e-3;
  base.rs_s = base.ag_s = 0.25e-3;
  base.compute_s = base.exposed_s = 0.5e-3;
  base.speedup = 1.0;
  base.lower_bound_s = 0.5e-3;
  base.dram = {0.4e9, 0.1e9, 0.1e9, 0.1e9, 0.15e9, 0.15e9, 0, 0};
  base.links.bytes[static_cast<std::size_t>(model::Medium::NVLINK)] = 0.25e9;
  base.links.busiest = "link, 0"; // a name that CSV quotes
  base.links.busiest_medium = model::Medium::NVLINK;
  base.links.busiest_bytes = 0.25e9;
  base.links.utilisation = 0.5;
  base.limit = "nothing overlaps: 50 % of the time is communication";
  base.algorithm = "ring";

  model::CaseResult t3 = base;
  t3.strategy = "t3";
  t3.time_s = t3_s;
  t3.rs_s = 0.5e-3;
  t3.exposed_s = t3_s - 0.5e-3;
  t3.speedup = 1e-3 / t3_s;
  t3.dram.gemm_read = 0.2e9;
  t3.limit = "links (80 % busy)";
  t3.resources = {{"tracker entries", 256, 40, 0}};
  t3.memory_intensity = 0.25;
  t3.queue_threshold = 10;
  t3.assumed = {"near_memory.update_cost"};
  t3.notes = {"the tracker watches blocks of 4 tiles"};

  model::CaseResult ideal = base;
  ideal.strategy = "ideal-overlap";
  ideal.ideal = true;
  ideal.time_s = 0.75e-3;
  ideal.speedup = 4.0 / 3.0;
  ideal.limit = "the longer of GEMM and RS: GEMM";
  return {base, t3, ideal};
}

inline model::Comparison comparison(const std::vector<std::vector<model::CaseResult>>& cases) {
  model::Comparison result;
  result.title = "Sub-layers";
  result.workload_file = "workloads/sub.yaml";
  result.baseline = "sequential";
  result.version = "0.1.0";
  result.seed = 7;
  result.digests = {{"ring.xml", "00ff"}, {"workloads/sub.yaml", "a1"}};
  result.settings = {{"network/model", "CM02"}};
  for (const auto& results : cases)
    result.cases.insert(result.cases.end(), results.begin(), results.end());
  return result;
}

/// Two cases: t3 takes 0.8 ms (1.25x) and 0.5 ms (2x).
inline model::Comparison two_cases() {
  return comparison({case_of({}, 0.8e-3), case_of({"T-NLG", 16, "FC-2"}, 0.5e-3)});
}

} // namespace tandem::report::fakes
