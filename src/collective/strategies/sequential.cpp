// sequential: the GEMM on all SMs, then a reduce-scatter by a kernel on SMs, then a ring all-gather.
#include "collective/blocks.h"
#include "collective/parameters.h"
#include "collective/strategies/strategies.h"

namespace tandem::collective {

namespace {

class SequentialStrategy : public Strategy {
public:
  explicit SequentialStrategy(const Parameters& parameters)
      : sms_(whole_parameter(parameters, "sms", 0, 4096)),
        direct_(word_parameter(parameters, "algorithm", {"ring", "direct"}) == "direct") {}

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    using model::CollectiveKind;
    if (auto reason = needs_one_of(
            {CollectiveKind::ALL_REDUCE, CollectiveKind::REDUCE_SCATTER, CollectiveKind::ALL_GATHER}, request);
        !reason.empty())
      return reason;
    return needs_uniform_gpus(request, cluster);
  }

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    using model::CollectiveKind;
    Composer composer("sequential", request, cluster);
    const Mover mover{.sms = sms_ == 0 ? composer.device().sms : std::min(sms_, composer.device().sms)};
    std::vector<OpId> after;
    if (request.producer)
      after = {append_gemm(composer, *request.producer, composer.device().sms, "GEMM", composer.all(), {})};
    if (request.op.kind != CollectiveKind::ALL_GATHER)
      after = {direct_ ? append_direct_reduce_scatter(composer, mover, composer.whole(), after)
                       : append_ring_reduce_scatter(composer, mover, composer.whole(), after)};
    if (request.op.kind != CollectiveKind::REDUCE_SCATTER)
      append_ring_all_gather(composer, mover, composer.whole(), after);
    return composer.finish(request.op.kind);
  }

private:
  int sms_;
  bool direct_;
};

} // namespace

StrategyInfo sequential_strategy() {
  return {"sequential",
          "GEMM on all SMs, then reduce-scatter on SMs, then ring all-gather",
          {{"sms", "0", "SMs of the collective kernels; 0: all"},
           {"algorithm", "ring", "of the reduce-scatter: ring or direct (each chunk straight to its owner)"}},
          [](const Parameters& parameters) { return std::make_unique<SequentialStrategy>(parameters); }};
}

} // namespace tandem::collective
