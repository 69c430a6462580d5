// sequential: the GEMM on all SMs, then a reduce-scatter by a kernel on SMs, then a ring all-gather; or an all-to-all;
// or the all-gather of a GEMM's input first.
#include "collective/blocks.h"
#include "collective/nodes.h"
#include "collective/parameters.h"
#include "collective/strategies/strategies.h"

namespace tandem::collective {

namespace {

using model::CollectiveKind;

class SequentialStrategy : public Strategy {
public:
  explicit SequentialStrategy(const Parameters& parameters)
      : sms_(whole_parameter(parameters, "sms", 0, MOST_SMS)), topology_(topology_parameter(parameters)),
        within_(way_parameter(parameters, "intra")), between_(way_parameter(parameters, "inter")) {}

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    check_sms(sms_, cluster);
    if (auto reason = lacks(request, cluster); !reason.empty() || topology_ != Topology::HIERARCHICAL)
      return reason;
    return needs_nodes_to_reduce_over(request, cluster);
  }

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    Composer composer("sequential", request, cluster);
    const Mover mover{.sms = sms_ == 0 ? composer.device().sms : sms_};
    if (topology_ == Topology::HIERARCHICAL)
      return plan_over_nodes(composer, mover, request, cluster.gpus_per_node);
    const auto after = append_producer(composer, request);
    switch (request.op.kind) {
    case CollectiveKind::ALL_TO_ALL:
      append_direct_all_to_all(composer, mover, composer.whole(), after);
      break;
    case CollectiveKind::ALL_GATHER: {
      const OpId gathered = append_ring_all_gather(composer, mover, composer.whole(), after);
      if (request.consumer)
        append_gathered_gemm(composer, *request.consumer, {gathered});
      break;
    }
    default:
      append_rest_of_all_reduce(composer, request.op.kind, mover, composer.whole(),
                                topology_ == Topology::DIRECT
                                    ? append_direct_reduce_scatter(composer, mover, composer.whole(), after)
                                    : append_ring_reduce_scatter(composer, mover, composer.whole(), after));
    }
    return composer.finish(request.op.kind);
  }

private:
  [[nodiscard]] static std::string lacks(const Request& request, const model::Cluster& cluster) {
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

  /// The GEMM on all SMs, if there is one.
  static std::vector<OpId> append_producer(Composer& composer, const Request& request) {
    if (!request.producer)
      return {};
    return {append_gemm(composer, *request.producer, composer.device().sms, "GEMM", composer.all(), {})};
  }

  [[nodiscard]] model::Schedule plan_over_nodes(Composer& composer, Mover mover, const Request& request,
                                                int gpus) const {
    const Nodes nodes(gpus, request.op.ranks / gpus, within_, between_);
    for (int rank = 0; rank < request.op.ranks; ++rank) {
      if (rank >= gpus) {
        composer.run_program_of(rank % gpus);
        continue;
      }
      const OpId reduced =
          nodes.append(composer, CollectiveKind::REDUCE_SCATTER, mover, rank, append_producer(composer, request));
      if (request.op.kind == CollectiveKind::ALL_REDUCE)
        nodes.append(composer, CollectiveKind::ALL_GATHER, mover, rank, {reduced});
      composer.end_program();
    }
    return composer.finish(request.op.kind);
  }

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
  Topology topology_, within_, between_;
};

} // namespace

StrategyInfo sequential_strategy() {
  std::vector<Parameter> parameters{
      {"sms", "0", "SMs of the collective kernels; 0: all"},
      {"algorithm", "ring",
       "of the reduce-scatter: ring, direct (each chunk straight to its owner) or hierarchical (within nodes, then "
       "between them; the all-gather back the same way); an all-to-all is direct"}};
  for (auto& parameter : parameters_over_nodes())
    parameters.push_back(std::move(parameter));
  return {"sequential",
          "GEMM on all SMs, then reduce-scatter on SMs, then ring all-gather; or all-to-all; or all-gather, then GEMM",
          std::move(parameters), [](const Parameters& values) { return std::make_unique<SequentialStrategy>(values); }};
}

} // namespace tandem::collective
