// The progress bar of a sweep: points done and failed, and when the rest will be.
#pragma once

#include "study/sweep/sweep.h"

#include <chrono>
#include <string>

namespace tandem::app {

/// On stderr, on a terminal only. Removes itself at the end.
class SweepBar {
public:
  SweepBar() : begin_(std::chrono::steady_clock::now()) {}
  ~SweepBar();
  SweepBar(const SweepBar&) = delete;
  SweepBar& operator=(const SweepBar&) = delete;
  void show(const study::SweepProgress& progress);

private:
  std::chrono::steady_clock::time_point begin_;
  bool shown_ = false;
};

/// "[####....] 4/10 points, 1 failed, 12 s left"; the time is that of the remaining work at the speed so far.
std::string bar_text(const study::SweepProgress& progress, double seconds);

} // namespace tandem::app
