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
  /// The account until `now`.
  model::RankTime at(double now);

private:
  static constexpr std::size_t KINDS = model::PURPOSES + model::DIMENSIONS;
  void count(const model::Task& task, const model::Op& op, int change, double now);
  void advance(double now);

  model::RankTime time_;
  std::array<int, KINDS> active_{}; ///< operations: by Purpose, then by Dimension
  double last_ = 0.0;
};

} // namespace tandem::engine
