// Plans, proves and keeps the schedules of a training job.
#include "study/training/schedule_book.h"

#include "base/error.h"
#include "base/text.h"
#include "collective/flow.h"
#include "collective/strategy.h"
#include "collective/verify.h"
#include "model/gemm_time.h"
#include "model/kernel_cost.h"
#include "study/collective.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::study {

using base::Infeasible;
using base::UserError;
using model::CollectiveKind;
using model::Dimension;

namespace {

/// What a dimension's other collectives go by where its strategy is for those behind a GEMM, as `compare` has them: the
/// library's protocols cost time of their own, and would count against the overlap.
constexpr const char* BESIDE_FUSION = "sequential";

const std::vector<Dimension>& named_dimensions() {
  static const std::vector<Dimension> list{Dimension::TP, Dimension::CP, Dimension::EP, Dimension::PP, Dimension::DP};
  return list;
}

/// Of "tp=ring:channels=2": "tp" and the rest; an empty dimension where none is named.
std::pair<std::string, std::string> split_dimension(const std::string& text) {
  const auto equals = text.find('='), colon = text.find(':');
  if (equals == std::string::npos || (colon != std::string::npos && colon < equals))
    return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Dimension dimension_named(const std::string& name) {
  std::vector<std::string> names;
  for (const auto dimension : named_dimensions()) {
    if (model::to_string(dimension) == name)
      return dimension;
    names.push_back(model::to_string(dimension));
  }
  throw UserError(base::unknown_word("dimension", name, names));
}

/// All of a schedule that matters for the book's key; sizes with all their digits.
std::string key_of(const CollectiveUse& use, const std::vector<std::uint32_t>& members) {
  std::string key = fmt::format("{} {} {:a} {} {}", model::to_string(use.dimension), model::to_string(use.op.kind),
                                use.op.bytes.value(), use.op.root, members.size());
  for (const auto& [word, gemm] : {std::pair{"after", &use.producer}, {"before", &use.consumer}})
    if (*gemm)
      key += fmt::format(" {} {}x{}x{}x{} {}", word, (*gemm)->m, (*gemm)->n, (*gemm)->k, (*gemm)->batch,
                         (*gemm)->precision);
  for (const auto member : members)
    key += fmt::format(",{}", member);
  return key;
}

/// A broadcast between two pipeline stages is a message.
std::string what_of(const CollectiveUse& use, bool fused) {
  const bool message = use.dimension == Dimension::PP && use.op.kind == CollectiveKind::BROADCAST;
  return fmt::format("{}{} {}", fused ? "GEMM with " : "", model::to_string(use.dimension),
                     message ? "message" : model::to_string(use.op.kind));
}

/// Empty: a strategy is for collectives behind a GEMM, and takes one on these GPUs.
std::string why_no_fusion(const collective::Strategy& strategy, const model::Cluster& group) {
  const auto& peak = group.gpus.front().device->peak;
  if (peak.empty())
    return "the device has no matrix peak";
  constexpr std::int64_t SIDE = 1024; // any GEMM will do
  const int ranks = static_cast<int>(group.gpus.size());
  const model::Gemm gemm{.m = SIDE * ranks, .n = SIDE, .k = SIDE, .batch = 1, .precision = peak.begin()->first};
  collective::Request request;
  request.op.kind = CollectiveKind::REDUCE_SCATTER;
  request.op.ranks = ranks;
  request.op.bytes = gemm.output();
  request.producer = gemm;
  return strategy.why_not(request, group);
}

} // namespace

DimensionStrategies read_dimension_strategies(const std::string& text) {
  DimensionStrategies read;
  for (const auto& part : base::split(text, ',')) {
    const auto [dimension, strategy] = split_dimension(part);
    if (strategy.empty())
      throw UserError(fmt::format("'{}' names no strategy; allowed: STRATEGY for tp and dp, or DIMENSION=STRATEGY,... "
                                  "as tp=t3-mca,dp=ring",
                                  text));
    if (collective::select_strategy(strategy).name.starts_with("ideal"))
      throw UserError(fmt::format("strategy {} is a bound that no machine can run; it is for compare", strategy));
    const auto dimensions =
        dimension.empty() ? std::vector{Dimension::TP, Dimension::DP} : std::vector{dimension_named(dimension)};
    for (const auto one : dimensions)
      if (!read.emplace(one, strategy).second)
        throw UserError(fmt::format("'{}' gives dimension {} two strategies", text, model::to_string(one)));
  }
  return read;
}

std::string name_of_block(const std::vector<model::Kernel>& kernels) {
  if (kernels.empty())
    return "nothing";
  if (kernels.size() == 1)
    return kernels.front().name;
  return kernels.front().name + " ... " + kernels.back().name;
}

std::uint32_t ScheduleBook::add(model::Schedule schedule, ScheduleParts parts) {
  parts_.push_back(std::move(parts));
  schedules_.push_back(std::make_shared<const model::Schedule>(std::move(schedule)));
  return static_cast<std::uint32_t>(schedules_.size() - 1);
}

namespace {

/// Of one rank, that does this and no more.
model::Schedule schedule_of(model::Op op, const std::string& label) {
  model::ProgramBuilder program;
  program.add(std::move(op));
  model::Schedule schedule;
  schedule.strategy = "kernels";
  schedule.piece_bytes = {0.0};
  schedule.labels = {label};
  schedule.programs.push_back(program.build());
  return schedule;
}

} // namespace

std::uint32_t ScheduleBook::waiting(const std::string& what, model::Seconds time) {
  model::Op op;
  op.stream = model::Stream::COMMUNICATION;
  op.delay = time;
  return add(schedule_of(std::move(op), what), {{what, false}});
}

model::KernelCost ScheduleBook::cost_of(const model::Kernel& kernel) {
  const auto& device = *cluster_.gpus.front().device;
  if (!kernel.gemm)
    return model::kernel_cost(kernel, device);
  const GemmKey key{*kernel.gemm, kernel.reads.value(), kernel.writes.value(), kernel.launches};
  const auto [entry, is_new] = gemm_costs_.try_emplace(key);
  if (is_new)
    entry->second = model::kernel_cost(kernel, device);
  return entry->second;
}

std::uint32_t ScheduleBook::kernels(const std::vector<model::Kernel>& kernels) {
  const auto& device = *cluster_.gpus.front().device;
  double sm_seconds = 0.0, reads = 0.0, writes = 0.0, alone = 0.0, measured = 0.0;
  double issue = 0.0, lead = 0.0;
  std::map<model::KernelKind, double> times;
  for (const auto& kernel : kernels) {
    const auto cost = cost_of(kernel);
    const double takes = model::time_alone(cost, device).value();
    times[kernel.kind] += takes;
    sm_seconds += cost.sm_seconds;
    reads += cost.reads.value();
    writes += cost.writes.value();
    lead = std::max(lead, issue + host_.kernel.value() - alone); // it is issued, and those before it have run
    issue += host_.kernel.value() * kernel.launches;
    alone += takes;
    measured += kernel.time.value();
  }
  lead = std::max(lead, issue - alone); // launches behind the last kernel
  const auto key = fmt::format("{} {:a} {:a} {:a} {:a} {:a} {:a}", name_of_block(kernels), sm_seconds, reads, writes,
                               alone, measured, issue);
  if (const auto known = kernels_.find(key); known != kernels_.end())
    return known->second;
  model::Op op;
  op.sms = static_cast<std::uint16_t>(device.sms);
  op.sm_seconds = sm_seconds;
  op.delay = model::Seconds(measured);
  op.pace = model::Seconds(alone - measured);
  using model::Access;
  for (const auto& [access, bytes] : {std::pair{Access::READ, reads}, std::pair{Access::WRITE, writes}})
    if (bytes > 0.0)
      op.traffic.push_back({model::Phase::OTHER, access, 0.0, model::Bytes(bytes)});
  auto schedule = schedule_of(std::move(op), name_of_block(kernels));
  schedule.issue = model::Seconds(issue);
  schedule.issue_lead = model::Seconds(lead);
  ScheduleParts parts;
  for (const auto& [kind, seconds] : times)
    parts.push_back(
        {model::to_string(kind), true, alone > 0.0 ? seconds / alone : 1.0 / static_cast<double>(times.size())});
  return kernels_[key] = add(std::move(schedule), std::move(parts));
}

std::uint32_t ScheduleBook::plan(const std::string& strategy, const CollectiveUse& use, bool fused,
                                 const model::Cluster& group) {
  const auto selection = collective::select_strategy(strategy);
  auto on = group;
  if (fused) {
    const model::SharedDevice staged(
        model::device_of_plan(use.producer ? *use.producer : *use.consumer, *group.gpus.front().device));
    for (auto& gpu : on.gpus)
      gpu.device = staged;
  }
  const collective::Request request =
      fused ? collective::Request{use.op, use.producer, use.consumer} : collective::Request{use.op, {}, {}};
  auto schedule = selection.strategy->plan(request, on);
  collective::require_proof(schedule, "strategy " + strategy);
  const auto algorithm = schedule.algorithm.empty() ? selection.text : selection.text + " -> " + schedule.algorithm;
  auto flows = granularity_ == Granularity::FLOW ? collective::as_flows(schedule, group) : std::nullopt;
  const bool falls_back = granularity_ == Granularity::FLOW && !flows && !fused; // a GEMM has its stages anyway
  used_.insert(fmt::format("{} {}{}: {}{}{}", model::to_string(use.dimension), model::to_string(use.op.kind),
                           !fused         ? ""
                           : use.consumer ? " before its GEMM"
                                          : " behind its GEMM",
                           algorithm, schedule.protocol ? " " + schedule.protocol->name : "",
                           falls_back ? ", step by step" : ""));
  assumed_.insert(selection.assumed.begin(), selection.assumed.end());
  auto& played = flows ? *flows : schedule;
  played.issue = played.issue_lead = host_.collective + (fused ? host_.kernel : model::Seconds(0.0));
  const ScheduleParts parts{{what_of(use, fused)}};
  return add(std::move(played), parts);
}

bool ScheduleBook::fuses(const CollectiveUse& use, const std::vector<std::uint32_t>& members) const {
  const auto chosen = strategies_.find(use.dimension);
  if (chosen == strategies_.end() || (!use.producer && !use.consumer))
    return false;
  const auto selection = collective::select_strategy(chosen->second);
  return selection.strategy->why_not({use.op, use.producer, use.consumer}, cluster_.part(members)).empty();
}

ScheduleBook::Entry ScheduleBook::collective(const CollectiveUse& use, const std::vector<std::uint32_t>& members) {
  const auto key = key_of(use, members);
  if (const auto known = collectives_.find(key); known != collectives_.end())
    return known->second;
  const auto group = cluster_.part(members);
  const auto why_not = [&](const std::string& strategy) {
    return collective::select_strategy(strategy).strategy->why_not({use.op, {}, {}}, group);
  };
  auto strategy = default_strategy(use.op, group);
  const bool fused = fuses(use, members);
  if (const auto chosen = strategies_.find(use.dimension); chosen != strategies_.end()) {
    const auto reason = fused ? std::string() : why_not(chosen->second);
    if (reason.empty())
      strategy = chosen->second;
    else if (const auto never = why_no_fusion(*collective::select_strategy(chosen->second).strategy, group);
             !never.empty())
      throw Infeasible(fmt::format("strategy {} cannot do {} {}: {}{}", chosen->second, model::to_string(use.dimension),
                                   model::to_string(use.op.kind), reason,
                                   never == reason ? std::string() : "; nor behind a GEMM: " + never));
    else if (why_not(BESIDE_FUSION).empty())
      strategy = BESIDE_FUSION;
  }
  return collectives_[key] = {plan(strategy, use, fused, group), fused};
}

} // namespace tandem::study
