// Convolutional, recommendation and measured models: FLOPs as published, kernels, communication, and what is refused.
#include "base/error.h"
#include "gpt.h"
#include "workload/model_flops.h"
#include "workload/model_parts.h"
#include "workload/model_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::workload {
namespace {

using ::testing::HasSubstr;

model::AnyModel shipped(const std::string& name) {
  return read_model(std::string(TANDEM_SOURCE_DIR) + "/workloads/models/" + name + ".yaml");
}

ParallelPlan plan_of(int dp, std::int64_t micro_batch, const std::string& precision = "fp16") {
  ParallelPlan plan;
  plan.layer.sequence = 1;
  plan.layer.micro_batch = micro_batch;
  plan.layer.precision = precision;
  plan.dp = dp;
  plan.global_batch = micro_batch * dp;
  return plan;
}

const model::Kernel& kernel_named(const model::Steps& steps, const std::string& name) {
  for (const auto& step : steps)
    if (const auto* kernel = std::get_if<model::Kernel>(&step); kernel != nullptr && kernel->name == name)
      return *kernel;
  throw std::out_of_range(name);
}

std::string refusal(const model::AnyModel& model, const ParallelPlan& plan, int gpus) {
  try {
    check_plan(model, plan, gpus);
  } catch (const base::UserError& error) {
    return error.what();
  }
  return {};
}

// torchvision's documentation: 4.09, 15.47 and 0.71 billion multiply-adds of an image; the convention counts an add and
// a product apart, forward and backward as three forward passes.
TEST(OtherModels, FlopsAreThePublishedOnes) {
  EXPECT_NEAR(model_flops(shipped("resnet50"), 1, 1).value() / 6e9, 4.09, 0.005);
  EXPECT_NEAR(model_flops(shipped("vgg16"), 1, 1).value() / 6e9, 15.47, 0.005);
  EXPECT_NEAR(model_flops(shipped("alexnet"), 1, 1).value() / 6e9, 0.714, 0.001);
}

// Each gradient is a product as large as the forward one; the first layer has no gradient of its input.
TEST(OtherModels, AConvolutionsGradientsCostWhatItCosts) {
  const auto model = shipped("vgg16");
  const auto parts = model_parts(model, plan_of(1, 8), 0);
  for (const auto& part : parts) {
    const int products = &part == &parts.front() ? 1 : 2;
    EXPECT_NEAR(gemm_flops(part.backward), products * gemm_flops(part.forward), 1.0) << part.name;
  }
}

// conv2.1 of VGG16 reads 8 x 112 x 112 x 64 values of 2 bytes, and each stands in 9 rows of the implicit GEMM.
TEST(OtherModels, AConvolutionReadsItsInputOnce) {
  const auto parts = model_parts(shipped("vgg16"), plan_of(1, 8), 0);
  const auto& gemm = *kernel_named(parts[2].forward, "conv2.1").gemm;
  EXPECT_EQ(gemm.k, 64 * 9);
  EXPECT_DOUBLE_EQ(gemm.input().value() / gemm.a_repeats, 8.0 * 112 * 112 * 64 * 2);
  EXPECT_DOUBLE_EQ(kernel_named(parts[2].backward, "conv2.1 weight gradient").gemm->b_repeats, 9.0);
}

// An identity block of stage 2 on one image keeps the inputs of its convolutions and of their norms: 28 x 28 places of
// 512 + 128 + 128 and of 128 + 128 + 512 channels in 2 bytes.
TEST(OtherModels, ABlockKeepsWhatItsGradientsNeed) {
  const auto parts = model_parts(shipped("resnet50"), plan_of(1, 1), 0);
  double kept = 0;
  for (const auto& part : parts)
    if (part.name.starts_with("stage2.2."))
      kept += part.memory.kept.value();
  EXPECT_DOUBLE_EQ(kept, 28.0 * 28 * (512 + 128 + 128 + 128 + 128 + 512) * 2);
}

// 26 tables, 128 wide, one row each: of 1024 samples on each of 8 ranks a rank looks up 1024 x 26 rows, wherever they
// are from, and sends as many vectors.
TEST(OtherModels, ARankLooksUpItsShareForAllSamples) {
  auto plan = plan_of(8, 1024, "fp32");
  plan.layer.ep = 8;
  const auto parts = model_parts(shipped("dlrm-mlperf"), plan, 0);
  ASSERT_EQ(parts.front().name, "embeddings");
  const auto& lookup = kernel_named(parts.front().forward, "lookup");
  EXPECT_DOUBLE_EQ(lookup.reads.value(), 1024.0 * 26 * (128 * 4 + 8));
  EXPECT_DOUBLE_EQ(lookup.writes.value(), 1024.0 * 26 * 128 * 4);
  const auto& exchange = std::get<model::Communication>(parts.front().forward.back());
  EXPECT_EQ(exchange.kind, model::CollectiveKind::ALL_TO_ALL);
  EXPECT_DOUBLE_EQ(exchange.bytes.value(), 1024.0 * 26 * 128 * 4);
  EXPECT_EQ(exchange.until, "interaction");
}

// Tables are an eighth each, MLPs whole: 13-512-256-128 and 479-1024-1024-512-256-1, each layer (in + 1) x out with its
// bias; 479 = 128 + 27 x 26 / 2.
TEST(OtherModels, TablesAreSpreadAndMatricesAreNot) {
  auto plan = plan_of(8, 64);
  plan.layer.ep = 8;
  RankParameters sum;
  for (const auto& part : model_parts(shipped("dlrm-mlperf"), plan, 0)) {
    sum.shared += part.parameters.shared;
    sum.tables += part.parameters.tables;
  }
  const double bottom = 14.0 * 512 + 513 * 256 + 257 * 128;
  const double top = 480.0 * 1024 + 1025 * 1024 + 1025 * 512 + 513 * 256 + 257;
  EXPECT_DOUBLE_EQ(sum.shared, bottom + top);
  EXPECT_DOUBLE_EQ(8 * sum.tables + sum.shared, static_cast<double>(total_parameters(shipped("dlrm-mlperf"))));
}

TEST(OtherModels, WhatTheyCannotDoIsRefusedWithBothNumbers) {
  const auto resnet = shipped("resnet50"), dlrm = shipped("dlrm-mlperf");
  EXPECT_EQ(refusal(resnet, plan_of(4, 8), 4), "");
  auto plan = plan_of(4, 8);
  plan.layer.tp = 2;
  EXPECT_THAT(refusal(resnet, plan, 8), HasSubstr("tp 2: ResNet-50"));
  EXPECT_THAT(refusal(resnet, plan, 8), HasSubstr("allowed: tp 1"));
  plan.layer.ep = 4;
  EXPECT_THAT(refusal(dlrm, plan, 8), HasSubstr("tp 2: DLRM-MLPerf"));
  plan = plan_of(4, 8);
  plan.pp = 2;
  EXPECT_THAT(refusal(resnet, plan, 8), HasSubstr("pp 2: ResNet-50"));
  EXPECT_THAT(refusal(resnet, plan_of(4, 8), 8), HasSubstr("1 x 1 x 1 x 4 = 4 ranks, and there are 8 GPUs"));
  EXPECT_THAT(refusal(resnet, plan_of(4, 8, "fp8"), 4), HasSubstr("precision fp8"));
  EXPECT_THAT(refusal(dlrm, plan_of(4, 8), 4), HasSubstr("ep 1: tables spread over all ranks of DLRM-MLPerf for dp 4"));
  plan = plan_of(4, 8);
  plan.global_batch = 33;
  EXPECT_THAT(refusal(resnet, plan, 4), HasSubstr("33 is not a multiple of micro-batch x dp = 8 x 4 = 32"));
  plan = plan_of(4, 8);
  plan.layer.recompute = Recompute::FULL;
  EXPECT_THAT(refusal(resnet, plan, 4), HasSubstr("recomputation"));
}

TEST(OtherModels, OneStreamIsNotForPipelines) {
  ParallelPlan plan;
  plan.layer.sequence = 64;
  plan.pp = 2;
  plan.global_batch = 4;
  plan.one_stream = true;
  EXPECT_THAT(refusal(gpt(64, 4, 4, 128, 64), plan, 2), HasSubstr("one stream of communication with pp 2"));
}

std::string measured(const std::string& layers) {
  return "name: m\nkind: measured\nsource: none\nmeasured:\n" + layers;
}

TEST(OtherModels, MeasuredLayersAreRead) {
  const auto any = parse_model_yaml(measured("  - {name: a, forward: 1ms, backward: 2ms, all_to_all: 1MB, until: b 2}\n"
                                             "  - {name: b, count: 2, forward: 3us, backward: 4us, parameters: 5}\n"),
                                    "m.yaml");
  const auto& model = std::get<model::MeasuredModel>(any);
  ASSERT_EQ(model.layers.size(), 3U);
  EXPECT_EQ(model.layers[2].name, "b 2");
  EXPECT_DOUBLE_EQ(model.layers[0].backward.value(), 2e-3);
  EXPECT_EQ(total_parameters(any), 10);
}

TEST(OtherModels, MeasuredLayersThatMakeNoSenseAreRefused) {
  for (const auto& [layers, message] :
       {std::pair{"  - {name: a, forward: 1ms, backward: 2}\n", "m.yaml:5"},
        {"  - {name: a, forward: 1ms, backward: 2ms, all_to_all: 1MB}\n", "all_to_all and until come together"},
        {"  - {name: a, forward: 1ms, backward: 2ms, all_to_all: 1MB, until: c}\n", "'c'"},
        {"  - {name: a, forward: 1ms, backward: 2ms, all_to_all: 1MB, until: a}\n", "does not stand behind it"},
        {"  - {name: a, forward: 1ms, backward: 2ms}\n  - {name: a, forward: 1ms, backward: 2ms}\n",
         "two layers are called 'a'"}})
    try {
      (void)parse_model_yaml(measured(layers), "m.yaml");
      ADD_FAILURE() << layers;
    } catch (const base::UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr(message));
    }
}

} // namespace
} // namespace tandem::workload
