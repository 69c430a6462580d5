// t3: the GEMM's stores and incoming updates are tracked, complete blocks go on by DMA, memory reduces.
#include "collective/strategies/strategies.h"
#include "collective/track_and_trigger.h"

namespace tandem::collective {

StrategyInfo t3_strategy() {
  return track_and_trigger_strategy(
      "t3", "GEMM fused with its RS, all-to-all or AG: tracked blocks, triggered DMA, near-memory reduction",
      model::Arbitration::SHARED_QUEUE);
}

} // namespace tandem::collective
