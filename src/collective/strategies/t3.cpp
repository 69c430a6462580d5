// t3: the GEMM's stores and incoming updates are tracked, complete blocks go on by DMA, memory reduces; ordinary
// arbitration.
#include "collective/parameters.h"
#include "collective/strategies/strategies.h"
#include "collective/track_and_trigger.h"

namespace tandem::collective {

namespace {

class T3Strategy : public Strategy {
public:
  explicit T3Strategy(const Parameters& parameters)
      : options_{model::Arbitration::SHARED_QUEUE,
                 word_parameter(parameters, "algorithm", {"ring", "direct"}) == "ring" ? Topology::RING
                                                                                       : Topology::DIRECT,
                 whole_parameter(parameters, "block", 0, 1 << 20)} {}

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    return why_no_track_and_trigger(request, cluster);
  }
  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    return plan_track_and_trigger("t3", options_, request, cluster);
  }

private:
  TrackAndTrigger options_;
};

} // namespace

StrategyInfo t3_strategy() {
  return {"t3", "GEMM fused with its RS: tracked blocks, triggered DMA, near-memory reduction",
          track_and_trigger_parameters(),
          [](const Parameters& parameters) { return std::make_unique<T3Strategy>(parameters); }};
}

} // namespace tandem::collective
