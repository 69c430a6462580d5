// Programs of a schedule that do the same at the same times: they differ in which pieces they move and whom they talk
// to, but not in how much, in what order, and over how many channels.
#pragma once

#include "engine/program_index.h"
#include "model/schedule.h"

#include <cstdint>
#include <vector>

namespace tandem::engine {

/// By program: the first one like it. Where pieces differ in size, programs that move other pieces are not alike.
std::vector<std::uint32_t> alike_programs(const model::Schedule& schedule, const std::vector<ProgramIndex>& indices);

} // namespace tandem::engine
