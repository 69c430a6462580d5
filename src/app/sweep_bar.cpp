// A line that is written over itself.
#include "app/sweep_bar.h"

#include "app/progress.h"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace tandem::app {

SweepBar::~SweepBar() {
  if (shown_)
    std::fputs("\r\033[K", stderr);
}

void SweepBar::show(const study::SweepProgress& progress) {
  if (isatty(STDERR_FILENO) == 0 || progress.all == 0)
    return;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  std::fputs(fmt::format("\r\033[K{}", bar_text(progress, seconds)).c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

std::string bar_text(const study::SweepProgress& progress, double seconds) {
  constexpr std::size_t BAR_WIDTH = 30;
  const std::size_t filled = progress.all == 0 ? BAR_WIDTH : progress.done * BAR_WIDTH / progress.all;
  auto text = fmt::format("[{}{}] {}/{} points, {} failed", std::string(filled, '#'),
                          std::string(BAR_WIDTH - filled, '.'), progress.done, progress.all, progress.failed);
  if (progress.work_done > 0.0 && progress.done < progress.all)
    text += fmt::format(", {} left",
                        duration_text(seconds * (progress.work_all - progress.work_done) / progress.work_done));
  return text;
}

} // namespace tandem::app
