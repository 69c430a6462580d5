// ideal-overlap: a bound, max(GEMM, RS) + AG, each phase timed in isolation as `sequential` runs it; with an all-to-all
// or the all-gather of a GEMM's input max of the two.
#include "collective/blocks.h"
#include "collective/strategies/strategies.h"

namespace tandem::collective {

namespace {

class IdealOverlapStrategy : public Strategy {
public:
  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    return request.consumer ? needs_consumer(request, cluster) : needs_producer(request, cluster, kinds_after_gemm());
  }

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    auto schedule = select_strategy("sequential").strategy->plan(request, cluster);
    schedule.strategy = "ideal-overlap";
    schedule.ideal = true;
    return schedule;
  }
};

} // namespace

StrategyInfo ideal_overlap_strategy() {
  return {"ideal-overlap",
          "bound: max(GEMM, RS) + AG, each in isolation; max(GEMM, all-to-all), max(AG, GEMM)",
          {},
          [](const Parameters&) { return std::make_unique<IdealOverlapStrategy>(); }};
}

} // namespace tandem::collective
