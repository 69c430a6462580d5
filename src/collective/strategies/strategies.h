// Declares what the table of built-in strategies lists.
#pragma once

#include "collective/strategy.h"

namespace tandem::collective {

#define STRATEGY(name) StrategyInfo name##_strategy();
#include "collective/strategies/table.inc"
#undef STRATEGY

} // namespace tandem::collective
