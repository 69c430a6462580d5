// A whole layer: its floating-point operations, parameters and bytes against closed forms, and where its collectives
// are.
#include "workload/transformer.h"

#include <gtest/gtest.h>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace tandem::workload {
namespace {

using model::Item;

// Heads divide by 8, so that every GPU has the same work.
const TransformerShape SHAPE{3072, 24, 1024, 16384};
const Slice EIGHT{8, "fp16"};

double gemm_flops(const std::vector<Item>& items) {
  double sum = 0;
  for (const Item& item : items) {
    if (item.gemm)
      sum += item.gemm->flops().value();
  }
  return sum;
}

std::map<std::string, Item> by_name(const std::vector<Item>& items) {
  std::map<std::string, Item> result;
  for (const Item& item : items)
    result.emplace(item.name, item);
  return result;
}

struct LayerCase {
  TransformerShape shape;
  int tp;
};

void PrintTo(const LayerCase& layer, std::ostream* out) {
  *out << "hidden " << layer.shape.hidden << " tp " << layer.tp;
}

class LayerTotals : public testing::TestWithParam<LayerCase> {};

// The four weight GEMMs multiply T x H by 12 H^2 / t parameters in all (3 + 1 + 4 + 4): 2 x 12 x T H^2 / t. Attention
// does two products of s x s x d per sequence and head: 2 x 2 s^2 d x (T/s)(h/t) = 4 T s H / t since h d = H. Together
//   forward = 24 T H^2 / t x (1 + s / (6 H)),
// and backward has two products of the same size for each one of forward.
TEST_P(LayerTotals, FlopsAreTheClosedForm) {
  const auto& [shape, tp] = GetParam();
  const double tokens = static_cast<double>(shape.tokens), hidden = static_cast<double>(shape.hidden),
               sequence = static_cast<double>(shape.sequence);
  const double forward = 24.0 * tokens * hidden * hidden / tp * (1.0 + sequence / (6.0 * hidden));
  EXPECT_NEAR(gemm_flops(layer_items(shape, {tp, "fp16"}, LayerPhase::PROMPT)) / forward, 1.0, 1e-12);
  EXPECT_NEAR(gemm_flops(layer_items(shape, {tp, "fp16"}, LayerPhase::TRAINING)) / (3.0 * forward), 1.0, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Shapes, LayerTotals,
                         testing::Values(LayerCase{SHAPE, 1}, LayerCase{SHAPE, 8}, LayerCase{{4256, 28, 1024, 8192}, 4},
                                         LayerCase{{12288, 96, 2048, 2048}, 32}, LayerCase{{64, 1, 16, 16}, 1}));

TEST(Layer, ForwardHoldsTwelveSquaredParameters) {
  // K x N of the weight GEMMs: H x 3H/t + H/t x H + H x 4H/t + 4H/t x H = 12 H^2 / t = 12 x 3072^2 / 8 = 14155776.
  std::int64_t parameters = 0;
  for (const Item& item : layer_items(SHAPE, EIGHT, LayerPhase::PROMPT)) {
    if (item.gemm && item.gemm->batch == 1)
      parameters += item.gemm->k * item.gemm->n;
  }
  EXPECT_EQ(parameters, 14155776);
}

TEST(Layer, AllReducesAreWhereMegatronHasThem) {
  std::vector<std::string> reduced;
  for (const Item& item : layer_items(SHAPE, EIGHT, LayerPhase::TRAINING)) {
    if (!item.collective)
      continue;
    EXPECT_EQ(item.collective, model::CollectiveKind::ALL_REDUCE);
    ASSERT_TRUE(item.gemm.has_value()) << item.name;
    EXPECT_EQ(item.gemm->batch, 1);
    EXPECT_EQ(item.gemm->m, 16384); // each makes the whole tokens x hidden
    EXPECT_EQ(item.gemm->n, 3072);
    reduced.push_back(item.name);
  }
  EXPECT_EQ(reduced, (std::vector<std::string>{"OP", "FC-2", "FC-1 input gradient", "IP input gradient"}));
}

TEST(Layer, PromptHasNoDropoutAndNoGradient) {
  for (const Item& item : layer_items(SHAPE, EIGHT, LayerPhase::PROMPT)) {
    EXPECT_EQ(item.name.find("dropout"), std::string::npos) << item.name;
    EXPECT_EQ(item.name.find("gradient"), std::string::npos) << item.name;
  }
}

TEST(Layer, EachItemIsAGemmOrAKernel) {
  for (const Item& item : layer_items(SHAPE, EIGHT, LayerPhase::TRAINING))
    EXPECT_NE(item.gemm.has_value(), item.kernel.has_value()) << item.name;
}

TEST(Layer, ForwardAndBackwardHaveTheirKernels) {
  // Forward: 14 with dropout (4 weight GEMMs, 2 products, 2 norms, softmax, 3 dropouts, merge, GeLU), one less without
  // the attention dropout. Backward: 8 weight and 4 attention GEMMs; 2 x 3 for the norms; 2 x (dropout, bias); GeLU and
  // bias; dropout, softmax; join; bias.
  EXPECT_EQ(layer_items(SHAPE, EIGHT, LayerPhase::PROMPT).size(), 13U);
  EXPECT_EQ(layer_items(SHAPE, EIGHT, LayerPhase::TRAINING).size(), 14U + 12U + 6U + 4U + 2U + 2U + 1U + 1U);
}

TEST(Layer, KernelBytesByHand) {
  const auto items = by_name(layer_items(SHAPE, EIGHT, LayerPhase::TRAINING));
  // T x H = 16384 x 3072 = 50331648 elements of 2 bytes: 100663296 bytes a tensor, 50331648 bytes a mask.
  EXPECT_EQ(items.at("LayerNorm").kernel->reads.value(), 100663296.0);
  EXPECT_EQ(items.at("LayerNorm").kernel->writes.value(), 100663296.0);
  EXPECT_EQ(items.at("bias+dropout+residual").kernel->reads.value(), 201326592.0); // the GEMM's output and the residual
  EXPECT_EQ(items.at("bias+dropout+residual").kernel->writes.value(), 150994944.0); // the sum and the mask
  EXPECT_EQ(items.at("dropout backward").kernel->reads.value(), 150994944.0);
  // T x 4H/8 = 16384 x 1536 = 25165824 elements, 50331648 bytes, 9 flops each.
  EXPECT_EQ(items.at("bias+GeLU").kernel->reads.value(), 50331648.0);
  EXPECT_EQ(items.at("bias+GeLU").kernel->flops.value(), 226492416.0);
  // Scores: 16 sequences x 3 heads x 1024 x 1024 = 50331648 elements.
  EXPECT_EQ(items.at("scale+mask+softmax").kernel->reads.value(), 100663296.0);
  EXPECT_EQ(items.at("softmax backward").kernel->reads.value(), 201326592.0);
  EXPECT_EQ(items.at("attention dropout").kernel->writes.value(), 150994944.0);
  // T x 3 heads x 128 = 6291456 elements; three of them are read and written.
  EXPECT_EQ(items.at("merge heads").kernel->writes.value(), 12582912.0);
  EXPECT_EQ(items.at("join Q, K, V gradients").kernel->reads.value(), 37748736.0);
}

TEST(Layer, Fp32DoublesTensorsButNotMasks) {
  const auto items = by_name(layer_items(SHAPE, {8, "fp32"}, LayerPhase::TRAINING));
  EXPECT_EQ(items.at("LayerNorm").kernel->reads.value(), 201326592.0);
  EXPECT_EQ(items.at("dropout backward").kernel->reads.value(), 201326592.0 + 50331648.0);
}

TEST(Layer, AttentionIsOneProductPerSequenceAndHead) {
  const auto items = by_name(layer_items(SHAPE, EIGHT, LayerPhase::PROMPT));
  // 16384 / 1024 = 16 sequences, 24 / 8 = 3 heads of 3072 / 24 = 128.
  const Item& scores = items.at("QK^T");
  EXPECT_EQ(scores.gemm->batch, 48);
  EXPECT_EQ(scores.gemm->m, 1024);
  EXPECT_EQ(scores.gemm->n, 1024);
  EXPECT_EQ(scores.gemm->k, 128);
  const Item& values = items.at("AV");
  EXPECT_EQ(values.gemm->batch, 48);
  EXPECT_EQ(values.gemm->n, 128);
  EXPECT_EQ(values.gemm->k, 1024);
}

TEST(Layer, HeadsThatDoNotDivideCountWhole) {
  // 24 heads on 16 GPUs: some have 2, so 16 sequences x 2 = 32 products; the GEMMs keep H/16 = 192.
  const auto items = by_name(layer_items(SHAPE, {16, "fp16"}, LayerPhase::PROMPT));
  EXPECT_EQ(items.at("QK^T").gemm->batch, 32);
  EXPECT_EQ(items.at("OP").gemm->k, 192);
  EXPECT_EQ(items.at("IP").gemm->n, 576);
}

TEST(Layer, TheSublayersOfTheLayerAreTheSublayers) {
  const auto items = by_name(layer_items(SHAPE, EIGHT, LayerPhase::TRAINING));
  const std::map<std::string, std::string> names = {
      {"OP", "OP"}, {"FC-2", "FC-2"}, {"FC-1", "FC-1 input gradient"}, {"IP", "IP input gradient"}};
  for (const Sublayer& sublayer : sublayers()) {
    const Item alone = sublayer_item(sublayer, SHAPE, EIGHT);
    const Item& inside = items.at(names.at(sublayer.name));
    EXPECT_EQ(alone.gemm->m, inside.gemm->m) << sublayer.name;
    EXPECT_EQ(alone.gemm->n, inside.gemm->n) << sublayer.name;
    EXPECT_EQ(alone.gemm->k, inside.gemm->k) << sublayer.name;
    EXPECT_EQ(alone.collective, inside.collective) << sublayer.name;
  }
}

} // namespace
} // namespace tandem::workload
