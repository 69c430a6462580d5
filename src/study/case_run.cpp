// From a case to its schedules, and from the recording to its result.
#include "study/case_run.h"

#include "base/error.h"
#include "collective/bounds.h"
#include "collective/kernels.h"
#include "collective/strategy.h"
#include "collective/verify.h"

#include <algorithm>

namespace tandem::study {

using model::Phase;

namespace {

model::Schedule plan_item(const model::Item& item, int ranks, const collective::Selection& selection,
                          const model::Cluster& cluster, double& bound) {
  if (!item.collective) {
    if (item.gemm)
      return collective::kernel_schedule(item.name, *item.gemm, ranks, cluster);
    if (item.kernel)
      return collective::kernel_schedule(item.name, *item.kernel, ranks, cluster);
    throw base::Bug("item " + item.name + " computes nothing");
  }
  if (!item.gemm)
    throw base::Bug("item " + item.name + " has a collective without a GEMM");
  const bool gathers = item.collective == model::CollectiveKind::ALL_GATHER;
  const model::CollectiveOp op{
      .kind = *item.collective, .ranks = ranks, .bytes = gathers ? item.gemm->input() : item.gemm->output()};
  using Gemm = std::optional<model::Gemm>;
  const collective::Request request{
      .op = op, .producer = gathers ? Gemm() : item.gemm, .consumer = gathers ? item.gemm : Gemm()};
  if (const auto reason = selection.strategy->why_not(request, cluster); !reason.empty())
    throw base::Infeasible("strategy " + selection.text + " cannot do " + item.name + ": " + reason);
  bound += collective::lower_bound(request, cluster, selection.wire_factor).value();
  return selection.strategy->plan(request, cluster);
}

/// From first start to last end of a phase, slowest rank.
double phase_time(const std::vector<model::RankItem>& ranks, Phase phase) {
  double slowest = 0.0;
  for (const auto& rank : ranks) {
    const auto& times = rank.phases[static_cast<std::size_t>(phase)];
    if (times.used)
      slowest = std::max(slowest, times.end_s - times.begin_s);
  }
  return slowest;
}

double item_time(const std::vector<model::RankItem>& ranks) {
  double begin = ranks.front().begin_s, end = ranks.front().end_s;
  for (const auto& rank : ranks) {
    begin = std::min(begin, rank.begin_s);
    end = std::max(end, rank.end_s);
  }
  return end - begin;
}

std::string kind_of(const model::Item& item) {
  if (item.collective)
    return "sub-layer";
  if (!item.gemm)
    return "element-wise";
  return item.gemm->batch > 1 ? "batched GEMM" : "GEMM";
}

model::DramSummary mean_dram(const model::Recording& recording) {
  model::DramSummary mean;
  const auto sizes = recording.class_sizes();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto& dram = recording.dram[i];
    const double share = static_cast<double>(sizes[i]) / recording.ranks;
    mean.gemm_read += dram.reads(Phase::GEMM) * share;
    mean.gemm_write += dram.writes(Phase::GEMM) * share;
    mean.rs_read += dram.reads(Phase::RS) * share;
    mean.rs_write += dram.writes(Phase::RS) * share;
    mean.ag_read += dram.reads(Phase::AG) * share;
    mean.ag_write += dram.writes(Phase::AG) * share;
    mean.other_read += dram.reads(Phase::OTHER) * share;
    mean.other_write += dram.writes(Phase::OTHER) * share;
  }
  return mean;
}

} // namespace

std::vector<const model::Schedule*> PlannedCase::sequence() const {
  std::vector<const model::Schedule*> list;
  for (const auto& item : items)
    list.push_back(item.get());
  return list;
}

PlannedCase plan_case(const model::Case& described, const std::string& strategy, const model::Cluster& cluster,
                      const RunLimit& limit) {
  const auto selection = collective::select_strategy(strategy);
  PlannedCase planned;
  planned.assumed = selection.assumed;
  const auto algorithm = selection.parameters.find("algorithm");
  planned.algorithm = algorithm == selection.parameters.end() ? "ring" : algorithm->second;
  for (const auto& item : described.items) {
    auto schedule =
        std::make_shared<model::Schedule>(plan_item(item, described.tp, selection, cluster, planned.lower_bound_s));
    planned.proofs = one_after_the_other(planned.proofs, proof_cost(*schedule));
    limit.check_proof(planned.proofs);
    collective::require_proof(*schedule, "strategy " + strategy + ", " + item.name);
    if (item.collective == model::CollectiveKind::ALL_GATHER)
      planned.algorithm = schedule->algorithm.empty() ? "ring" : schedule->algorithm;
    planned.items.push_back(std::move(schedule));
    planned.names.push_back(item.name);
    if (item.collective == model::CollectiveKind::ALL_TO_ALL)
      planned.algorithm = "direct";
  }
  return planned;
}

std::size_t slowest_rank(const std::vector<model::RankItem>& ranks) {
  const auto slowest =
      std::max_element(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.end_s < b.end_s; });
  return static_cast<std::size_t>(slowest - ranks.begin());
}

model::CaseResult summarize_case(const model::Case& described, const std::string& strategy, const PlannedCase& planned,
                                 const model::Recording& recording, const model::Cluster& cluster) {
  model::CaseResult result;
  result.model = described.model;
  result.tp = described.tp;
  result.sublayer = described.sublayer;
  result.phase = described.phase;
  result.platform = described.platform;
  result.strategy = strategy;
  result.time_s = recording.end_s;
  result.lower_bound_s = planned.lower_bound_s;
  const auto slowest = slowest_rank(recording.items.back());
  for (std::size_t item = 0; item < recording.items.size(); ++item) {
    const auto& ranks = recording.items[item];
    result.compute_s += ranks[slowest].compute_s;
    result.exposed_s += ranks[slowest].exposed_s;
    result.idle_s += ranks[slowest].idle_s;
    const bool sublayer = described.items[item].collective.has_value();
    result.items.push_back({described.items[item].name, kind_of(described.items[item]), item_time(ranks)});
    if (!sublayer) {
      result.other_s += result.items.back().time_s;
      continue;
    }
    const auto kind = *described.items[item].collective;
    const double gemm = phase_time(ranks, Phase::GEMM), ag = phase_time(ranks, Phase::AG);
    const double rs = phase_time(ranks, kind == model::CollectiveKind::ALL_TO_ALL ? Phase::OTHER : Phase::RS);
    result.gemm_s += gemm;
    result.gemm_split.compute_s += ranks[slowest].compute_sm_s;
    result.gemm_split.memory_s += ranks[slowest].compute_memory_s;
    result.gemm_split.launch_s += ranks[slowest].compute_launch_s;
    result.gemm_split.waiting_s += gemm - ranks[slowest].compute_s;
    result.rs_s += rs;
    result.ag_s += ag;
    if (planned.items[item]->ideal) { // the two phases were timed in isolation; the bound lets the shorter one vanish
      const double hidden = std::min(gemm, kind == model::CollectiveKind::ALL_GATHER ? ag : rs);
      result.ideal = true;
      result.time_s -= hidden;
      result.items.back().time_s -= hidden;
      result.exposed_s -= hidden;
    }
  }
  if (result.items.size() == 1)
    result.items.clear();
  result.dram = mean_dram(recording);
  result.links = model::link_use(recording, cluster, result.time_s);
  result.resources = recording.resources;
  result.played_gpus = recording.classes();
  result.memory_intensity = recording.memory_intensity;
  result.queue_threshold = recording.queue_threshold;
  result.algorithm = planned.algorithm;
  result.assumed = cluster.all_assumed({});
  result.assumed.insert(result.assumed.end(), planned.assumed.begin(), planned.assumed.end());
  return result;
}

} // namespace tandem::study
