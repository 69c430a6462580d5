// Where a rank's time goes: compute, exposed communication, idle, and the extent of each phase.
#pragma once

#include "model/recording.h"

#include <array>

namespace tandem::engine {

/// Fed with the start and end of every operation of one rank, in order of time.
class Meter {
public:
  void begin_item(double now);
  model::RankItem end_item(double now);
  void start(const model::Op& op, double now);
  void stop(const model::Op& op, double now);
  [[nodiscard]] const model::RankItem& item() const { return item_; }

private:
  void count(const model::Op& op, int change);
  void advance(double now);

  model::RankItem item_;
  double last_ = 0.0;
  int compute_ = 0, communication_ = 0;
  int on_sms_ = 0, in_memory_ = 0; ///< of the compute operations
  std::array<int, model::PHASES> active_{};
};

} // namespace tandem::engine
