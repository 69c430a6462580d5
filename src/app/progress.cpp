// A line that is written over itself.
#include "app/progress.h"

#include "base/units.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace tandem::app {

Progress::~Progress() {
  if (shown_)
    std::fputs("\r\033[K", stderr);
}

double Progress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void Progress::say(const std::string& text) {
  constexpr double PATIENCE_S = 1.0;
  if (isatty(STDERR_FILENO) == 0 || seconds() < PATIENCE_S)
    return;
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void Progress::show(const study::RunProgress& progress) {
  say(progress_text(progress, seconds()));
}

std::string progress_text(const study::RunProgress& progress, double seconds) {
  constexpr double PLACES = 40.0;
  const double done = progress.all == 0 ? 1.0 : static_cast<double>(progress.done) / static_cast<double>(progress.all);
  const double share = std::clamp(std::max(done, progress.share), 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(PLACES * share);
  auto text = fmt::format("[{}{}] {}/{} simulations", std::string(filled, '#'),
                          std::string(static_cast<std::size_t>(PLACES) - filled, '.'), progress.done, progress.all);
  if (progress.simulated_s > 0.0)
    text += fmt::format(", {} simulated", base::format_seconds(base::Seconds(progress.simulated_s)));
  if (share > 0.0 && share < 1.0)
    text += fmt::format(", {} left", duration_text(seconds * (1.0 - share) / share));
  return text;
}

std::string duration_text(double seconds) {
  constexpr int MINUTE = 60, HOUR = 3600;
  const auto whole = std::llround(seconds);
  if (whole < MINUTE)
    return fmt::format("{} s", whole);
  if (whole < HOUR)
    return fmt::format("{} min {:02} s", whole / MINUTE, whole % MINUTE);
  return fmt::format("{} h {:02} min", whole / HOUR, whole % HOUR / MINUTE);
}

} // namespace tandem::app
