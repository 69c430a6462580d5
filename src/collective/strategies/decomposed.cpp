// decomposed: N partial GEMMs, one per chunk; the ring step of each piece runs beside the next piece (Wang et al.,
// ASPLOS 2023; async-TP).
#include "collective/blocks.h"
#include "collective/parameters.h"
#include "collective/strategies/strategies.h"

#include <fmt/format.h>

namespace tandem::collective {

using model::Access;
using model::Buffer;
using model::OpKind;
using model::Phase;
using model::Stream;

namespace {

class DecomposedStrategy : public Strategy {
public:
  explicit DecomposedStrategy(const Parameters& parameters)
      : copy_engine_(word_parameter(parameters, "mover", {"sm", "ce"}) == "ce"),
        sms_(whole_parameter(parameters, "sms", 1, 4096)) {}

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    if (auto reason = needs_producer(request, cluster); !reason.empty())
      return reason;
    const auto& device = cluster.gpus.front().device;
    if (copy_engine_ && device.copy_engines == 0)
      return fmt::format("device {} has no copy engine", device.name);
    return copy_engine_ || sms_ < device.sms
               ? ""
               : fmt::format("sms={} leaves none of the {} SMs of {} to the GEMM", sms_, device.sms, device.name);
  }

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    Composer composer("decomposed", request, cluster);
    const int ranks = composer.ranks();
    const int all_sms = composer.device().sms;
    // The longer edge is cut, so that the pieces stay as square as they can.
    model::Gemm partial = *request.producer;
    auto& edge = partial.m >= partial.n ? partial.m : partial.n;
    edge = (edge + ranks - 1) / ranks;
    std::vector<OpId> compute, arrived; // ends of the compute stream and of the incoming partial sum
    for (int step = 0; step < ranks; ++step) {
      const auto span = composer.chunk(-step - 1, composer.whole());
      compute = {append_gemm(composer, partial, copy_engine_ || ranks == 1 ? all_sms : all_sms - sms_,
                             fmt::format("GEMM piece {}", step + 1), span, compute)};
      const bool last = step + 1 == ranks;
      std::vector<OpId> ready = compute;
      ready.insert(ready.end(), arrived.begin(), arrived.end());
      if (step > 0 && (copy_engine_ || last)) {
        compute = {append_add(composer, span, last && !copy_engine_ ? sms_ : all_sms, ready)};
        ready = compute;
      }
      if (last)
        break;
      append_send(composer, step, span, ready);
      const auto text = fmt::format("RS step {}", step + 1);
      arrived = {composer.add({.kind = OpKind::RECV,
                               .phase = Phase::RS,
                               .stream = Stream::COMMUNICATION,
                               .label = composer.label(text),
                               .peer = -RING_NEXT,
                               .effect = {.span = composer.chunk(-step - 2, composer.whole())}})};
    }
    append_rest_of_all_reduce(composer, request.op.kind, {.sms = all_sms}, composer.whole(), compute.front());
    return composer.finish(request.op.kind);
  }

private:
  /// Adds the incoming partial sum to the own piece, as a kernel of its own.
  static OpId append_add(Composer& composer, Span span, int sms, const std::vector<OpId>& after) {
    const OpId begin = composer.launch("RS add launch", Phase::RS, after);
    return composer.add({.phase = Phase::RS,
                         .stream = Stream::COMMUNICATION,
                         .label = composer.label("RS add"),
                         .sms = static_cast<std::uint16_t>(sms),
                         .sm_bytes_per_span = 3.0,
                         .traffic = {{Phase::RS, Access::READ, 2.0, {}}, {Phase::RS, Access::WRITE, 1.0, {}}},
                         .effect = {model::FROM_LOCAL | model::FROM_STAGING, Buffer::LOCAL, false, span}},
                        {begin});
  }

  /// Sends the piece on: a copy engine reads the sum, a kernel on SMs adds on the way.
  void append_send(Composer& composer, int step, Span span, const std::vector<OpId>& after) const {
    const bool adds = step > 0 && !copy_engine_;
    const OpId begin = composer.launch(copy_engine_ ? "RS copy launch" : "RS launch", Phase::RS, after);
    composer.add(
        {.kind = OpKind::TRANSFER,
         .phase = Phase::RS,
         .stream = Stream::COMMUNICATION,
         .label = composer.label(fmt::format("RS step {}", step + 1)),
         .peer = RING_NEXT,
         .sms = static_cast<std::uint16_t>(copy_engine_ ? 0 : sms_),
         .sm_bytes_per_span = copy_engine_ ? 0.0
                              : adds       ? 3.0
                                           : 2.0,
         .traffic = {{Phase::RS, Access::READ, adds ? 2.0 : 1.0, {}}},
         .peer_traffic = {{Phase::RS, Access::WRITE, 1.0, {}}},
         .effect = {static_cast<model::Sources>(adds ? model::FROM_LOCAL | model::FROM_STAGING : model::FROM_LOCAL),
                    Buffer::STAGING, false, span}},
        {begin});
  }

  bool copy_engine_;
  int sms_;
};

} // namespace

StrategyInfo decomposed_strategy() {
  return {"decomposed",
          "N partial GEMMs; each piece's ring step runs beside the next piece",
          {{"mover", "ce", "ce (copy engine; an add kernel reduces) or sm (a kernel on SMs adds and sends)"},
           {"sms", "16", "SMs of the mover when it is a kernel; the partial GEMMs have the others"}},
          [](const Parameters& parameters) { return std::make_unique<DecomposedStrategy>(parameters); }};
}

} // namespace tandem::collective
