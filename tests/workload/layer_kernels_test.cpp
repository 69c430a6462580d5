// Kernels of a layer: FLOPs against closed forms, the layer of T3's model, and where the collectives stand.
#include "workload/elementwise.h"
#include "workload/layer_kernels.h"

#include "base/error.h"
#include "workload/gpt.h"
#include "workload/model_flops.h"
#include "workload/transformer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::workload {
namespace {

using model::Communication;
using model::Kernel;
using ::testing::ElementsAre;

std::vector<std::string> communication(const model::Steps& steps) {
  std::vector<std::string> names;
  for (const auto& step : steps)
    if (const auto* one = std::get_if<Communication>(&step))
      names.push_back(one->dimension + " " + model::to_string(one->kind));
  return names;
}

// GPT-3 175B. Megatron SC'21, eq. 3, with every layer's forward pass done twice; arXiv 2205.05198 without.
TEST(LayerKernels, FlopsOfClosedForms) {
  const auto model = gpt(12288, 96, 96, 51200, 2048);
  const double b = 1536, s = 2048, l = 96, h = 12288, v = 51200;
  EXPECT_NEAR(recomputed_flops(model, b, 2048).value() /
                  (96 * b * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h))),
              1, 1e-12);
  EXPECT_NEAR(model_flops(model, b, 2048).value() / (72 * b * s * l * h * h * (1 + s / (6 * h) + v / (12 * l * h))), 1,
              1e-12);
}

// The same from the products that t ranks really do: unfused attention, full recomputation.
TEST(LayerKernels, ProductsOfAllRanksAreTheClosedForm) {
  const auto model = gpt(12288, 96, 96, 51200, 2048);
  const LayerPlan plan{
      .micro_batch = 2, .sequence = 2048, .tp = 8, .recompute = Recompute::FULL, .attention = AttentionKernel::UNFUSED};
  const double layer =
      gemm_flops(layer_forward(model, model.kinds[0], plan)) + gemm_flops(layer_backward(model, model.kinds[0], plan));
  const double head = gemm_flops(head_forward(model, plan)) + gemm_flops(head_backward(model, plan));
  EXPECT_NEAR(8 * (96 * layer + head) / recomputed_flops(model, 2, 2048).value(), 1, 1e-12);
}

// T3's layer (transformer.cpp) is this one: unfused, with dropout, gradients in fp16.
TEST(LayerKernels, AgreesWithTheLayerOfTheT3Paper) {
  const auto model = gpt(3072, 24, 1, 51200, 1024);
  const LayerPlan plan{.micro_batch = 16,
                       .sequence = 1024,
                       .tp = 8,
                       .precision = "fp16",
                       .attention = AttentionKernel::UNFUSED,
                       .dropout = true};
  auto steps = layer_forward(model, model.kinds[0], plan);
  const auto backward = layer_backward(model, model.kinds[0], plan);
  steps.insert(steps.end(), backward.begin(), backward.end());
  const auto items = layer_items({.hidden = 3072, .heads = 24, .sequence = 1024, .tokens = 16384},
                                 {.tp = 8, .precision = "fp16"}, LayerPhase::TRAINING);
  std::size_t at = 0;
  for (const auto& item : items) {
    ASSERT_LT(at, steps.size()) << item.name;
    const auto& kernel = std::get<Kernel>(steps[at++]);
    SCOPED_TRACE(item.name + " / " + kernel.name);
    ASSERT_EQ(item.gemm.has_value(), kernel.gemm.has_value());
    if (item.gemm) {
      EXPECT_EQ(item.gemm->m, kernel.gemm->m);
      EXPECT_EQ(item.gemm->n, kernel.gemm->n);
      EXPECT_EQ(item.gemm->k, kernel.gemm->k);
      EXPECT_EQ(item.gemm->batch, kernel.gemm->batch);
    } else {
      EXPECT_DOUBLE_EQ(item.kernel->reads.value(), kernel.reads.value());
      EXPECT_DOUBLE_EQ(item.kernel->writes.value(), kernel.writes.value());
      // T3's layers draw no random numbers: elements are the reads over 2 bytes and over the tensors that are read.
      double drawn = 0;
      for (const auto& row : {ATTENTION_DROPOUT, BIAS_DROPOUT_ADD})
        if (item.name == row.name)
          drawn = kernel.reads.value() / 2 / row.reads;
      EXPECT_DOUBLE_EQ(item.kernel->flops.value() + drawn * RANDOM_NUMBER_FLOPS, kernel.flops.value());
    }
    if (item.collective) {
      const auto& collective = std::get<Communication>(steps[at++]);
      EXPECT_EQ(collective.kind, *item.collective);
      EXPECT_DOUBLE_EQ(collective.bytes.value(), item.gemm->output().value());
    }
  }
  EXPECT_EQ(at, steps.size());
}

TEST(LayerKernels, CollectivesOfTensorAndSequenceParallelism) {
  const auto model = gpt(1024, 16, 1, 1024, 1024);
  LayerPlan plan{.sequence = 1024, .tp = 4};
  EXPECT_THAT(communication(layer_forward(model, model.kinds[0], plan)), ElementsAre("tp all-reduce", "tp all-reduce"));
  EXPECT_THAT(communication(layer_backward(model, model.kinds[0], plan)),
              ElementsAre("tp all-reduce", "tp all-reduce"));
  plan.sequence_parallel = true;
  EXPECT_THAT(communication(layer_forward(model, model.kinds[0], plan)),
              ElementsAre("tp all-gather", "tp reduce-scatter", "tp all-gather", "tp reduce-scatter"));
  // Each block gathers the gradient of its output, and its input again for the weight's gradient.
  EXPECT_THAT(communication(layer_backward(model, model.kinds[0], plan)),
              ElementsAre("tp all-gather", "tp all-gather", "tp reduce-scatter", "tp all-gather", "tp all-gather",
                          "tp reduce-scatter"));
  plan.tp = 1;
  EXPECT_THAT(communication(layer_forward(model, model.kinds[0], plan)), ElementsAre());
}

// Whoever is said to be independent of a collective follows it as a kernel.
TEST(LayerKernels, IndependentKernelsFollowTheirCollective) {
  const auto model = gpt(1024, 16, 1, 1024, 1024);
  for (const char* precision : {"bf16", "fp8"}) {
    const LayerPlan plan{.sequence = 1024, .tp = 4, .sequence_parallel = true, .cp = 2, .precision = precision};
    const auto steps = layer_backward(model, model.kinds[0], plan);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto* one = std::get_if<Communication>(&steps[i]);
      for (std::size_t next = 1; one && next <= static_cast<std::size_t>(one->independent); ++next)
        EXPECT_TRUE(std::holds_alternative<Kernel>(steps.at(i + next))) << one->name;
    }
  }
}

// Work is cut, not lost: the products of all ranks are those of one, whatever cuts them.
TEST(LayerKernels, TheRanksOfAPlanDoTheWorkOfOne) {
  auto model = gpt(1024, 16, 1, 1024, 4096);
  model.kinds[0].attention.kv_heads = 8;
  model.kinds[0].feed_forward = {.inner = 4096, .gated = true};
  const auto work = [&](const LayerPlan& plan) {
    double sum = 0;
    for (const auto& steps : {layer_forward(model, model.kinds[0], plan), layer_backward(model, model.kinds[0], plan)})
      for (const auto& step : steps)
        if (const auto* kernel = std::get_if<Kernel>(&step))
          sum += kernel->nominal_flops.value();
    return sum * plan.tp * plan.cp;
  };
  const double one = work({.sequence = 4096});
  for (const int tp : {1, 2, 8})
    for (const bool sequence_parallel : {false, true})
      for (const int cp : {1, 2, 4})
        for (const auto context : {ContextParallel::RING, ContextParallel::ALL_GATHER})
          EXPECT_NEAR(
              work({.sequence = 4096, .tp = tp, .sequence_parallel = sequence_parallel, .cp = cp, .context = context}) /
                  one,
              1, 1e-12)
              << tp << ' ' << sequence_parallel << ' ' << cp;
}

TEST(LayerKernels, ExpertsSendTopKOfTheirTokens) {
  auto model = gpt(1024, 16, 1, 1024, 4096);
  model.kinds[0].experts = model::Experts{.routed = 64, .top_k = 6, .inner = 512};
  const LayerPlan plan{.micro_batch = 2, .sequence = 4096, .ep = 8};
  const auto steps = layer_forward(model, model.kinds[0], plan);
  EXPECT_THAT(communication(steps), ElementsAre("ep all-to-all", "ep all-to-all"));
  for (const auto& step : steps) {
    if (const auto* one = std::get_if<Communication>(&step)) {
      EXPECT_DOUBLE_EQ(one->bytes.value(), 8192.0 * 6 * 1024 * 2);
    } else if (const auto& kernel = std::get<Kernel>(step); kernel.name == "experts FC-1") {
      // 8 ranks send 8192 x 6 choices each to 64 experts, 8 of them here: 6144 rows each
      EXPECT_EQ(kernel.gemm->batch, 8);
      EXPECT_EQ(kernel.gemm->m, 6144);
      EXPECT_EQ(kernel.gemm->n, 2 * 512);
    }
  }
}

// The backward pass does two products for each of the forward pass: embedding, layer, projection and output.
TEST(LayerKernels, APredictionLayerIsALayerAndItsProjection) {
  auto model = gpt(1024, 16, 2, 1000, 4096);
  model.prediction_layers = 1;
  const LayerPlan plan{.sequence = 4096, .attention = AttentionKernel::UNFUSED};
  const double layer = gemm_flops(layer_forward(model, model.kinds[0], plan));
  const double head = gemm_flops(head_forward(model, plan));
  const double forward = gemm_flops(prediction_forward(model, plan));
  EXPECT_DOUBLE_EQ(forward, layer + head + 2.0 * 4096 * 1024 * 2048);
  EXPECT_DOUBLE_EQ(gemm_flops(prediction_backward(model, plan)), 2 * forward);
}

std::string refused(const model::LanguageModel& model, const LayerPlan& plan) {
  try {
    check_plan(model, plan);
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CheckPlan, SaysBothNumbers) {
  const auto model = gpt(1024, 16, 1, 1024, 2048);
  using ::testing::HasSubstr;
  EXPECT_EQ(refused(model, {.sequence = 2048, .tp = 8, .cp = 2}), "accepted");
  EXPECT_THAT(refused(model, {.sequence = 2048, .tp = 5}), HasSubstr("tp 5 does not divide the attention heads, 16"));
  EXPECT_THAT(refused(model, {.sequence = 2048, .ep = 2}), HasSubstr("ep 2, and gpt has no experts"));
  EXPECT_THAT(refused(model, {.sequence = 2048, .cp = 3}), HasSubstr("cp 3 does not divide the sequence of 2048"));
  EXPECT_THAT(refused(model, {.sequence = 4096}), HasSubstr("4096 tokens, and gpt has 2048"));
  EXPECT_THAT(refused(model, {.sequence = 0}), HasSubstr("sequence 0"));
  EXPECT_THAT(refused(model, {.sequence = 2044, .tp = 8, .sequence_parallel = true}),
              HasSubstr("tp 8 does not divide the sequence of 2044"));
  EXPECT_THAT(refused(model, {.sequence = 2048, .precision = "int4"}), HasSubstr("int4"));
}

} // namespace
} // namespace tandem::workload
