// sequential: the GEMM on all SMs, then a reduce-scatter by a kernel on SMs, then a ring all-gather; or an all-to-all;
// or the all-gather of a GEMM's input first.
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
    if (request.producer)
      return needs_producer(request, cluster, kinds_after_gemm());
    if (request.consumer)
      return needs_consumer(request, cluster);
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
    switch (request.op.kind) {
    case CollectiveKind::ALL_TO_ALL:
      append_direct_all_to_all(composer, mover, composer.whole(), after);
      break;
    case CollectiveKind::ALL_GATHER:
      after = {append_ring_all_gather(composer, mover, composer.whole(), after)};
      if (request.consumer)
        append_gathered_gemm(composer, *request.consumer, after);
      break;
    default:
      after = {direct_ ? append_direct_reduce_scatter(composer, mover, composer.whole(), after)
                       : append_ring_reduce_scatter(composer, mover, composer.whole(), after)};
      append_rest_of_all_reduce(composer, request.op.kind, mover, composer.whole(), after.front());
    }
    return composer.finish(request.op.kind);
  }

private:
  /// The GEMM on all SMs when its whole input is there.
  static void append_gathered_gemm(Composer& composer, const model::Gemm& gemm, const std::vector<OpId>& gathered) {
    const auto chunk = composer.whole().count;
    std::vector<OpId> ready{append_input(composer, "GEMM", {0, chunk}, model::FROM_LOCAL, gathered)};
    if (composer.ranks() > 1)
      ready.push_back(
          append_input(composer, "GEMM", {chunk, composer.all().count - chunk}, model::FROM_RESULT, gathered));
    append_gemm(composer, gemm, composer.device().sms, "GEMM", {}, ready);
  }

  int sms_;
  bool direct_;
};

} // namespace

StrategyInfo sequential_strategy() {
  return {"sequential",
          "GEMM on all SMs, then reduce-scatter on SMs, then ring all-gather; or all-to-all; or all-gather, then GEMM",
          {{"sms", "0", "SMs of the collective kernels; 0: all"},
           {"algorithm", "ring",
            "of the reduce-scatter: ring or direct (each chunk straight to its owner); an all-to-all is direct"}},
          [](const Parameters& parameters) { return std::make_unique<SequentialStrategy>(parameters); }};
}

} // namespace tandem::collective
