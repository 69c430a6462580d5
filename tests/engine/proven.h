// Strategies whose schedules are proven before they are played, as the program does it.
#pragma once

#include "collective/strategy.h"
#include "collective/verify.h"

#include <gtest/gtest.h>
#include <string>

namespace tandem::test {

/// The strategy can do it, and verify() agrees with its schedule.
inline model::Schedule proven(const std::string& strategy, const collective::Request& request,
                              const model::Cluster& cluster) {
  const auto selected = collective::select_strategy(strategy);
  EXPECT_EQ(selected.strategy->why_not(request, cluster), "");
  auto schedule = selected.strategy->plan(request, cluster);
  EXPECT_EQ(collective::verify(schedule), "");
  return schedule;
}

} // namespace tandem::test
