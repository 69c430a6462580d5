// ideal-rs-nmc: the bound of ideal-overlap with the reduce-scatter as it is when memory does the additions.
#include "collective/blocks.h"
#include "collective/strategies/strategies.h"

namespace tandem::collective {

namespace {

class IdealRsNmcStrategy : public Strategy {
public:
  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    if (auto reason = needs_producer(request, cluster); !reason.empty())
      return reason;
    return needs_near_memory(cluster);
  }

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    Composer composer("ideal-rs-nmc", request, cluster);
    const Mover sms{.sms = composer.device().sms};
    const OpId gemm = append_gemm(composer, *request.producer, composer.device().sms, "GEMM", composer.all(), {});
    const OpId reduced = append_ring_reduce_scatter_near_memory(composer, {}, {gemm});
    append_rest_of_all_reduce(composer, request.op.kind, sms, composer.whole(), reduced);
    composer.schedule().ideal = true;
    return composer.finish(request.op.kind);
  }
};

} // namespace

StrategyInfo ideal_rs_nmc_strategy() {
  return {"ideal-rs-nmc", "bound: max(GEMM, RS) + AG, the RS with near-memory reduction", {}, [](const Parameters&) {
            return std::make_unique<IdealRsNmcStrategy>();
          }};
}

} // namespace tandem::collective
