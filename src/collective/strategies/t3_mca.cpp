// t3-mca: t3 with a memory controller that serves compute first and bounds communication's share of the queue.
#include "collective/parameters.h"
#include "collective/strategies/strategies.h"
#include "collective/track_and_trigger.h"

namespace tandem::collective {

namespace {

class T3McaStrategy : public Strategy {
public:
  explicit T3McaStrategy(const Parameters& parameters)
      : options_{model::Arbitration::COMPUTE_FIRST,
                 word_parameter(parameters, "algorithm", {"ring", "direct"}) == "ring" ? Topology::RING
                                                                                       : Topology::DIRECT,
                 whole_parameter(parameters, "block", 0, 1 << 20)} {}

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    return why_no_track_and_trigger(request, cluster);
  }
  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    return plan_track_and_trigger("t3-mca", options_, request, cluster);
  }

private:
  TrackAndTrigger options_;
};

} // namespace

StrategyInfo t3_mca_strategy() {
  return {"t3-mca", "t3 with communication-aware arbitration of the memory", track_and_trigger_parameters(),
          [](const Parameters& parameters) { return std::make_unique<T3McaStrategy>(parameters); }};
}

} // namespace tandem::collective
