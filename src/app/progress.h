// The progress bar of a long run.
#pragma once

#include "study/run_progress.h"

#include <chrono>
#include <string>

namespace tandem::app {

/// Shows how far simulations are, or in words what is going on, on stderr: on a terminal only, and only when the run
/// takes longer than a second. Removes itself at the end.
class Progress {
public:
  Progress() : begin_(std::chrono::steady_clock::now()) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(const study::RunProgress& progress);
  void say(const std::string& text);

private:
  [[nodiscard]] double seconds() const;
  std::chrono::steady_clock::time_point begin_;
  bool shown_ = false;
};

/// "[####....] 3/8 simulations, 1.5 ms simulated, 12 s left"; the time is that of what is left at the speed so far.
std::string progress_text(const study::RunProgress& progress, double seconds);

/// "5 s", "2 min 05 s", "3 h 20 min".
std::string duration_text(double seconds);

} // namespace tandem::app
