// concurrent: GEMM and collective are two kernels that share the SMs by a fixed split.
#include "collective/blocks.h"
#include "collective/parameters.h"
#include "collective/strategies/strategies.h"

#include <fmt/format.h>

namespace tandem::collective {

namespace {

class ConcurrentStrategy : public Strategy {
public:
  explicit ConcurrentStrategy(const Parameters& parameters)
      : sms_(whole_parameter(parameters, "sms", 1, 4096)), parts_(whole_parameter(parameters, "parts", 2, 64)),
        independent_(word_parameter(parameters, "data", {"split", "independent"}) == "independent") {}

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    if (auto reason = needs_producer(request, cluster, kinds_after_gemm()); !reason.empty())
      return reason;
    const auto& device = *cluster.gpus.front().device;
    return sms_ < device.sms
               ? ""
               : fmt::format("sms={} leaves none of the {} SMs of {} to the GEMM", sms_, device.sms, device.name);
  }

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    return independent_ ? plan_independent(request, cluster) : plan_split(request, cluster);
  }

private:
  static OpId append_collective(Composer& composer, model::CollectiveKind kind, Mover mover, Slice slice,
                                const std::vector<OpId>& after) {
    if (kind == model::CollectiveKind::ALL_TO_ALL)
      return append_direct_all_to_all(composer, mover, slice, after);
    const OpId scattered = append_ring_reduce_scatter(composer, mover, slice, after);
    return append_rest_of_all_reduce(composer, kind, mover, slice, scattered);
  }

  /// The output in `parts` halves of the batch: the collective of one runs beside the GEMM of the next.
  [[nodiscard]] model::Schedule plan_split(const Request& request, const model::Cluster& cluster) const {
    Composer composer("concurrent", request, cluster, static_cast<std::uint32_t>(parts_));
    const Mover mover{.sms = sms_};
    model::Gemm part = *request.producer;
    auto& edge = part.m >= part.n ? part.m : part.n; // the longer edge is cut
    edge = (edge + parts_ - 1) / parts_;
    std::vector<OpId> computed, moved;
    for (int i = 0; i < parts_; ++i) {
      const auto name = fmt::format("GEMM part {}", i + 1);
      computed = {append_gemm(composer, part, composer.device().sms - sms_, name, {}, computed)};
      const Slice slice{static_cast<std::uint32_t>(i), 1};
      std::vector<OpId> made;
      for (int owner = 0; owner < composer.ranks(); ++owner)
        made.push_back(
            composer.add({.phase = model::Phase::GEMM,
                          .label = composer.label(name),
                          .effect = {model::FRESH, model::Buffer::LOCAL, false, composer.chunk(owner, slice)}},
                         computed));
      made.insert(made.end(), moved.begin(), moved.end());
      moved = {append_collective(composer, request.op.kind, mover, slice, made)};
    }
    return composer.finish(request.op.kind);
  }

  /// The steady state of a stream of independent micro-batches: this one's GEMM beside the previous one's all-reduce.
  [[nodiscard]] model::Schedule plan_independent(const Request& request, const model::Cluster& cluster) const {
    Composer composer("concurrent", request, cluster);
    composer.schedule().produces = false;
    const Mover mover{.sms = sms_};
    append_gemm(composer, *request.producer, composer.device().sms - sms_, "GEMM", {}, {});
    append_collective(composer, request.op.kind, mover, composer.whole(), {});
    return composer.finish(request.op.kind);
  }

  int sms_, parts_;
  bool independent_;
};

} // namespace

StrategyInfo concurrent_strategy() {
  return {"concurrent",
          "GEMM and collective as two kernels that share the SMs by a fixed split",
          {{"sms", "16", "SMs of the collective; the GEMM has the others"},
           {"parts", "2", "parts of the batch: the collective of one runs beside the GEMM of the next"},
           {"data", "split",
            "split, or independent: a whole GEMM beside the whole collective of another micro-batch (steady state)"}},
          [](const Parameters& parameters) { return std::make_unique<ConcurrentStrategy>(parameters); }};
}

} // namespace tandem::collective
