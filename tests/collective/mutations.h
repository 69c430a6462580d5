// Breaks one thing of a schedule at random.
#pragma once

#include "model/schedule.h"

#include <random>
#include <string>

namespace tandem::collective {

/// Changes one thing of one program and says what; empty when the draw found nothing to change.
std::string mutate(model::Schedule& schedule, std::mt19937_64& random);

} // namespace tandem::collective
