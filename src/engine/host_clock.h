// When the host of a rank issues its tasks: in the order of the program, one after the other, ahead of the GPU as far
// as nothing makes it wait.
#pragma once

#include "model/job.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tandem::engine {

class HostClock {
public:
  /// The host begins at `start_s`. Job and program outlive the clock.
  HostClock(const model::Job& job, const model::TaskProgram& program, double start_s);

  /// From when on the task may begin; none: the host waits for a task before it.
  [[nodiscard]] std::optional<double> issued_s(std::uint32_t task) const;
  /// True where the host has waited for the task's end: it has issued more.
  bool ended(std::uint32_t task, double now);

private:
  void issue_until_it_waits();

  const model::Job& job_;
  const model::TaskProgram& program_;
  double busy_until_s_;
  std::vector<double> issued_s_; ///< by task, as far as the host has come
};

} // namespace tandem::engine
