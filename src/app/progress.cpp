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

bool Progress::is_time() const {
  constexpr std::chrono::seconds PATIENCE(1);
  return isatty(STDERR_FILENO) != 0 && std::chrono::steady_clock::now() - begin_ >= PATIENCE;
}

void Progress::say(const std::string& text) {
  if (!is_time())
    return;
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void Progress::show(std::size_t done, std::size_t all) {
  if (!is_time())
    return;
  constexpr std::size_t WIDTH = 40;
  const std::size_t filled = all == 0 ? WIDTH : done * WIDTH / all;
  std::fprintf(stderr, "\r[%s%s] %zu/%zu simulations", std::string(filled, '#').c_str(),
               std::string(WIDTH - filled, '.').c_str(), done, all);
  std::fflush(stderr);
  shown_ = true;
}

} // namespace tandem::app
