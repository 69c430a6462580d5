// The plan as flags would give it.
#include "workload/plan_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tandem::workload {

namespace {

std::string on_off(bool value) {
  return value ? "on" : "off";
}

std::string word(Recompute recompute) {
  return recompute == Recompute::FULL ? "full" : recompute == Recompute::SELECTIVE ? "selective" : "none";
}

} // namespace

std::vector<std::pair<std::string, std::string>> plan_values(const ParallelPlan& plan) {
  const auto& layer = plan.layer;
  const auto count = [](auto value) { return fmt::format("{}", value); };
  return {
      {"seq", count(layer.sequence)},
      {"micro_batch", count(layer.micro_batch)},
      {"global_batch", count(plan.global_batch)},
      {"tp", count(layer.tp)},
      {"pp", count(plan.pp)},
      {"dp", count(plan.dp)},
      {"cp", count(layer.cp)},
      {"ep", count(layer.ep)},
      {"vpp", count(plan.vpp)},
      {"sp", on_off(layer.sequence_parallel)},
      {"schedule", to_string(plan.schedule)},
      {"stage_layers", fmt::format("{}", fmt::join(plan.stage_layers, ","))},
      {"zero", count(plan.zero)},
      {"shard_size", count(plan.shards())},
      {"recompute", word(layer.recompute)},
      {"attention", layer.attention == AttentionKernel::FLASH ? "flash" : "unfused"},
      {"context_parallel", layer.context == ContextParallel::RING ? "ring" : "all-gather"},
      {"precision", layer.precision},
      {"optimizer", plan.optimizer},
      {"dropout", on_off(layer.dropout)},
      {"expert_load", count(layer.expert_load)},
      {"fp32_gradients", on_off(layer.fp32_gradients)},
      {"overlap_gradients", on_off(plan.overlap_gradients)},
      {"overlap_tp", on_off(plan.overlap_tp)},
      {"bucket_bytes", count(plan.bucket.value())},
      {"overlap_p2p", on_off(plan.overlap_p2p)},
      {"scatter_gather", on_off(plan.scatter_gather)},
      {"order", plan.order},
      {"comm_streams", plan.one_stream ? "one" : "by-dimension"},
      {"input_time_s", count(plan.input_time.value())},
      {"prefetch_input", on_off(plan.prefetch_input)},
      {"framework", plan.host.issues() ? plan.host.name : "none"},
  };
}

} // namespace tandem::workload
