// Activation memory against the closed forms of Korthikanti et al. 2022 (arXiv 2205.05198), in bytes of 16-bit tensors.
#include "workload/gpt.h"
#include "workload/layer_memory.h"

#include <gtest/gtest.h>

namespace tandem::workload {
namespace {

constexpr double S = 2048, B = 4, H = 6144, A = 64;

LayerPlan plan(int tp, bool sequence_parallel, Recompute recompute) {
  return {.micro_batch = 4,
          .sequence = 2048,
          .tp = tp,
          .sequence_parallel = sequence_parallel,
          .recompute = recompute,
          .attention = AttentionKernel::UNFUSED,
          .dropout = true};
}

double kept(const LayerPlan& plan) {
  const auto model = gpt(6144, 64, 48, 51200, 2048);
  return layer_memory(model, model.kinds[0], plan).kept.value();
}

// s b h (10 + 24/t + 5 a s/(h t)); at t = 1 it is their eq. 1, s b h (34 + 5 a s / h).
TEST(LayerMemory, TensorParallelism) {
  for (const int t : {1, 2, 8})
    EXPECT_DOUBLE_EQ(kept(plan(t, false, Recompute::NONE)), S * B * H * (10 + 24.0 / t + 5 * A * S / (H * t))) << t;
}

// s b h / t (34 + 5 a s / h)
TEST(LayerMemory, SequenceParallelism) {
  for (const int t : {1, 2, 8})
    EXPECT_DOUBLE_EQ(kept(plan(t, true, Recompute::NONE)), S * B * H / t * (34 + 5 * A * S / H)) << t;
}

// 34 s b h / t with sequence parallelism; s b h (10 + 24/t) without.
TEST(LayerMemory, SelectiveRecomputation) {
  EXPECT_DOUBLE_EQ(kept(plan(8, true, Recompute::SELECTIVE)), 34 * S * B * H / 8);
  EXPECT_DOUBLE_EQ(kept(plan(8, false, Recompute::SELECTIVE)), S * B * H * (10 + 24.0 / 8));
}

// 2 s b h: the input of the layer.
TEST(LayerMemory, FullRecomputation) {
  EXPECT_DOUBLE_EQ(kept(plan(8, false, Recompute::FULL)), 2 * S * B * H);
  EXPECT_DOUBLE_EQ(kept(plan(8, true, Recompute::FULL)), 2 * S * B * H / 8);
}

// What is kept and what is made again are all tensors, whatever the mode.
TEST(LayerMemory, RecomputationMovesTensorsAndLosesNone) {
  const auto model = gpt(6144, 64, 48, 51200, 2048);
  const auto all = layer_memory(model, model.kinds[0], plan(8, true, Recompute::NONE)).kept;
  for (const auto mode : {Recompute::SELECTIVE, Recompute::FULL}) {
    const auto memory = layer_memory(model, model.kinds[0], plan(8, true, mode));
    EXPECT_DOUBLE_EQ((memory.kept + memory.recomputed).value(), all.value());
  }
}

// Fused attention keeps no s x s tensor: 34 s b h, less nothing, and 4 bytes for each row and head.
TEST(LayerMemory, FusedAttentionKeepsNoScores) {
  LayerPlan fused = plan(1, false, Recompute::NONE);
  fused.attention = AttentionKernel::FLASH;
  EXPECT_DOUBLE_EQ(kept(fused), 34 * S * B * H + 4 * S * B * A);
}

// Around the layers, on one stage: 4 s b h (1 + v/h) / t (section 4.3) and the embedding's dropout mask, s b h / t;
// token numbers of 8 bytes are not in their count.
TEST(LayerMemory, EmbeddingAndOutput) {
  const auto model = gpt(6144, 64, 48, 51200, 2048);
  const auto at = plan(8, true, Recompute::NONE);
  EXPECT_DOUBLE_EQ(head_memory(model, at).kept.value(), 4 * S * B * H * (1 + 51200 / H) / 8);
  EXPECT_DOUBLE_EQ(embedding_memory(model, at).kept.value(), S * B * H / 8 + 8 * S * B);
}

} // namespace
} // namespace tandem::workload
