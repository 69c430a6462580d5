// ideal-overlap: a bound, max(GEMM, RS) + AG, each phase timed in isolation as `sequential` runs it; with an all-to-all
// or the all-gather of a GEMM's input max of the two.
#include "collective/blocks.h"
#include "collective/nodes.h"
#include "collective/strategies/strategies.h"

namespace tandem::collective {

namespace {

class IdealOverlapStrategy : public Strategy {
public:
  explicit IdealOverlapStrategy(const Parameters& parameters) {
    std::string text = "sequential";
    for (const auto& [name, value] : parameters)
      text += ":" + name + "=" + value;
    phases_ = select_strategy(text).strategy;
  }

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    if (auto reason =
            request.consumer ? needs_consumer(request, cluster) : needs_producer(request, cluster, kinds_after_gemm());
        !reason.empty())
      return reason;
    return phases_->why_not(request, cluster);
  }

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    auto schedule = phases_->plan(request, cluster);
    schedule.strategy = "ideal-overlap";
    schedule.ideal = true;
    return schedule;
  }

private:
  std::shared_ptr<const Strategy> phases_;
};

} // namespace

StrategyInfo ideal_overlap_strategy() {
  std::vector<Parameter> parameters{
      {"algorithm", "ring", "of the reduce-scatter, as sequential has it: ring, direct, hierarchical"}};
  for (auto& parameter : parameters_over_nodes())
    parameters.push_back(std::move(parameter));
  return {"ideal-overlap", "bound: max(GEMM, RS) + AG, each in isolation; max(GEMM, all-to-all), max(AG, GEMM)",
          std::move(parameters),
          [](const Parameters& values) { return std::make_unique<IdealOverlapStrategy>(values); }};
}

} // namespace tandem::collective
