// A layer of the 22-billion GPT on eight A100s against Korthikanti et al. (arXiv 2205.05198, table 4), as
// docs/validation.md tables it: kernels and collectives one after the other.
#include "model/kernel_cost.h"
#include "platform/devices.h"
#include "workload/layer_kernels.h"
#include "workload/model_reader.h"

#include <algorithm>
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

struct Times {
  double in_turn_ms = 0; ///< kernels and collectives one after the other
  double hidden_ms = 0;  ///< of it, collectives beside kernels that do not wait for them, for free
};

Times times_of(const model::Steps& steps, const model::Device& device) {
  Times times;
  double behind = 0; // of the last collective, what is not hidden yet
  int independent = 0;
  for (const auto& step : steps) {
    if (const auto* kernel = std::get_if<model::Kernel>(&step)) {
      const double ms = 1e3 * model::time_alone(*kernel, device).value();
      times.in_turn_ms += ms;
      if (independent-- > 0) {
        times.hidden_ms += std::min(ms, behind);
        behind -= std::min(ms, behind);
      }
    } else {
      const auto& collective = std::get<model::Communication>(step);
      behind = collective_ms(collective.kind);
      independent = collective.independent;
      times.in_turn_ms += behind;
    }
  }
  return times;
}

TEST(LayerTimes, AreWithinTheStatedErrors) {
  const auto device = platform::read_device(TANDEM_SOURCE_DIR "/platforms/devices/a100-sxm-80.yaml");
  const auto model = workload::read_language_model(TANDEM_SOURCE_DIR "/workloads/models/gpt-22b.yaml");
  for (const auto& row : TABLE) {
    const workload::LayerPlan plan{.micro_batch = 4,
                                   .sequence = 2048,
                                   .tp = 8,
                                   .sequence_parallel = row.sequence_parallel,
                                   .precision = "fp16",
                                   .recompute = row.recompute,
                                   .attention = workload::AttentionKernel::UNFUSED,
                                   .dropout = true};
    const Times forward = times_of(workload::layer_forward(model, model.kinds[0], plan), device);
    const Times backward = times_of(workload::layer_backward(model, model.kinds[0], plan), device);
    EXPECT_NEAR(forward.in_turn_ms / row.forward_ms, 1.05, 0.01); // docs/validation.md
    EXPECT_NEAR(backward.in_turn_ms / row.backward_ms, 1.083, 0.015);
    EXPECT_LT(backward.in_turn_ms - backward.hidden_ms, row.backward_ms); // some of the overlap is paid for
  }
}

} // namespace
} // namespace tandem::study
