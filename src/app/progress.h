// The progress bar of a long run.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace tandem::app {

/// Shows how many simulations are done, or in words what is going on, on stderr: on a terminal only, and only when the run takes longer than a second.
/// Removes itself at the end.
class Progress {
public:
  Progress() : begin_(std::chrono::steady_clock::now()) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(std::size_t done, std::size_t all);
  void say(const std::string& text);

private:
  [[nodiscard]] bool is_time() const;
  std::chrono::steady_clock::time_point begin_;
  bool shown_ = false;
};

} // namespace tandem::app
