// The example of docs/adding_a_strategy.md: compiled as it stands there, proven, and played on four GPUs.
#include "collective/strategy.h"
#include "collective/verify.h"
#include "engine/play.h"
#include "platform/platform.h"
#include "study/fork_pool.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tandem::collective {

StrategyInfo quarter_rs_strategy(); // in the document

namespace {

TEST(AddingAStrategy, TheExampleIsProvenAndPlays) {
  const auto cluster =
      platform::read_cluster(TANDEM_SOURCE_DIR "/platforms/t3-ring-4.xml", {TANDEM_SOURCE_DIR "/platforms/devices"});
  const model::Gemm gemm{.m = 1024, .n = 1024, .k = 256};
  Request request;
  request.op = {model::CollectiveKind::ALL_REDUCE, 4, gemm.output(), 0, nullptr};
  request.producer = gemm;
  const auto strategy = quarter_rs_strategy().make({{"share", "4"}});
  ASSERT_EQ(strategy->why_not(request, cluster), "");
  const auto schedule = strategy->plan(request, cluster);
  ASSERT_EQ(verify(schedule), "");

  const auto answers = study::run_forked({[&] {
    const auto recording = engine::play(cluster, {&schedule});
    const auto& ag = recording.items[0][0].phases[static_cast<std::size_t>(model::Phase::AG)];
    return std::to_string((ag.end_s - ag.begin_s) * 1e9);
  }});
  // The output is 1024 x 1024 x 2 B = 2 MiB, a chunk 512 KiB. Three steps of 524288 B / 150 GB/s + 500 ns after a
  // launch of 2 us.
  const double expected = 2000.0 + 3 * (524288.0 / 150.0 + 500.0);
  EXPECT_NEAR(std::stod(answers[0]), expected, 1e-3);
}

} // namespace
} // namespace tandem::collective
