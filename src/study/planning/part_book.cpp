// Templates as StageProgram makes them, with bounds in place of schedules.
#include "study/planning/part_book.h"

#include "base/error.h"
#include "workload/layer_kernels.h"

#include <algorithm>
#include <fmt/format.h>

namespace tandem::study {

namespace {

/// Of a plan, all that changes the kernels and collectives of a layer on a rank.
std::string layer_key(PartKind what, int kind, const workload::LayerPlan& plan) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", static_cast<int>(what), kind, plan.micro_batch,
                     plan.sequence, plan.tp, plan.sequence_parallel, plan.cp, static_cast<int>(plan.context), plan.ep,
                     plan.precision, static_cast<int>(plan.recompute), static_cast<int>(plan.attention), plan.dropout,
                     plan.expert_load, plan.fp32_gradients);
}

struct PartSteps {
  model::Steps forward, backward;
};

PartSteps steps_of(PartKind what, int kind, const model::LanguageModel& model, const workload::LayerPlan& plan) {
  if (what == PartKind::EMBEDDING)
    return {workload::embedding_forward(model, plan), workload::embedding_backward(model, plan)};
  if (what == PartKind::HEAD)
    return {workload::head_forward(model, plan), workload::head_backward(model, plan)};
  const auto& layer = model.kinds[static_cast<std::size_t>(kind)];
  return {workload::layer_forward(model, layer, plan), workload::layer_backward(model, layer, plan)};
}

} // namespace

const PartBook::Held& PartBook::held(PartKind what, int kind, const workload::ParallelPlan& plan) {
  const auto [entry, is_new] = held_.try_emplace(layer_key(what, kind, plan.layer));
  if (!is_new)
    return entry->second;
  auto& made = entry->second;
  const auto& layer = plan.layer;
  const auto set = [&](const workload::ActivationMemory& memory, const std::vector<workload::Weight>& weights) {
    made.kept = memory.kept.value();
    made.recomputed = memory.recomputed.value();
    made.parameters = workload::on_rank(weights, layer.tp, layer.ep);
  };
  if (what == PartKind::EMBEDDING) {
    set(workload::embedding_memory(model_, layer), workload::embedding_weights(model_));
  } else if (what == PartKind::HEAD) {
    set(workload::head_memory(model_, layer), workload::head_weights(model_));
  } else {
    const auto& one = model_.kinds[static_cast<std::size_t>(kind)];
    set(workload::layer_memory(model_, one, layer), workload::layer_weights(model_, one));
  }
  return made;
}

const BoundPart& PartBook::part(PartKind what, int kind, const workload::ParallelPlan& plan, const RankGroups& groups) {
  const bool apart = plan.schedule == workload::PipelineSchedule::ZERO_BUBBLE;
  auto key = fmt::format("{} {} {}", layer_key(what, kind, plan.layer), apart, plan.overlap_tp);
  for (const auto grouping : {TP_GROUPS, CP_GROUPS, EP_GROUPS}) {
    const auto place = *groups.groupings[grouping].place(groups.rank);
    const auto& planned = groups.job.planning_members(grouping, groups.rank);
    if (planned.size() > 1)
      key += fmt::format(" {} {} {}", alike(groups.groupings[grouping].groups()[place.group], place.position),
                         planned.front(), planned.size());
    if (energy_)
      key += groups.job.is_uniform(grouping) ? '=' : '/';
  }
  auto& known = parts_[key];
  if (known)
    return *known;
  auto made = std::make_unique<BoundPart>();
  const auto& memory = held(what, kind, plan);
  made->kept = memory.kept;
  made->recomputed = memory.recomputed;
  made->parameters = memory.parameters;
  auto steps = steps_of(what, kind, model_, plan.layer);
  if (!plan.overlap_tp)
    steps.backward = without_overlap(steps.backward, "tp");
  const auto group_of = [&groups](const std::string& dimension) {
    const auto grouping = dimension == "tp" ? TP_GROUPS : dimension == "cp" ? CP_GROUPS : EP_GROUPS;
    return GroupUse{grouping, &groups.job.planning_members(grouping, groups.rank)};
  };
  StepTasks tasks(book_, ALONE, group_of);
  made->forward = bounds_of(tasks.make("forward", steps.forward), groups);
  made->backward =
      bounds_of(tasks.make("backward", apart ? without_weight_gradients(steps.backward) : steps.backward), groups);
  if (apart)
    made->weights = bounds_of(tasks.make("weight gradients", weight_gradients(steps.backward)), groups);
  known = std::move(made);
  return *known;
}

BoundTemplate PartBook::bounds_of(const TaskTemplate& made, const RankGroups& groups) {
  BoundTemplate bounds;
  bounds.ends = made.ends;
  for (const auto& entry : made.tasks) {
    BoundTask task;
    task.stream = entry.task.stream;
    task.after = entry.after;
    const auto& grouping = groups.groupings[entry.task.grouping];
    const auto place = *grouping.place(groups.rank);
    task.bound = bound_of(entry.task.schedule, grouping.groups()[place.group], place.position,
                          groups.job.is_uniform(entry.task.grouping));
    bounds.tasks.push_back(std::move(task));
  }
  return bounds;
}

PartBound PartBook::collective(const RankGroups& groups, std::uint32_t grouping, model::Dimension dimension,
                               model::CollectiveKind kind, double bytes) {
  const auto& planned = groups.job.planning_members(grouping, groups.rank);
  if (planned.size() < 2 || bytes <= 0.0)
    return {};
  const auto entry =
      book_.collective({.dimension = dimension,
                        .op = {.kind = kind, .ranks = static_cast<int>(planned.size()), .bytes = model::Bytes(bytes)}},
                       planned);
  const auto place = *groups.groupings[grouping].place(groups.rank);
  return bound_of(entry.schedule, groups.groupings[grouping].groups()[place.group], place.position,
                  groups.job.is_uniform(grouping));
}

PartBound PartBook::optimizer(double parameters, const workload::StateBytes& state, const std::string& name,
                              std::uint32_t rank) {
  auto key = fmt::format("{} {:a} {} {} {} {} {}", name, parameters, state.weight, state.gradient, state.master,
                         state.moments, state.scaled);
  const auto [entry, is_new] = optimizers_.try_emplace({std::move(key), alike({rank}, 0)});
  if (!is_new)
    return entry->second;
  auto& sum = entry->second;
  StepTasks tasks(book_, ALONE, {});
  for (const auto& made : tasks.make("step", workload::optimizer_step(parameters, state, name)).tasks) {
    const auto one = bound_of(made.task.schedule, {rank}, 0, true);
    sum.seconds += one.seconds;
    sum.sm += one.sm;
    sum.memory += one.memory;
    sum.joules += one.joules;
  }
  return sum;
}

int PartBook::alike(const std::vector<std::uint32_t>& members, std::size_t position) {
  const auto [entry, is_new] = alike_.try_emplace({members, position}, 0);
  if (!is_new)
    return entry->second;
  const auto own = model::Rank(members[position]);
  const auto& device = *cluster_.gpus[own.index].device;
  std::vector<double> key{static_cast<double>(position), static_cast<double>(device.sms), device.hbm_bandwidth.value(),
                          device.memory_efficiency, device.sm_copy_bandwidth.value()};
  for (const auto member : members) {
    if (member == own.index)
      continue;
    for (const auto& route : {cluster_.route(own, model::Rank(member)), cluster_.route(model::Rank(member), own)}) {
      key.push_back(cluster_.narrowest(route.links).value());
      key.push_back(route.latency.value());
      key.push_back(static_cast<double>(cluster_.medium(route)));
    }
  }
  entry->second = numbers_.try_emplace(std::move(key), static_cast<int>(numbers_.size())).first->second;
  return entry->second;
}

PartBound PartBook::bound_of(std::uint32_t schedule, const std::vector<std::uint32_t>& members, std::size_t position,
                             bool is_uniform) {
  const auto [entry, is_new] = bounds_.try_emplace({schedule, alike(members, position), is_uniform});
  if (!is_new)
    return entry->second;
  entry->second = part_bound(book_.schedule(schedule), cluster_, members, position);
  if (energy_ && is_uniform)
    entry->second.joules = energy_->per_rank(book_.schedule(schedule), members);
  return entry->second;
}

} // namespace tandem::study
