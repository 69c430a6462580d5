// Accumulates each term of a rank's time on its own, so that their sum can be checked.
#include "engine/meter.h"

namespace tandem::engine {

void Meter::begin_item(double now) {
  item_ = {};
  item_.begin_s = now;
  last_ = now;
}

model::RankItem Meter::end_item(double now) {
  advance(now);
  item_.end_s = now;
  return item_;
}

void Meter::start(const model::Op& op, double now) {
  advance(now);
  if (op.kind != model::OpKind::RECV) { // a receive may be posted long before its phase begins
    auto& phase = item_.phases[static_cast<std::size_t>(op.phase)];
    if (!phase.used)
      phase.begin_s = now;
    phase.used = true;
    ++active_[static_cast<std::size_t>(op.phase)];
  }
  count(op, 1);
}

void Meter::stop(const model::Op& op, double now) {
  advance(now);
  item_.phases[static_cast<std::size_t>(op.phase)].end_s = now;
  if (op.kind != model::OpKind::RECV)
    --active_[static_cast<std::size_t>(op.phase)];
  count(op, -1);
}

void Meter::count(const model::Op& op, int change) {
  if (op.stream == model::Stream::COMMUNICATION) {
    communication_ += change;
    return;
  }
  compute_ += change;
  if (op.sms > 0)
    on_sms_ += change;
  else if (!op.traffic.empty())
    in_memory_ += change;
}

void Meter::advance(double now) {
  const double step = now - last_;
  last_ = now;
  if (step <= 0.0)
    return;
  (compute_ > 0 ? item_.compute_s : communication_ > 0 ? item_.exposed_s : item_.idle_s) += step;
  if (compute_ > 0)
    (on_sms_ > 0 ? item_.compute_sm_s : in_memory_ > 0 ? item_.compute_memory_s : item_.compute_launch_s) += step;
  for (std::size_t phase = 0; phase < active_.size(); ++phase)
    if (active_[phase] > 0)
      item_.phases[phase].busy_s += step;
}

} // namespace tandem::engine
