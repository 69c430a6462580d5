// Changes to a proven schedule as an input's bytes ask for: what a plugin or an imported file could get wrong.
#pragma once

#include "model/schedule.h"

#include <fuzzer/FuzzedDataProvider.h>

namespace tandem::fuzz {

class ScheduleMutator {
public:
  ScheduleMutator(model::Schedule schedule, FuzzedDataProvider& bytes)
      : schedule_(std::move(schedule)), bytes_(bytes) {}

  /// Applies changes while the input lasts.
  model::Schedule run();

private:
  void change_schedule();
  void change_resource();
  void change_program();
  void change_op(model::Op& op);
  void change_data(model::Op& op);
  void change_cost(model::Op& op);
  /// A number near those of real schedules, or any.
  std::uint32_t number();
  double cost();

  model::Schedule schedule_;
  FuzzedDataProvider& bytes_;
};

} // namespace tandem::fuzz
