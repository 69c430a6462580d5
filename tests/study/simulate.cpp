// Plan, play and summarize in a child, as `compare` does.
#include "study/simulate.h"

#include "base/error.h"
#include "engine/play.h"
#include "platform/platform.h"
#include "report/checks.h"
#include "study/case_run.h"
#include "study/fork_pool.h"
#include "study/result_wire.h"
#include "workload/workload_reader.h"

#include <cmath>

namespace tandem::study {

std::vector<model::CaseResult> simulate_all(const std::vector<Job>& runs) {
  std::vector<std::function<std::string()>> tasks;
  for (const auto& run : runs)
    tasks.emplace_back([&run] {
      const auto planned = plan_case(run.described, run.strategy, run.cluster);
      const auto recording = engine::play(run.cluster, planned.sequence());
      Answer answer;
      answer.result = summarize_case(run.described, run.strategy, planned, recording, run.cluster);
      if (const auto failed = report::failed_checks(recording, answer.result); !failed.empty())
        throw base::Bug(run.strategy + ": " + failed.front());
      return to_wire(answer);
    });
  std::vector<model::CaseResult> results;
  for (const auto& text : run_forked(tasks))
    results.push_back(from_wire(text).result);
  return results;
}

model::Cluster shipped_platform(const std::string& file) {
  const std::string folder = TANDEM_SOURCE_DIR "/platforms/";
  return platform::read_cluster(folder + file, {folder + "devices"});
}

model::Case sublayer(int ranks, const model::Gemm& gemm, model::CollectiveKind kind) {
  model::Case described;
  described.model = "test";
  described.tp = ranks;
  described.sublayer = "OP";
  described.items = {{.name = "OP", .gemm = gemm, .kernel = std::nullopt, .collective = kind}};
  return described;
}

model::Workload workload_of(const std::string& text) {
  return workload::parse_workload(text, TANDEM_SOURCE_DIR "/workloads/test.yaml");
}

model::Workload shipped_workload(const std::string& file) {
  return workload::read_workload(TANDEM_SOURCE_DIR "/workloads/" + file);
}

double relative_error(double a, double b) {
  return std::abs(a - b) / std::abs(b);
}

} // namespace tandem::study
