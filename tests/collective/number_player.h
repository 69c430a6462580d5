// An independent judge of schedules: plays them with numbers instead of sets, in random orders, and looks at the sums.
#pragma once

#include "model/schedule.h"

#include <cstdint>
#include <string>

namespace tandem::collective {

/// Plays the schedule once in an order drawn from `seed`, by the rules of model/schedule.h and nothing else: every
/// contribution is a random 64-bit number, a sum is modulo 2^64, memory that nobody has written holds a random number.
/// An operation reads at some moment between its begin and its end and writes at a later one; a transfer is under way
/// only once its receive is posted.
///
/// Empty when the goal is reached, else "stuck ..." or "wrong ...". Precondition: indices are in range.
std::string play_numbers(const model::Schedule& schedule, std::uint64_t seed);

} // namespace tandem::collective
