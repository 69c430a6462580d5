// Sums of what the host takes for each task, from one task that it waits for to the next.
#include "engine/host_clock.h"

#include <algorithm>

namespace tandem::engine {

HostClock::HostClock(const model::Job& job, const model::TaskProgram& program, double start_s)
    : job_(job), program_(program), busy_until_s_(start_s) {
  issued_s_.reserve(program.tasks.size());
  issue_until_it_waits();
}

std::optional<double> HostClock::issued_s(std::uint32_t task) const {
  return task < issued_s_.size() ? std::optional(issued_s_[task]) : std::nullopt;
}

bool HostClock::ended(std::uint32_t task, double now) {
  if (!program_.tasks[task].host_waits)
    return false;
  busy_until_s_ = std::max(busy_until_s_, now);
  issue_until_it_waits();
  return true;
}

void HostClock::issue_until_it_waits() {
  while (issued_s_.size() < program_.tasks.size()) {
    const auto& task = program_.tasks[issued_s_.size()];
    const auto& schedule = *job_.schedules[task.schedule];
    issued_s_.push_back(busy_until_s_ + schedule.issue_lead.value());
    busy_until_s_ += schedule.issue.value();
    if (task.host_waits)
      return;
  }
}

} // namespace tandem::engine
