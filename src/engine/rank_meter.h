// Where a rank's time goes over all its tasks: computing by purpose, exposed communication by dimension, idle.
#pragma once

#include "model/recording.h"

#include <array>
#include <cstddef>

namespace tandem::engine {

/// Fed with the start and end of every operation of the rank, in order of time.
class RankMeter {
public:
  void start(const model::Task& task, const model::Op& op, double now) { count(task, op, 1, now); }
  void stop(const model::Task& task, const model::Op& op, double now) { count(task, op, -1, now); }
  /// A task that could begin has not been issued yet. Where nothing else goes on, that is time of Purpose::OTHER.
  void begin_wait_for_host(double now) { count_host(1, now); }
  void end_wait_for_host(double now) { count_host(-1, now); }
  /// The account until `now`.
  model::RankTime at(double now);

private:
  static constexpr std::size_t KINDS = model::PURPOSES + model::DIMENSIONS;
  void count(const model::Task& task, const model::Op& op, int change, double now);
  void count_host(int change, double now);
  void advance(double now);

  model::RankTime time_;
  std::array<int, KINDS> active_{}; ///< operations: by Purpose, then by Dimension
  int held_by_host_ = 0;            ///< tasks
  double last_ = 0.0;
};

} // namespace tandem::engine
