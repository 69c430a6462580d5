// Books each moment once, for the first kind that is active.
#include "engine/rank_meter.h"

namespace tandem::engine {

void RankMeter::count(const model::Task& task, const model::Op& op, int change, double now) {
  advance(now);
  const auto kind = op.stream == model::Stream::COMPUTE ? static_cast<std::size_t>(task.purpose)
                                                        : model::PURPOSES + static_cast<std::size_t>(task.dimension);
  active_[kind] += change;
}

void RankMeter::count_host(int change, double now) {
  advance(now);
  held_by_host_ += change;
}

model::RankTime RankMeter::at(double now) {
  advance(now);
  return time_;
}

void RankMeter::advance(double now) {
  const double step = now - last_;
  last_ = now;
  if (step <= 0.0)
    return;
  for (std::size_t kind = 0; kind < KINDS; ++kind) {
    if (active_[kind] == 0)
      continue;
    (kind < model::PURPOSES ? time_.compute_s[kind] : time_.exposed_s[kind - model::PURPOSES]) += step;
    return;
  }
  (held_by_host_ > 0 ? time_.compute_s[static_cast<std::size_t>(model::Purpose::OTHER)] : time_.idle_s) += step;
}

} // namespace tandem::engine
