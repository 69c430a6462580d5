// What a parent sees of simulations in other processes, and of one that the engine plays.
#include "study/run_progress.h"

#include "study/fork_pool.h"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

namespace tandem::study {
namespace {

// Of two simulations one is at a quarter, at 1.5 s: an eighth of all. Then both are done.
TEST(RunProgress, AddsUpWhatForkedProcessesReport) {
  std::vector<RunProgress> seen;
  const ProgressBoard board(2, [&](const RunProgress& progress) { seen.push_back(progress); });
  const auto slow = [report = board.reporter(0)] {
    report({.simulated_s = 1.5, .share = 0.25});
    std::this_thread::sleep_for(std::chrono::milliseconds(800)); // three looks of the pool
    report({.simulated_s = 6.0, .share = 1.0});
    return std::string();
  };
  const auto quick = [report = board.reporter(1)] {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    report({.simulated_s = 0.5, .share = 1.0});
    return std::string();
  };
  run_forked({slow, quick}, {2, board.watcher()});
  ASSERT_GE(seen.size(), 3U);
  EXPECT_EQ(seen.front().done, 0U);
  EXPECT_EQ(seen.front().all, 2U);
  EXPECT_DOUBLE_EQ(seen.front().share, 0.125);
  EXPECT_DOUBLE_EQ(seen.front().simulated_s, 1.5);
  EXPECT_EQ(seen.back().done, 2U);
  EXPECT_DOUBLE_EQ(seen.back().share, 1.0);
  EXPECT_DOUBLE_EQ(seen.back().simulated_s, 0.0) << "none is under way";
}

TEST(RunProgress, IsNotKeptWhereNobodyLooks) {
  const ProgressBoard board(3, {});
  EXPECT_FALSE(board.reporter(2));
  EXPECT_FALSE(board.watcher());
}

} // namespace
} // namespace tandem::study
