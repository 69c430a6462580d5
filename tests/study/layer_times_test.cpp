// A layer of the 22-billion GPT on eight A100s against Korthikanti et al. (arXiv 2205.05198, table 4), as
// docs/validation.md tables it: kernels and collectives one after the other.
#include "model/kernel_cost.h"
#include "platform/devices.h"
#include "workload/layer_kernels.h"
#include "workload/model_reader.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tandem::study {
namespace {

using workload::Recompute;

struct Measured {
  bool sequence_parallel;
  Recompute recompute;
  double forward_ms, backward_ms;
};

constexpr Measured TABLE[] = {{false, Recompute::NONE, 7.7, 11.9},
                              {false, Recompute::SELECTIVE, 7.7, 13.2},
                              {false, Recompute::FULL, 7.7, 19.5},
                              {true, Recompute::NONE, 7.2, 11.8},
                              {true, Recompute::SELECTIVE, 7.2, 13.1}};

/// 100.7 MB on dgx-a100, as `tandem collective` gives it.
double collective_ms(model::CollectiveKind kind) {
  switch (kind) {
  case model::CollectiveKind::ALL_REDUCE:
    return 0.893;
  case model::CollectiveKind::ALL_GATHER:
    return 0.476;
  default:
    return 0.496; // reduce-scatter
  }
}

double in_turn_ms(const model::Steps& steps, const model::Device& device) {
  double sum = 0;
  for (const auto& step : steps) {
    if (const auto* kernel = std::get_if<model::Kernel>(&step))
      sum += 1e3 * model::time_alone(*kernel, device).value();
    else
      sum += collective_ms(std::get<model::Communication>(step).kind);
  }
  return sum;
}

TEST(LayerTimes, AreWithinTheStatedErrors) {
  const auto device = platform::read_device(TANDEM_SOURCE_DIR "/platforms/devices/a100-sxm-80.yaml");
  const auto model = workload::read_language_model(TANDEM_SOURCE_DIR "/workloads/models/gpt-22b.yaml");
  double errors = 0;
  for (const auto& row : TABLE) {
    const workload::LayerPlan plan{.micro_batch = 4,
                                   .sequence = 2048,
                                   .tp = 8,
                                   .sequence_parallel = row.sequence_parallel,
                                   .precision = "fp16",
                                   .recompute = row.recompute,
                                   .attention = workload::AttentionKernel::UNFUSED,
                                   .dropout = true};
    const double forward = in_turn_ms(workload::layer_forward(model, model.kinds[0], plan), device);
    const double backward = in_turn_ms(workload::layer_backward(model, model.kinds[0], plan), device);
    EXPECT_NEAR(forward / row.forward_ms, 1, 0.025);
    EXPECT_NEAR(backward / row.backward_ms, 1, 0.02);
    errors += std::abs(forward / row.forward_ms - 1) + std::abs(backward / row.backward_ms - 1);
  }
  EXPECT_LT(errors / 10, 0.015);
}

} // namespace
} // namespace tandem::study
