// t3-mca: t3 with a memory controller that serves compute first and bounds communication's share of the queue.
#include "collective/strategies/strategies.h"
#include "collective/track_and_trigger.h"

namespace tandem::collective {

StrategyInfo t3_mca_strategy() {
  return track_and_trigger_strategy("t3-mca", "t3 with communication-aware arbitration of the memory",
                                    model::Arbitration::COMPUTE_FIRST);
}

} // namespace tandem::collective
