// A line that is written over itself.
#include "app/progress.h"

#include <cstdio>
#include <string>
#include <unistd.h>

namespace tandem::app {

Progress::~Progress() {
  if (shown_)
    std::fputs("\r\033[K", stderr);
}

void Progress::show(std::size_t done, std::size_t all) {
  constexpr std::chrono::seconds PATIENCE(1);
  if (isatty(STDERR_FILENO) == 0 || std::chrono::steady_clock::now() - begin_ < PATIENCE)
    return;
  constexpr std::size_t WIDTH = 40;
  const std::size_t filled = all == 0 ? WIDTH : done * WIDTH / all;
  std::fprintf(stderr, "\r[%s%s] %zu/%zu simulations", std::string(filled, '#').c_str(),
               std::string(WIDTH - filled, '.').c_str(), done, all);
  std::fflush(stderr);
  shown_ = true;
}

} // namespace tandem::app
