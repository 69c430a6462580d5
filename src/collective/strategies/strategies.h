// One line for each built-in strategy; the table in collective/table.cpp lists them.
#pragma once

#include "collective/strategy.h"

namespace tandem::collective {

StrategyInfo sequential_strategy();
StrategyInfo ideal_overlap_strategy();
StrategyInfo ideal_rs_nmc_strategy();
StrategyInfo concurrent_strategy();
StrategyInfo decomposed_strategy();
StrategyInfo tile_fused_strategy();
StrategyInfo t3_strategy();
StrategyInfo t3_mca_strategy();

} // namespace tandem::collective
