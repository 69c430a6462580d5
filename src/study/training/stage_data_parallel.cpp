// Data parallelism of a stage: gathers of sharded parameters, reductions of gradients, the optimizer's step.
#include "study/training/stage_program.h"

#include "base/error.h"

#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace tandem::study {

using model::Bytes;
using model::CollectiveKind;
using model::Dimension;
using model::MemoryChange;

/// ZeRO-3: the parameters of a part come together while the part before it runs. They are asked for before that part's
/// gradients are reduced, else the reduction, which has to wait for the gradients, would hold the gather up (FSDP's
/// backward prefetch does the same, arXiv 2304.11277, section 3.3.2).
void StageProgram::gather_parameters(std::size_t part, std::optional<std::size_t> next) {
  if (!gathers_parameters())
    return;
  const auto own = prefetched_.empty() ? gather(part, one_part_before_) : std::exchange(prefetched_, {});
  awaited_.insert(awaited_.end(), own.begin(), own.end());
  one_part_before_ = last_compute_;
  if (next)
    prefetched_ = gather(*next, one_part_before_);
}

std::vector<std::uint32_t> StageProgram::gather(std::size_t index, std::optional<std::uint32_t> after) {
  const auto& part = parts_[index];
  std::vector<std::uint32_t> gathers;
  const auto gather_group = [&](const char* what, std::uint32_t grouping, double parameters,
                                const MemoryChange& buffer) {
    if (members(grouping).size() < 2 || parameters <= 0.0)
      return;
    gathers.push_back(communicate({.grouping = grouping,
                                   .stream = DP,
                                   .lane = DP,
                                   .name = inputs_.job.name(part.name + " " + what),
                                   .dimension = Dimension::DP,
                                   .memory = inputs_.job.memory({buffer}, {})},
                                  CollectiveKind::ALL_GATHER, parameters * state_.weight,
                                  after ? std::vector{*after} : std::vector<std::uint32_t>()));
  };
  const auto own = part.parameters;
  gather_group("gather of parameters", SHARD_GROUPS, own.shared, {model::BUFFERS, Bytes(own.total() * state_.weight)});
  gather_group("gather of experts", EXPERT_DP_GROUPS, own.expert, {model::BUFFERS, Bytes(0.0)});
  return gathers;
}

void StageProgram::gradients_ready(const Part& part, bool last_micro_batch) {
  if (!last_micro_batch && plan_.zero < 2)
    return; // they add up over the micro-batches
  bucket_.shared += part.parameters.shared;
  bucket_.expert += part.parameters.expert;
  if (plan_.overlap_gradients && bucket_.total() * state_.gradient >= plan_.bucket.value())
    flush_gradients(last_micro_batch);
}

/// Reduces the gradients that have come together. Without overlap that is done once, by update().
void StageProgram::flush_gradients(bool last_micro_batch) {
  if (!plan_.overlap_gradients && !updating_)
    return;
  const auto ready = std::exchange(bucket_, {});
  if (ready.total() <= 0.0)
    return;
  const auto kind = plan_.zero > 0 ? CollectiveKind::REDUCE_SCATTER : CollectiveKind::ALL_REDUCE;
  const double shared = ready.shared * state_.gradient;
  if (plan_.zero == 0) {
    reduce("gradients", DP_GROUPS, kind, shared);
  } else {
    reduce("gradients", SHARD_GROUPS, kind, shared);
    if (last_micro_batch)
      reduce("gradients of replicas", REPLICA_GROUPS, CollectiveKind::ALL_REDUCE, shared / plan_.shards());
  }
  reduce("gradients of experts", EXPERT_DP_GROUPS, kind, ready.expert * state_.gradient);
}

void StageProgram::reduce(const std::string& name, std::uint32_t grouping, CollectiveKind kind, double bytes,
                          Dimension dimension) {
  if (members(grouping).size() < 2 || bytes <= 0.0)
    return;
  std::vector<std::uint32_t> after;
  if (last_compute_)
    after.push_back(*last_compute_);
  reductions_.push_back(communicate(
      {.grouping = grouping, .stream = DP, .lane = DP, .name = inputs_.job.name(name), .dimension = dimension}, kind,
      std::floor(bytes), after));
}

/// The rest of the gradients, the copies of a tied embedding, the optimizer, and the parameters that it has changed.
void StageProgram::update() {
  if (!held_.empty())
    throw base::Bug("no part waits for communication that was begun for '" + held_.front().second + "'");
  updating_ = true;
  flush_gradients(true);
  updating_ = false;
  const auto own = parameters();
  const auto* transformer = std::get_if<model::LanguageModel>(&inputs_.model);
  if (transformer != nullptr && transformer->tied_embeddings && plan_.pp > 1 &&
      (stage_ == 0 || stage_ == plan_.pp - 1)) {
    const auto weights = workload::on_rank(workload::embedding_weights(*transformer), plan_.layer.tp, plan_.layer.ep);
    reduce("gradients of the tied embedding", inputs_.job.stages(0, plan_.pp - 1), CollectiveKind::ALL_REDUCE,
           weights.total() * state_.gradient, Dimension::PP);
  }
  awaited_.insert(awaited_.end(), reductions_.begin(), reductions_.end());
  reductions_.clear();

  const auto expert_group = static_cast<double>(members(EXPERT_DP_GROUPS).size());
  const double updated = plan_.zero == 0 ? own.total() : own.shared / plan_.shards() + own.expert / expert_group;
  StepTasks tasks(inputs_.book, ALONE, {});
  const auto step = tasks.make("step", workload::optimizer_step(updated, state_, plan_.optimizer));
  std::vector<std::uint32_t> names;
  append(step, names, "optimizer", -1, {}, {});
  if (plan_.zero == 1 || plan_.zero == 2) {
    reduce("gather of parameters", SHARD_GROUPS, CollectiveKind::ALL_GATHER, own.shared * state_.weight);
    reduce("gather of experts", EXPERT_DP_GROUPS, CollectiveKind::ALL_GATHER, own.expert * state_.weight);
  }
  // The iteration ends when all of this has.
  auto after = awaited_;
  after.insert(after.end(), reductions_.begin(), reductions_.end());
  reductions_.clear();
  add({.schedule = inputs_.book.nothing(),
       .grouping = ALONE,
       .stream = COMPUTE,
       .name = inputs_.job.name("end of iteration"),
       .purpose = model::Purpose::OPTIMIZER,
       .ends_iteration = true,
       .host_waits = true}, // it reads the loss and the norm of the gradients
      after);
}

} // namespace tandem::study
