// A schedule as bytes, from the forked child that planned it to the process that proves and plays it.
#pragma once

#include "model/schedule.h"

#include <string>

namespace tandem::collective {

std::string to_wire(const model::Schedule& schedule);
/// Throws UserError on bytes that to_wire() did not make. What the schedule says is verify()'s to judge.
model::Schedule schedule_from_wire(const std::string& bytes);

} // namespace tandem::collective
