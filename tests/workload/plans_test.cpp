// Plans of other programs: keys become flags, models become facts, and what is not understood is refused by name.
#include "base/error.h"
#include "workload/plans/plan_file.h"
#include "workload/plans/shell_words.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::workload {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

std::vector<std::string> flags_of(const PlanFile& plan) {
  std::vector<std::string> flags;
  for (const auto& setting : plan.settings)
    flags.push_back(setting.flag + "=" + setting.value);
  return flags;
}

std::string refusal(const std::string& text, const std::string& path) {
  try {
    (void)parse_plan_file(text, path);
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "accepted";
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> list;
  for (const auto& word : shell_words(text, "run.sh"))
    list.push_back(word.text);
  return list;
}

TEST(ShellWords, VariablesArraysQuotesAndContinuedLinesAreRead) {
  EXPECT_THAT(words("# a comment\nTP=8\nARGS=(\n  --tp $TP # eight\n  --name \"two words\"\n)\nrun ${ARGS[@]} \\\n  "
                    "--pp ${PP:-2}\n"),
              ElementsAre("run", "--tp", "8", "--name", "two words", "--pp", "2"));
  EXPECT_THAT(words("OPTIONS=\" --tp 4 \\\n --pp 2 \"\ncmd=\"python x.py $OPTIONS\"\necho $cmd"),
              IsSupersetOf({"--tp", "4", "--pp", "2"}));
  EXPECT_THAT(words("MODEL_ARGS=(--layers 2)\n"), ElementsAre("--layers", "2")); // of a command in another file
}

// Every kind of blank ends a word; none is read for ever.
TEST(ShellWords, BlanksOfAnyKind) {
  EXPECT_THAT(words("run\f--tp\v8\f"), ElementsAre("run", "--tp", "8"));
  EXPECT_THAT(words("A=(\f1\v2)\f"), ElementsAre("1", "2"));
}

// A0 holds 10 characters, Ai twice what the one before holds. A1 to Ai are made of 10 (2 + ... + 2^i) = 10 (2^(i+1) -
// 2) characters together: more than a million from i = 16 on, which is in line 17.
TEST(ShellWords, VariablesThatDoubleEachOtherHaveAnEnd) {
  std::string text = "A0=0123456789\n";
  for (int i = 1; i <= 20; ++i)
    text += fmt::format("A{}=$A{}$A{}\n", i, i - 1, i - 1);
  EXPECT_THAT(words("A0=0123456789\nA1=$A0$A0\nrun $A1"), ElementsAre("run", "01234567890123456789"));
  try {
    (void)words(text);
    ADD_FAILURE() << "accepted";
  } catch (const base::UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("run.sh:17: variables stand for more than 1000000 characters"));
  }
}

const char* const MEGATRON = R"(#!/bin/bash
NUM_NODES=4
DISTRIBUTED_ARGS=(
    --nproc_per_node 8
    --nnodes $NUM_NODES
)
GPT_MODEL_ARGS=(
    --num-layers 96
    --hidden-size 12288
    --num-attention-heads 96
    --seq-length 2048
    --max-position-embeddings 2048
)
TRAINING_ARGS=(
    --micro-batch-size 1
    --global-batch-size 1536
    --train-iters 500000
    --fp16
    --lr 6.0e-5
)
MODEL_PARALLEL_ARGS=(
    --tensor-model-parallel-size 8
    --pipeline-model-parallel-size 16
    --num-layers-per-virtual-pipeline-stage 3
    --sequence-parallel
    --use-distributed-optimizer
)
torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py ${GPT_MODEL_ARGS[@]} ${TRAINING_ARGS[@]} ${MODEL_PARALLEL_ARGS[@]}
)";

// 96 layers on 16 stages in chunks of 3 are 2 chunks a stage; the vocabulary of GPT-2 is padded to 128 x tp when the
// model is made.
TEST(MegatronPlan, AScriptBecomesFlagsAndAModel) {
  const auto plan = parse_plan_file(MEGATRON, "pretrain.sh");
  EXPECT_THAT(flags_of(plan),
              IsSupersetOf({"--micro-batch=1", "--global-batch=1536", "--seq=2048", "--tp=8", "--pp=16", "--vpp=2",
                            "--nodes=4", "--sp=true", "--precision=fp16", "--fp32-gradients=off", "--zero=1",
                            "--dropout=true", "--attention=flash", "--overlap-gradients=off"}));
  ASSERT_TRUE(plan.model);
  const auto model = language_model_of(*plan.model);
  EXPECT_EQ(model.layers.size(), 96U);
  EXPECT_EQ(model.vocab, 51200); // 50 x 1024 is the first multiple of 1024 that holds 50257
  EXPECT_EQ(model.learned_positions, 2048);
  EXPECT_TRUE(model.tied_embeddings);
}

TEST(MegatronPlan, WhatChangesTimeAndIsNotUnderstoodIsRefusedByName) {
  EXPECT_THAT(
      refusal("--num-layers 2\n--hidden-sise 512\n", "args.txt"),
      testing::AllOf(HasSubstr("args.txt:2"), HasSubstr("'--hidden-sise'"), HasSubstr("did you mean '--hidden-size'")));
  EXPECT_THAT(refusal("--num-layers 2 --optimizer-cpu-offload", "args.txt"), HasSubstr("--optimizer-cpu-offload"));
  EXPECT_THAT(refusal("--num-layers 2 --recompute-granularity full --recompute-method block", "args.txt"),
              HasSubstr("--recompute-method"));
  EXPECT_THAT(refusal("--lr 3", "args.txt"), HasSubstr("none of Megatron-LM's arguments"));
  const auto experts = parse_plan_file("--num-layers 2 --num-experts 8", "args.txt");
  EXPECT_THAT(experts.foreign_model, HasSubstr("--num-experts"));
}

TEST(DeepSpeedPlan, WhatIsNoMapOfKeysIsRefusedWithItsPlace) {
  EXPECT_THAT(refusal("{\n {\"a\": 1}: 2}", "ds.json"), HasSubstr("ds.json:2:2: found a list or a map where the name"));
  EXPECT_THAT(refusal("{\"a\": 1,\n\"a\": 2}", "ds.json"), HasSubstr("ds.json:2:1: key 'a' is given twice"));
  EXPECT_THAT(refusal("a: &x {b: *x}", "nemo.yaml"), HasSubstr("nested deeper"));
  EXPECT_THAT(refusal("[1]", "ds.json"), HasSubstr("holds no keys"));
}

// Stage 2 with a bucket of 7,000,000 fp16 elements: 14 MB. DeepSpeed overlaps by default in stage 3 only.
TEST(DeepSpeedPlan, KeysBecomeFlags) {
  const auto plan = parse_plan_file(R"({"train_batch_size": 8, "gradient_accumulation_steps": 2, "steps_per_print": 1,
    "zero_optimization": {"stage": 2, "reduce_bucket_size": 7e6, "reduce_scatter": true},
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-5}}, "fp16": {"enabled": true, "loss_scale": 0}})",
                                    "ds.json");
  EXPECT_THAT(flags_of(plan), IsSupersetOf({"--global-batch=8", "--accumulate=2", "--precision=fp16", "--zero=2",
                                            "--bucket=14000000B", "--overlap-gradients=off", "--optimizer=adam"}));
  EXPECT_FALSE(plan.model);
  const auto three = parse_plan_file(R"({"train_micro_batch_size_per_gpu": "auto", "zero_optimization": {"stage": 3,
    "stage3_prefetch_bucket_size": 5e8}})",
                                     "ds.json");
  EXPECT_THAT(flags_of(three), IsSupersetOf({"--zero=3", "--overlap-gradients=on", "--precision=fp32"}));
  EXPECT_THAT(flags_of(three), Not(Contains(HasSubstr("--micro-batch"))));
  EXPECT_THAT(three.simplified, ElementsAre(HasSubstr("stage3_prefetch_bucket_size")));
}

TEST(DeepSpeedPlan, OffloadAndUnknownKeysAreRefusedByName) {
  EXPECT_THAT(refusal(R"({"zero_optimization": {"stage": 2, "cpu_offload": true}})", "ds.json"),
              HasSubstr("zero_optimization.cpu_offload: found 'true'"));
  EXPECT_THAT(refusal(R"({"zero_optimization": {"stage": 3, "offload_param": {"device": "nvme"}}})", "ds.json"),
              HasSubstr("offload_param.device"));
  EXPECT_THAT(refusal("{\n\"zero_optimisation\": {\"stage\": 3}}", "ds.json"), HasSubstr("ds.json:2"));
  EXPECT_THAT(refusal("[1]", "ds.json"), HasSubstr("holds no keys"));
}

const char* const NEMO = R"(
trainer: {num_nodes: 2, devices: 8, precision: bf16}
model:
  micro_batch_size: 1
  global_batch_size: 128
  tensor_model_parallel_size: 4
  pipeline_model_parallel_size: 2
  virtual_pipeline_model_parallel_size: null
  encoder_seq_length: 4096
  max_position_embeddings: 4096
  num_layers: 32
  hidden_size: 4096
  ffn_hidden_size: ${multiply:4, ${.hidden_size}}
  num_attention_heads: 32
  activation: fast-swiglu
  normalization: rmsnorm
  bias: false
  position_embedding_type: rope
  sequence_parallel: true
  tokenizer: {type: GPT2BPETokenizer}
  optim: {name: mcore_distributed_optim, bucket_cap_mb: 125, overlap_grad_sync: true, overlap_param_sync: true}
)";

TEST(NemoPlan, KeysBecomeFlagsAndAModel) {
  const auto plan = parse_plan_file(NEMO, "nemo.yaml");
  EXPECT_THAT(flags_of(plan), IsSupersetOf({"--nodes=2", "--tp=4", "--pp=2", "--sp=true", "--precision=bf16",
                                            "--zero=1", "--bucket=125MiB", "--overlap-gradients=on"}));
  EXPECT_THAT(flags_of(plan), Not(Contains(HasSubstr("--vpp"))));
  EXPECT_THAT(plan.simplified, ElementsAre(HasSubstr("nemo.yaml:21:87: model.optim.overlap_param_sync")));
  ASSERT_TRUE(plan.model);
  const auto model = language_model_of(*plan.model);
  EXPECT_EQ(model.kinds[0].feed_forward.inner, 16384);
  EXPECT_TRUE(model.kinds[0].feed_forward.gated);
  EXPECT_EQ(model.norm, model::NormKind::RMS);
  EXPECT_EQ(model.learned_positions, 0);
}

TEST(NemoPlan, WhatIsNotUnderstoodIsRefusedByName) {
  EXPECT_THAT(refusal(std::string(NEMO) + "  some_new_overlap: true\n", "nemo.yaml"),
              HasSubstr("'model.some_new_overlap'"));
  EXPECT_THAT(refusal(std::string(NEMO) + "  activations_checkpoint_granularity: full\n"
                                          "  activations_checkpoint_method: block\n",
                      "nemo.yaml"),
              HasSubstr("activations_checkpoint_method"));
}

} // namespace
} // namespace tandem::workload
