// Megatron-LM's arguments (megatron/training/arguments.py), in a shell script or as a list, with Megatron's defaults.
#include "workload/plans/plan_keys.h"
#include "workload/plans/shell_words.h"

#include <cctype>
#include <fmt/format.h>

namespace tandem::workload {

namespace {

constexpr double GRADIENT_BYTES = 4; ///< of an element of a bucket of Megatron-Core's

/// Data, logs, checkpoints, initialisation, rates, and where processes find each other. Kernels that Megatron can fuse
/// are taken as fused.
const std::vector<std::string> MEGATRON_WITHOUT_EFFECT = {
    "--nproc_per_node",
    "--nproc-per-node",
    "--master_addr",
    "--master-addr",
    "--master_port",
    "--master-port",
    "--node_rank",
    "--node-rank",
    "--rdzv_endpoint",
    "--rdzv_id",
    "--rdzv_backend",
    "--max_restarts",
    "--tee",
    "--local-ranks-filter",
    "--distributed-backend",
    "--distributed-timeout-minutes",
    "--data-path",
    "--data-cache-path",
    "--data-args-path",
    "--data-impl",
    "--split",
    "--train-data-path",
    "--valid-data-path",
    "--test-data-path",
    "--vocab-file",
    "--merge-file",
    "--tokenizer-type",
    "--tokenizer-model",
    "--tiktoken-pattern",
    "--num-workers",
    "--dataloader-type",
    "--mock-data",
    "--no-mmap-bin-files",
    "--no-create-attention-mask-in-dataloader",
    "--train-iters",
    "--train-samples",
    "--train-tokens",
    "--eval-iters",
    "--eval-interval",
    "--exit-interval",
    "--exit-duration-in-mins",
    "--exit-signal-handler",
    "--lr",
    "--min-lr",
    "--lr-decay-style",
    "--lr-decay-iters",
    "--lr-decay-samples",
    "--lr-warmup-iters",
    "--lr-warmup-samples",
    "--lr-warmup-fraction",
    "--lr-warmup-init",
    "--lr-wsd-decay-style",
    "--weight-decay",
    "--start-weight-decay",
    "--end-weight-decay",
    "--weight-decay-incr-style",
    "--adam-beta1",
    "--adam-beta2",
    "--adam-eps",
    "--clip-grad",
    "--override-opt_param-scheduler",
    "--use-checkpoint-opt_param-scheduler",
    "--init-method-std",
    "--seed",
    "--loss-scale",
    "--initial-loss-scale",
    "--min-loss-scale",
    "--loss-scale-window",
    "--hysteresis",
    "--save",
    "--load",
    "--save-interval",
    "--ckpt-format",
    "--no-save-optim",
    "--no-save-rng",
    "--no-load-optim",
    "--no-load-rng",
    "--use-dist-ckpt",
    "--dist-ckpt-format",
    "--async-save",
    "--finetune",
    "--log-interval",
    "--log-throughput",
    "--log-params-norm",
    "--log-num-zeros-in-grad",
    "--log-timers-to-tensorboard",
    "--log-validation-ppl-to-tensorboard",
    "--log-memory-to-tensorboard",
    "--log-progress",
    "--tensorboard-dir",
    "--tensorboard-log-interval",
    "--tensorboard-queue-size",
    "--wandb-project",
    "--wandb-exp-name",
    "--wandb-save-dir",
    "--timing-log-level",
    "--timing-log-option",
    "--use-mcore-models",
    "--use-legacy-models",
    "--attention-softmax-in-fp32",
    "--no-masked-softmax-fusion",
    "--no-gradient-accumulation-fusion",
    "--no-bias-gelu-fusion",
    "--no-bias-swiglu-fusion",
    "--no-rope-fusion",
    "--cross-entropy-loss-fusion",
    "--rotary-base",
    "--rotary-percent",
    "--norm-epsilon",
    "--layernorm-epsilon",
    "--apply-layernorm-1p",
    "--no-query-key-layer-scaling",
    "--apply-query-key-layer-scaling",
    "--manual-gc",
    "--manual-gc-interval",
    "--fp8-margin",
    "--fp8-interval",
    "--fp8-amax-history-len",
    "--fp8-amax-compute-algo",
    "--deepspeed",
    "--no-pipeline-parallel", // Megatron-DeepSpeed's way to start, and without its pipelines
    "--DDP-impl",
    "--no-contiguous-buffers-in-local-ddp",
    "--empty-unused-memory-level",
    "--check-for-nan-in-loss-and-grad",
    "--no-check-for-nan-in-loss-and-grad",
    "--deterministic-mode",
};

/// Arguments and what follows each of them up to the next.
PlanKeys megatron_keys(const std::string& text, const std::string& file) {
  PlanKeys keys(file);
  std::string key, value;
  base::Location where;
  const auto end = [&] {
    if (!key.empty())
      keys.add(key, value.empty() ? "true" : value, where);
    key.clear();
    value.clear();
  };
  for (const auto& word : shell_words(text, file)) {
    if (word.text.starts_with("--") && word.text.size() > 2) {
      end();
      const auto equals = word.text.find('=');
      key = word.text.substr(0, equals);
      value = equals == std::string::npos ? "" : word.text.substr(equals + 1);
      where = word.where;
    } else if (!key.empty() && value.empty()) {
      value = word.text;
    }
  }
  end();
  return keys;
}

const std::vector<std::string> FOREIGN_MODELS = {"--num-experts",
                                                 "--moe-router-topk",
                                                 "--moe-ffn-hidden-size",
                                                 "--moe-layer-freq",
                                                 "--multi-latent-attention",
                                                 "--moe-token-dispatcher-type",
                                                 "--moe-grouped-gemm",
                                                 "--moe-router-load-balancing-type",
                                                 "--moe-aux-loss-coeff",
                                                 "--moe-shared-expert-intermediate-size",
                                                 "--q-lora-rank",
                                                 "--kv-lora-rank",
                                                 "--qk-head-dim",
                                                 "--v-head-dim",
                                                 "--qk-pos-emb-head-dim"};

PlanModel megatron_model(PlanKeys& keys, PlanFile& plan) {
  for (const auto& key : FOREIGN_MODELS)
    if (keys.has(key) && plan.foreign_model.empty())
      plan.foreign_model = fmt::format("{}: {} describes a model of experts or latent attention, which needs --model",
                                       keys.where(key).text(), key);
  PlanModel made;
  made.layers = keys.integer("--num-layers", 0);
  made.hidden = keys.integer("--hidden-size", 0);
  made.heads = keys.integer("--num-attention-heads", 0);
  made.ffn = keys.integer("--ffn-hidden-size", 0);
  made.head_dim = keys.integer("--kv-channels", 0);
  const auto groups = keys.integer("--num-query-groups", 0);
  if (keys.truth("--group-query-attention", false))
    made.kv_heads = groups == 0 ? 1 : groups;
  made.max_positions = keys.integer("--max-position-embeddings", 0);
  made.gated = keys.truth("--swiglu", false);
  if (made.gated && made.ffn == 0) // as arguments.py has it: two thirds of 4 h, in multiples of 64
    made.ffn = static_cast<std::int64_t>(static_cast<double>(4 * made.hidden) * 2 / 3) / 64 * 64;
  keys.only("--normalization", {"layernorm", "rmsnorm"}, "its kernel is not modelled");
  made.rms_norm = keys.take("--normalization").value_or("LayerNorm") == "RMSNorm";
  made.bias = !keys.truth("--disable-bias-linear", false);
  made.qkv_bias = keys.truth("--add-qkv-bias", made.bias);
  made.tied = !keys.truth("--untie-embeddings-and-output-weights", false);
  keys.only("--position-embedding-type", {"learned_absolute", "rope", "none"}, "it is not modelled");
  const bool rotary = keys.truth("--use-rotary-position-embeddings", false);
  if (!rotary && keys.take("--position-embedding-type").value_or("learned_absolute") == "learned_absolute")
    made.positions = made.max_positions;
  made.vocab = keys.integer("--vocab-size", 0);
  if (made.vocab == 0 && keys.take("--tokenizer-type").value_or("GPT2BPETokenizer") == "GPT2BPETokenizer")
    made.vocab = 50257;
  made.vocab = keys.integer("--padded-vocab-size", made.vocab);
  made.vocab_multiple =
      keys.integer("--make-vocab-size-divisible-by", 128) * keys.integer("--tensor-model-parallel-size", 1);
  return made;
}

void megatron_precision(PlanKeys& keys, PlanFile& plan) {
  const bool fp16 = keys.truth("--fp16", false), bf16 = keys.truth("--bf16", false);
  if (fp16 && bf16)
    keys.fail("--fp16", "given, and so is --bf16; allowed: one of them");
  const bool fp8 = keys.has("--fp8-format") || keys.has("--fp8-hybrid");
  (void)keys.take("--fp8-hybrid");
  keys.only("--fp8-recipe", {"delayed", "tensorwise"}, "kernels of block-scaled fp8 are not modelled");
  keys.set(fp16 ? "--fp16" : "--bf16", "--precision", fp8 ? "fp8" : bf16 ? "bf16" : fp16 ? "fp16" : "fp32", plan);
  if (fp16 && !keys.truth("--accumulate-allreduce-grads-in-fp32", false))
    keys.set("--fp16", "--fp32-gradients", "off", plan);
  (void)keys.take("--accumulate-allreduce-grads-in-fp32");
}

void megatron_recompute(PlanKeys& keys, PlanFile& plan) {
  keys.only("--recompute-granularity", {"full", "selective"}, "it is not modelled");
  keys.only("--recompute-modules", {"core_attn"}, "recomputation of other modules is not modelled");
  const auto granularity = keys.take("--recompute-granularity");
  const auto method = keys.take("--recompute-method").value_or("uniform");
  const auto layers = keys.integer("--recompute-num-layers", 1);
  if (granularity.value_or("") == "full" && (method != "uniform" || layers != 1))
    keys.fail("--recompute-method", "recomputation of some layers, or of several at a time, is not modelled; allowed: "
                                    "uniform with --recompute-num-layers 1");
  for (const char* key : {"--recompute-activations", "--checkpoint-activations"}) // newer and older ways to say it
    if (keys.truth(key, false))
      keys.set(key, "--recompute", key[2] == 'r' ? "selective" : "full", plan);
  if (granularity)
    keys.set("--recompute-granularity", "--recompute", *granularity, plan);
}

void megatron_attention(PlanKeys& keys, PlanFile& plan) {
  keys.only("--attention-backend", {"auto", "flash", "fused", "unfused", "local"}, "it is not modelled");
  keys.only("--transformer-impl", {"transformer_engine", "local"}, "it is not modelled");
  const auto backend = keys.take("--attention-backend").value_or("auto");
  const bool local = keys.take("--transformer-impl").value_or("transformer_engine") == "local";
  const bool flash = keys.truth("--use-flash-attn", !local);
  const bool unfused = backend == "unfused" || backend == "local" || (backend == "auto" && !flash);
  keys.set("--attention-backend", "--attention", unfused ? "unfused" : "flash", plan);
  const double dropped = keys.number("--hidden-dropout", 0.1) + keys.number("--attention-dropout", 0.1);
  if (dropped > 0)
    keys.set("--hidden-dropout", "--dropout", "true", plan);
}

void megatron_pipeline(PlanKeys& keys, PlanFile& plan) {
  const auto stages = keys.integer("--pipeline-model-parallel-size", 1);
  keys.copy("--pipeline-model-parallel-size", "--pp", plan);
  keys.copy("--num-virtual-stages-per-pipeline-rank", "--vpp", plan);
  if (const auto each = keys.integer("--num-layers-per-virtual-pipeline-stage", 0); each > 0) {
    const auto layers = keys.integer("--num-layers", 0);
    if (stages == 0 || layers % (stages * each) != 0)
      keys.fail("--num-layers-per-virtual-pipeline-stage",
                fmt::format("{} layers on {} stages are no whole number of chunks of {}", layers, stages, each));
    keys.set("--num-layers-per-virtual-pipeline-stage", "--vpp", fmt::format("{}", layers / stages / each), plan);
  }
  if (keys.truth("--no-scatter-gather-tensors-in-pipeline", false))
    keys.set("--no-scatter-gather-tensors-in-pipeline", "--scatter-gather", "off", plan);
  if (keys.truth("--overlap-p2p-communication", false))
    keys.set("--overlap-p2p-communication", "--overlap-p2p", "true", plan);
  (void)keys.take("--no-overlap-p2p-communication");
}

void megatron_data_parallel(PlanKeys& keys, PlanFile& plan) {
  if (keys.truth("--use-distributed-optimizer", false))
    keys.set("--use-distributed-optimizer", "--zero", "1", plan);
  keys.copy("--zero-stage", "--zero", plan); // Megatron-DeepSpeed
  keys.only("--use-megatron-fsdp", {}, "its schedule of gathers is not modelled; --zero 3 shards parameters");
  keys.only("--use-torch-fsdp2", {}, "its schedule of gathers is not modelled; --zero 3 shards parameters");
  keys.set("--overlap-grad-reduce", "--overlap-gradients", keys.truth("--overlap-grad-reduce", false) ? "on" : "off",
           plan);
  if (keys.truth("--overlap-param-gather", false))
    keys.simplify("--overlap-param-gather", "updated parameters are gathered before the next iteration begins", plan);
  if (keys.has("--ddp-bucket-size")) // elements
    keys.set("--ddp-bucket-size", "--bucket",
             fmt::format("{:.0f}B", keys.number("--ddp-bucket-size", 0) * GRADIENT_BYTES), plan);
  keys.only("--optimizer", {"adam", "sgd"}, "its traffic is not modelled");
  if (const auto name = keys.take("--optimizer"))
    keys.set("--optimizer", "--optimizer", *name == "sgd" ? "sgd-momentum" : "adam", plan); // momentum: 0.9 by default
  keys.only("--deepspeed_config", {}, "name that file by a --plan of its own");
  keys.only("--optimizer-cpu-offload", {}, "states and steps on the CPU are not modelled");
}

} // namespace

PlanFile read_megatron_plan(const std::string& text, const std::string& file) {
  auto keys = megatron_keys(text, file);
  PlanFile plan;
  if (!keys.has("--micro-batch-size") && !keys.has("--num-layers") && !keys.has("--tensor-model-parallel-size"))
    throw base::UserError(
        base::Location{.file = file},
        "holds none of Megatron-LM's arguments; allowed: a script or a list of them, DeepSpeed's JSON "
        "(.json), NeMo's YAML (.yaml)");
  for (const auto& [key, flag] : {std::pair{"--micro-batch-size", "--micro-batch"},
                                  {"--global-batch-size", "--global-batch"},
                                  {"--seq-length", "--seq"},
                                  {"--tensor-model-parallel-size", "--tp"},
                                  {"--context-parallel-size", "--cp"},
                                  {"--expert-model-parallel-size", "--ep"}})
    keys.copy(key, flag, plan);
  for (const char* nodes : {"--nnodes", "--num-nodes"})
    if (const auto count = keys.take(nodes); count && !count->starts_with("$"))
      keys.copy(nodes, "--nodes", plan);
  if (keys.truth("--sequence-parallel", false) && keys.integer("--tensor-model-parallel-size", 1) > 1)
    keys.set("--sequence-parallel", "--sp", "true", plan); // Megatron drops it without tensor parallelism
  keys.only("--rampup-batch-size", {}, "a batch that grows is no steady state");
  keys.only("--cp-comm-type", {"p2p"}, "context parallelism is a ring here");
  keys.only("--expert-tensor-parallel-size", {keys.take("--tensor-model-parallel-size").value_or("1")},
            "experts are cut as other layers are");
  if (keys.truth("--no-async-tensor-model-parallel-allreduce", false))
    keys.set("--no-async-tensor-model-parallel-allreduce", "--overlap-tp", "off", plan);
  if (keys.truth("--tp-comm-overlap", false))
    keys.simplify("--tp-comm-overlap",
                  "collectives of tp run whole, beside weights' gradients; --strategy tp=tile-fused overlaps them with "
                  "their products",
                  plan);
  megatron_precision(keys, plan);
  megatron_recompute(keys, plan);
  megatron_attention(keys, plan);
  megatron_pipeline(keys, plan);
  megatron_data_parallel(keys, plan);
  plan.model = megatron_model(keys, plan);
  keys.finish(MEGATRON_WITHOUT_EFFECT);
  return plan;
}

} // namespace tandem::workload
