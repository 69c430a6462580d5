// The strategies t3 and t3-mca: what they can do, and their parameters.
#include "collective/blocks.h"
#include "collective/gather_and_trigger.h"
#include "collective/nodes.h"
#include "collective/parameters.h"
#include "collective/track_and_trigger.h"

namespace tandem::collective {

namespace {

using model::CollectiveKind;

class TrackAndTriggerStrategy : public Strategy {
public:
  TrackAndTriggerStrategy(std::string name, model::Arbitration arbitration, const Parameters& parameters)
      : name_(std::move(name)), options_{.arbitration = arbitration,
                                         .topology = topology_parameter(parameters),
                                         .block_tiles = whole_parameter(parameters, "block", 0, 1 << 20),
                                         .within = way_parameter(parameters, "intra"),
                                         .between = way_parameter(parameters, "inter")} {}

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    if (auto reason =
            request.consumer ? needs_consumer(request, cluster) : needs_producer(request, cluster, kinds_after_gemm());
        !reason.empty())
      return reason;
    if (options_.topology == Topology::HIERARCHICAL)
      if (auto reason = needs_nodes_to_reduce_over(request, cluster); !reason.empty())
        return reason;
    const bool reduces = request.op.kind != CollectiveKind::ALL_TO_ALL && !request.consumer;
    return reduces ? needs_near_memory(cluster) : "";
  }
  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    return request.consumer ? plan_gather_and_trigger(name_, options_, request, cluster)
                            : plan_track_and_trigger(name_, options_, request, cluster);
  }

private:
  std::string name_;
  TrackAndTrigger options_;
};

} // namespace

StrategyInfo track_and_trigger_strategy(const std::string& name, const std::string& summary,
                                        model::Arbitration arbitration) {
  std::vector<Parameter> parameters{
      {"block", "0", "output tiles that one DMA command covers at most; 0: as many as a stage of the GEMM has"},
      {"algorithm", "ring",
       "of the RS or the AG: ring (blocks travel and grow) or direct (every chunk straight to its owner, or from it to "
       "all); of the RS also hierarchical; an all-to-all is direct"}};
  for (auto& parameter : parameters_over_nodes())
    parameters.push_back(std::move(parameter));
  return {name, summary, std::move(parameters), [name, arbitration](const Parameters& values) {
            return std::make_unique<TrackAndTriggerStrategy>(name, arbitration, values);
          }};
}

} // namespace tandem::collective
