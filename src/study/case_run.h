// One case under one strategy: schedules for its items, proof, simulation, summary.
#pragma once

#include "model/cluster.h"
#include "model/recording.h"
#include "model/result.h"
#include "model/workload.h"
#include "study/run_limit.h"

#include <memory>
#include <string>
#include <vector>

namespace tandem::study {

/// The schedules of a case's items, in order.
struct PlannedCase {
  std::vector<std::shared_ptr<const model::Schedule>> items;
  std::vector<std::string> names;
  double lower_bound_s = 0.0;
  std::string algorithm;              ///< of the reduce-scatter
  std::vector<std::string> assumed{}; ///< the strategy's parameters that rest on no source
  RunCost proofs{};                   ///< of the schedules, one after the other
  [[nodiscard]] std::vector<const model::Schedule*> sequence() const;
};

/// Plans and verifies every item. Throws Infeasible when the strategy cannot do it (says why) or a proof would cost
/// more than `limit` bears; Bug when a schedule is not proven.
PlannedCase plan_case(const model::Case& described, const std::string& strategy, const model::Cluster& cluster,
                      const RunLimit& limit = RunLimit());

/// The first of those that end last.
std::size_t slowest_rank(const std::vector<model::RankItem>& ranks);

/// What a recording says of the case; the limit line is left to explain().
model::CaseResult summarize_case(const model::Case& described, const std::string& strategy, const PlannedCase& planned,
                                 const model::Recording& recording, const model::Cluster& cluster);

} // namespace tandem::study
