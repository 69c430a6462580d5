// NeMo's YAML of a training of Megatron-Core models: the keys of `model` and the nodes of `trainer`.
#include "workload/plans/plan_keys.h"

#include "base/units.h"
#include "base/yaml.h"

#include <fmt/format.h>

namespace tandem::workload {

namespace {

/// Names, data, logs, checkpoints, initialisation, rates, scales of the loss, and what only Apex without Megatron-Core
/// did. Kernels that NeMo can fuse are taken as fused.
const std::vector<std::string> NEMO_WITHOUT_EFFECT = {
    "defaults",
    "hydra.",
    "run.",
    "exp_manager.",
    "name",
    "restore_from_path",
    "trainer.accelerator",
    "trainer.logger",
    "trainer.enable_checkpointing",
    "trainer.use_distributed_sampler",
    "trainer.max_epochs",
    "trainer.max_steps",
    "trainer.max_time",
    "trainer.log_every_n_steps",
    "trainer.val_check_interval",
    "trainer.limit_val_batches",
    "trainer.limit_test_batches",
    "trainer.gradient_clip_val", // the norm is always computed
    "model.mcore_gpt",
    "model.data.",
    "model.tokenizer.",
    "model.nsys_profile.",
    "model.optim.lr",
    "model.optim.weight_decay",
    "model.optim.betas",
    "model.optim.sched.",
    "model.optim.contiguous_grad_buffer",
    "model.optim.contiguous_param_buffer",
    "model.resume_from_checkpoint",
    "model.init_method_std",
    "model.use_scaled_init_method",
    "model.apply_query_key_layer_scaling",
    "model.layernorm_epsilon",
    "model.do_layer_norm_weight_decay",
    "model.pre_process",
    "model.post_process",
    "model.persist_layer_norm",
    "model.gradient_as_bucket_view",
    "model.grad_div_ar_fusion",
    "model.gradient_accumulation_fusion",
    "model.bias_activation_fusion",
    "model.bias_dropout_add_fusion",
    "model.masked_softmax_fusion",
    "model.cross_entropy_loss_fusion",
    "model.apply_rope_fusion",
    "model.rotary_percentage",
    "model.scale_positional_embedding",
    "model.normalize_attention_scores",
    "model.fsdp_grad_reduce_dtype",
    "model.fsdp_sharded_checkpoint",
    "model.native_amp_init_scale",
    "model.native_amp_growth_interval",
    "model.hysteresis",
    "model.megatron_amp_O2",
    "model.grad_allreduce_chunk_size_mb", // of Apex's optimizers without a distributed one
    "model.seed",
    "model.sync_batch_comm",
    "model.use_cpu_initialization",
    "model.onnx_safe",
    "model.apex_transformer_log_level",
    "model.gc_interval",
    "model.batch_p2p_comm",
    "model.use_emha",
    "model.transformer_engine",
    "model.fp8_e4m3",
    "model.fp8_hybrid",
    "model.fp8_margin",
    "model.fp8_interval",
    "model.fp8_amax_history_len",
    "model.fp8_amax_compute_algo",
};

/// A number of a key, which may be "${multiply:4, ${.hidden_size}}" or "${.hidden_size}".
std::int64_t nemo_number(PlanKeys& keys, const std::string& key, std::int64_t hidden) {
  const auto text = keys.take(key);
  if (!text)
    return 0;
  if (!text->starts_with("${"))
    return keys.integer(key, 0);
  const std::string multiply = "${multiply:", own = "${.hidden_size}";
  if (*text == own)
    return hidden;
  const auto comma = text->find(',');
  if (text->starts_with(multiply) && comma != std::string::npos && text->find(own, comma) != std::string::npos)
    return base::parse_integer(text->substr(multiply.size(), comma - multiply.size()), 1, 1024) * hidden;
  keys.fail(key, fmt::format("'{}' is no interpolation that is understood; allowed: a number, ${{.hidden_size}}, "
                             "${{multiply:N, ${{.hidden_size}}}}",
                             *text));
}

PlanModel nemo_model(PlanKeys& keys) {
  const std::string in = "model.";
  PlanModel made;
  made.layers = keys.integer(in + "num_layers", 0);
  made.hidden = keys.integer(in + "hidden_size", 0);
  made.heads = keys.integer(in + "num_attention_heads", 0);
  made.kv_heads = keys.integer(in + "num_query_groups", 0);
  made.head_dim = keys.integer(in + "kv_channels", 0);
  made.ffn = nemo_number(keys, in + "ffn_hidden_size", made.hidden);
  made.max_positions = keys.integer(in + "max_position_embeddings", 0);
  made.vocab_multiple =
      keys.integer(in + "make_vocab_size_divisible_by", 128) * keys.integer(in + "tensor_model_parallel_size", 1);
  keys.only(in + "activation", {"gelu", "fast-gelu", "swiglu", "fast-swiglu"}, "its kernel is not modelled");
  const auto activation = keys.take(in + "activation").value_or("gelu");
  made.gated = activation.ends_with("swiglu");
  keys.only(in + "normalization", {"layernorm", "rmsnorm"}, "its kernel is not modelled");
  made.rms_norm = keys.take(in + "normalization").value_or("layernorm") == "rmsnorm";
  made.bias = made.qkv_bias = keys.truth(in + "bias", true);
  made.tied = keys.truth(in + "share_embeddings_and_output_weights", true);
  keys.only(in + "position_embedding_type", {"learned_absolute", "rope", "none"}, "it is not modelled");
  if (keys.take(in + "position_embedding_type").value_or("learned_absolute") == "learned_absolute")
    made.positions = made.max_positions;
  keys.only(in + "transformer_block_type", {"pre_ln"}, "the order of norms is not modelled");
  keys.only(in + "attention_type", {"multihead"}, "it is not modelled");
  for (const char* extra :
       {"headscale", "openai_gelu", "fp32_residual_connection", "fp16_lm_cross_entropy", "deterministic_mode"})
    keys.only(in + extra, {"false"}, "it is not modelled");
  if (keys.take(in + "tokenizer.type").value_or("") == "GPT2BPETokenizer")
    made.vocab = 50257;
  return made;
}

void nemo_recompute(PlanKeys& keys, PlanFile& plan) {
  const std::string in = "model.activations_checkpoint_";
  keys.only(in + "granularity", {"selective", "full"}, "it is not modelled");
  const auto granularity = keys.take(in + "granularity");
  const auto layers = keys.integer(in + "num_layers", 0);
  const auto method = keys.take(in + "method").value_or("");
  keys.only(in + "layers_per_pipeline", {"0"}, "recomputation of some micro-batches is not modelled");
  keys.only("model.num_micro_batches_with_partial_activation_checkpoints", {"0"},
            "recomputation of some micro-batches is not modelled");
  if (!granularity)
    return;
  if (*granularity == "full" && (method == "block" || layers > 1))
    keys.fail(in + "method", "recomputation of some layers, or of several at a time, is not modelled; allowed: uniform "
                             "with 1 layer, or leave it out");
  keys.set(in + "granularity", "--recompute", *granularity, plan);
}

void nemo_precision(PlanKeys& keys, PlanFile& plan) {
  keys.only("trainer.precision", {"bf16", "bf16-mixed", "16", "16-mixed", "32"}, "it is not modelled");
  const auto precision = keys.take("trainer.precision").value_or("32");
  const bool fp8 = keys.truth("model.fp8", false);
  keys.only("model.fp8_wgrad", {"true"}, "fp8 in all products but weights' gradients is not modelled");
  keys.set(fp8 ? "model.fp8" : "trainer.precision", "--precision",
           fp8                             ? "fp8"
           : precision.starts_with("bf16") ? "bf16"
           : precision.starts_with("16")   ? "fp16"
                                           : "fp32",
           plan);
}

void nemo_optimizer(PlanKeys& keys, PlanFile& plan) {
  const std::string in = "model.optim.";
  keys.only(in + "name", {"mcore_distributed_optim", "distributed_fused_adam", "fused_adam", "adam", "adamw"},
            "its traffic is not modelled");
  const auto name = keys.take(in + "name").value_or("adam");
  const bool sharded = name == "mcore_distributed_optim" || name == "distributed_fused_adam";
  if (keys.truth("model.fsdp", false)) {
    keys.only("model.fsdp_sharding_strategy", {"full"}, "it is not modelled");
    keys.set("model.fsdp", "--zero", "3", plan);
  } else if (sharded) {
    keys.set(in + "name", "--zero", "1", plan);
  }
  (void)keys.take("model.fsdp_sharding_strategy");
  if (keys.has(in + "bucket_cap_mb")) // MiB, as apex and Megatron-Core count
    keys.set(in + "bucket_cap_mb", "--bucket", fmt::format("{}MiB", keys.integer(in + "bucket_cap_mb", 0)), plan);
  keys.set(in + "overlap_grad_sync", "--overlap-gradients", keys.truth(in + "overlap_grad_sync", false) ? "on" : "off",
           plan);
  if (keys.truth(in + "overlap_param_sync", false))
    keys.simplify(in + "overlap_param_sync", "updated parameters are gathered before the next iteration begins", plan);
}

} // namespace

PlanFile read_nemo_plan(const std::string& text, const std::string& file) {
  PlanKeys keys(base::load_yaml(text, file), file);
  PlanFile plan;
  const std::string in = "model.";
  for (const auto& [key, flag] : {std::pair{"micro_batch_size", "--micro-batch"},
                                  {"global_batch_size", "--global-batch"},
                                  {"tensor_model_parallel_size", "--tp"},
                                  {"pipeline_model_parallel_size", "--pp"},
                                  {"virtual_pipeline_model_parallel_size", "--vpp"},
                                  {"context_parallel_size", "--cp"},
                                  {"expert_model_parallel_size", "--ep"},
                                  {"encoder_seq_length", "--seq"}})
    keys.copy(in + key, flag, plan);
  keys.copy("trainer.num_nodes", "--nodes", plan);
  keys.only("trainer.devices", {"8"}, "a node of the platform file has as many GPUs as it has; --gpus takes fewer");
  keys.only("trainer.accumulate_grad_batches", {"1"}, "Megatron's batch sizes say what is accumulated");
  keys.only(in + "rampup_batch_size", {}, "a batch that grows is no steady state");
  if (keys.truth(in + "sequence_parallel", false))
    keys.set(in + "sequence_parallel", "--sp", "true", plan);
  if (keys.truth(in + "overlap_p2p_comm", false))
    keys.set(in + "overlap_p2p_comm", "--overlap-p2p", "true", plan);
  if (keys.truth(in + "ub_tp_comm_overlap", false))
    keys.simplify(in + "ub_tp_comm_overlap",
                  "collectives of tp run whole, beside weights' gradients; --strategy tp=tile-fused overlaps them with "
                  "their products",
                  plan);
  keys.only(in + "sharp", {"false"}, "name it as a strategy: --strategy dp=sharp");
  if (keys.truth(in + "defer_embedding_wgrad_compute", false))
    keys.simplify(in + "defer_embedding_wgrad_compute", "the output's weight gradient is made at once", plan);
  (void)keys.take(in + "wgrad_deferral_limit");
  bool drops = false;
  for (const char* rate : {"hidden_dropout", "attention_dropout", "ffn_dropout"})
    drops = keys.number(in + rate, 0) > 0 || drops;
  if (drops)
    keys.set(in + "hidden_dropout", "--dropout", "true", plan);
  keys.set(in + "use_flash_attention", "--attention",
           keys.truth(in + "use_flash_attention", true) ? "flash" : "unfused", plan);
  nemo_precision(keys, plan);
  nemo_recompute(keys, plan);
  nemo_optimizer(keys, plan);
  plan.model = nemo_model(keys);
  keys.finish(NEMO_WITHOUT_EFFECT);
  return plan;
}

} // namespace tandem::workload
