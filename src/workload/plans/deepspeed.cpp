// DeepSpeed's JSON (https://www.deepspeed.ai/docs/config-json). It says how states are sharded and what is accumulated;
// the model and tensor and pipeline parallelism are the program's that reads it.
#include "workload/plans/plan_keys.h"

#include "base/yaml.h"

#include <fmt/format.h>

namespace tandem::workload {

namespace {

constexpr double HALF_BYTES = 2, FULL_BYTES = 4;

/// Schedules of rates, logs and checks, and buffers' layout. `activation_checkpointing` says how the model's own
/// checkpoints are kept, not whether there are any: --recompute does.
const std::vector<std::string> DEEPSPEED_WITHOUT_EFFECT = {
    "steps_per_print",
    "scheduler.",
    "gradient_clipping", // the norm is always computed
    "prescale_gradients",
    "gradient_predivide_factor",
    "disable_allgather", // of DeepSpeed before 0.3; read and not used since
    "dump_state",
    "memory_breakdown",
    "zero_allow_untested_optimizer",
    "tensorboard.",
    "wandb.",
    "csv_monitor.",
    "checkpoint.",
    "fp16.",
    "bf16.",
    "optimizer.params.",
    "activation_checkpointing.partition_activations",
    "activation_checkpointing.contiguous_memory_optimization",
    "activation_checkpointing.number_checkpoints",
    "activation_checkpointing.profile",
    "zero_optimization.contiguous_gradients",
    "zero_optimization.allgather_bucket_size",
    "zero_optimization.stage3_gather_16bit_weights_on_model_save",
    "zero_optimization.stage3_max_reuse_distance",
    "zero_optimization.stage3_param_persistence_threshold",
    "zero_optimization.sub_group_size",
    "zero_optimization.round_robin_gradients",
};

/// Sizes of batches; what is not given follows from the others once the ranks are known.
void deepspeed_batches(PlanKeys& keys, PlanFile& plan) {
  keys.copy("train_batch_size", "--global-batch", plan);
  keys.copy("train_micro_batch_size_per_gpu", "--micro-batch", plan);
  const bool whole = keys.has("train_batch_size"), micro = keys.has("train_micro_batch_size_per_gpu");
  if (keys.has("gradient_accumulation_steps"))
    keys.copy("gradient_accumulation_steps", "--accumulate", plan);
  else if (whole != micro) // DeepSpeed accumulates once
    keys.set(whole ? "train_batch_size" : "train_micro_batch_size_per_gpu", "--accumulate", "1", plan);
}

/// Bytes of a gradient.
double deepspeed_precision(PlanKeys& keys, PlanFile& plan) {
  const bool fp16 = keys.truth("fp16.enabled", false);
  const bool bf16 = keys.truth("bf16.enabled", keys.truth("bfloat16.enabled", false));
  if (fp16 && bf16)
    keys.fail("fp16.enabled", "true, and so is bf16.enabled; allowed: one of them");
  const char* key = fp16 ? "fp16.enabled" : "bf16.enabled";
  keys.set(key, "--precision", fp16 ? "fp16" : bf16 ? "bf16" : "fp32", plan);
  if (fp16 || bf16) // ZeRO reduces 16-bit gradients
    keys.set(key, "--fp32-gradients", "off", plan);
  return fp16 || bf16 ? HALF_BYTES : FULL_BYTES;
}

void deepspeed_optimizer(PlanKeys& keys, PlanFile& plan) {
  const auto type = keys.take("optimizer.type");
  if (!type)
    return;
  keys.only("optimizer.type", {"adam", "adamw", "fusedadam", "sgd"}, "its traffic is not modelled");
  const bool sgd = *type == "SGD" || *type == "sgd";
  const bool momentum = keys.number("optimizer.params.momentum", 0) > 0;
  keys.set("optimizer.type", "--optimizer", !sgd ? "adam" : momentum ? "sgd-momentum" : "sgd", plan);
}

void deepspeed_sharding(PlanKeys& keys, PlanFile& plan, double gradient_bytes) {
  const std::string zero = "zero_optimization.";
  const auto stage = keys.integer(zero + "stage", 0);
  keys.copy(zero + "stage", "--zero", plan);
  keys.copy(zero + "mics_shard_size", "--shard-size", plan);
  if (keys.has(zero + "reduce_bucket_size")) // counted in elements
    keys.set(zero + "reduce_bucket_size", "--bucket",
             fmt::format("{:.0f}B", keys.number(zero + "reduce_bucket_size", 0) * gradient_bytes), plan);
  const bool overlaps = keys.truth(zero + "overlap_comm", stage == 3);
  keys.set(zero + "overlap_comm", "--overlap-gradients", overlaps ? "on" : "off", plan);
  const auto refuse = [&](const char* name, const char* why) { keys.only(zero + name, {"false"}, why); };
  refuse("cpu_offload", "states and steps on the CPU are not modelled");
  refuse("cpu_offload_params", "parameters on the CPU are not modelled");
  refuse("zero_quantized_weights", "quantised gathers are not modelled here; --strategy dp=ring+CODEC compresses");
  refuse("zero_quantized_gradients", "quantised reductions are not modelled here; --strategy dp=ring+CODEC compresses");
  keys.only(zero + "zero_hpz_partition_size", {"1"}, "a secondary copy of parameters is not modelled");
  keys.only(zero + "mics_hierarchical_params_gather", {"false"}, "name it as a strategy: --strategy dp=hierarchical");
  keys.only(zero + "reduce_scatter", {"true"}, "gradients of sharded states are reduced and scattered");
  keys.only(zero + "allgather_partitions", {"true"}, "updated parameters are gathered, not broadcast");
  keys.only(zero + "offload_optimizer.device", {"none"}, "states and steps on the CPU or a disk are not modelled");
  keys.only(zero + "offload_param.device", {"none"}, "parameters on the CPU or a disk are not modelled");
  for (const char* size : {"stage3_prefetch_bucket_size", "stage3_max_live_parameters"})
    if (keys.has(zero + size) && stage == 3)
      keys.simplify(zero + size, "the parameters of one layer are gathered ahead", plan);
}

} // namespace

PlanFile read_deepspeed_plan(const std::string& text, const std::string& file) {
  PlanKeys keys(base::load_yaml(text, file), file); // JSON is YAML
  PlanFile plan;
  deepspeed_batches(keys, plan);
  const double gradient_bytes = deepspeed_precision(keys, plan);
  deepspeed_optimizer(keys, plan);
  deepspeed_sharding(keys, plan, gradient_bytes);
  keys.only("wall_clock_breakdown", {"false"}, "timers synchronise the GPU, which is not modelled");
  keys.only("activation_checkpointing.cpu_checkpointing", {"false"}, "activations on the CPU are not modelled");
  keys.finish(DEEPSPEED_WITHOUT_EFFECT);
  return plan;
}

} // namespace tandem::workload
