// auto: the algorithm and protocol that NCCL's tuner would choose for this operation, size and machine.
#include "collective/plain.h"
#include "collective/selector.h"
#include "collective/strategies/strategies.h"

#include <fmt/format.h>

namespace tandem::collective {

namespace {

class AutoStrategy : public Strategy {
public:
  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    if (request.producer || request.consumer)
      return "it is for a collective on its own, and there is a GEMM";
    if (auto reason = needs_uniform_gpus(request, cluster); !reason.empty())
      return reason;
    if (!cluster.library)
      return fmt::format("it chooses by the costs of a communication library, and device {} names none (--library)",
                         cluster.gpus.front().device->name);
    const auto list = choices(request.op, cluster);
    if (list.empty())
      return fmt::format("library {} has no algorithm for {} over the links of this platform", cluster.library->name,
                         model::to_string(request.op.kind));
    return select_strategy(list.front().strategy).strategy->why_not(request, cluster);
  }

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    const auto list = choices(request.op, cluster);
    auto schedule = select_strategy(list.front().strategy).strategy->plan(request, cluster);
    schedule.strategy = "auto";
    schedule.algorithm = list.front().algorithm;
    schedule.choice = to_string(list);
    return schedule;
  }
};

} // namespace

StrategyInfo auto_strategy() {
  return {"auto",
          "collective on its own: algorithm and protocol as NCCL's tuner chooses them, with the costs of the "
          "platform's library",
          {},
          [](const Parameters&) { return std::make_unique<AutoStrategy>(); }};
}

} // namespace tandem::collective
