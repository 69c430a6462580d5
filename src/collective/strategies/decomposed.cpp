// decomposed: N partial GEMMs, one per chunk; the ring step of each piece runs beside the next piece (Wang et al.,
// ASPLOS 2023; async-TP). Of an all-to-all, each piece goes to its owner. Of a gathered input, each piece starts when
// its chunk has come and the next one travels.
#include "collective/blocks.h"
#include "collective/messages.h"
#include "collective/parameters.h"
#include "collective/strategies/strategies.h"
#include "collective/tiling.h"

#include <fmt/format.h>

namespace tandem::collective {

using model::Phase;

namespace {

class DecomposedStrategy : public Strategy {
public:
  explicit DecomposedStrategy(const Parameters& parameters)
      : copy_engine_(word_parameter(parameters, "mover", {"sm", "ce"}) == "ce"),
        sms_(whole_parameter(parameters, "sms", 1, 4096)) {}

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    if (auto reason =
            request.consumer ? needs_consumer(request, cluster) : needs_producer(request, cluster, kinds_after_gemm());
        !reason.empty())
      return reason;
    const auto& device = *cluster.gpus.front().device;
    if (copy_engine_ && device.copy_engines == 0)
      return fmt::format("device {} has no copy engine", device.name);
    return copy_engine_ || sms_ < device.sms
               ? ""
               : fmt::format("sms={} leaves none of the {} SMs of {} to the GEMM", sms_, device.sms, device.name);
  }

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    if (request.consumer)
      return plan_gather(request, cluster);
    return request.op.kind == model::CollectiveKind::ALL_TO_ALL ? plan_exchange(request, cluster)
                                                                : plan_reduce(request, cluster);
  }

private:
  [[nodiscard]] int gemm_sms(const Composer& composer) const {
    return copy_engine_ || composer.ranks() == 1 ? composer.device().sms : composer.device().sms - sms_;
  }
  [[nodiscard]] std::string launch_name(const std::string& phase) const {
    return phase + (copy_engine_ ? " copy launch" : " launch");
  }

  /// The own rows first, then those of the rank before, and so on, as the ring brings them.
  [[nodiscard]] model::Schedule plan_gather(const Request& request, const model::Cluster& cluster) const {
    Composer composer("decomposed", request, cluster);
    const int ranks = composer.ranks();
    model::Gemm partial = *request.consumer;
    partial.m = (partial.m + ranks - 1) / ranks;
    std::vector<OpId> compute, arrived; // ends of the compute stream and of the chunk that came last
    for (int step = 0; step < ranks; ++step) {
      const auto name = fmt::format("GEMM piece {}", step + 1);
      std::vector<OpId> ready = compute;
      ready.insert(ready.end(), arrived.begin(), arrived.end());
      const OpId input = append_input(composer, name, composer.chunk(-step, composer.whole()),
                                      step == 0 ? model::FROM_LOCAL : model::FROM_RESULT, ready);
      compute = {append_gemm(composer, partial, gemm_sms(composer), name, {}, {input})};
      if (step + 1 == ranks)
        break;
      const OpId launched = composer.launch(launch_name("AG"), Phase::AG, arrived);
      arrived = {
          append_ring_all_gather_step(composer, {.sms = copy_engine_ ? 0 : sms_}, composer.whole(), step, {launched})};
    }
    return composer.finish(request.op.kind);
  }

  /// One of N pieces of a GEMM on its output. The longer edge is cut, so that the pieces stay as square as they can.
  [[nodiscard]] static model::Gemm piece_of(model::Gemm gemm, int ranks) {
    auto& edge = gemm.m >= gemm.n ? gemm.m : gemm.n;
    edge = (edge + ranks - 1) / ranks;
    return gemm;
  }

  /// The piece for the rank before first, the own one last: no two ranks make one for the same rank at a time.
  [[nodiscard]] model::Schedule plan_exchange(const Request& request, const model::Cluster& cluster) const {
    Composer composer("decomposed", request, cluster);
    const int ranks = composer.ranks();
    const auto partial = piece_of(*request.producer, ranks);
    const Mover mover{.sms = copy_engine_ ? 0 : sms_};
    std::vector<OpId> compute, sent, ends; // `sent`: end of the stream of copies
    for (int step = 0; step < ranks; ++step) {
      const auto span = composer.chunk(owner_at(step), composer.whole());
      compute = {
          append_gemm(composer, partial, gemm_sms(composer), fmt::format("GEMM piece {}", step + 1), span, compute)};
      if (step + 1 == ranks)
        break;
      std::vector<OpId> ready = compute;
      ready.insert(ready.end(), sent.begin(), sent.end());
      auto message = copy_message(Phase::OTHER, fmt::format("A2A piece {}", step + 1), owner_at(step),
                                  model::FROM_LOCAL, model::Buffer::RESULT, span);
      message.effect.to = composer.chunk(0, composer.whole()).first;
      sent = {composer.add(send(composer, mover, message), {composer.launch(launch_name("A2A"), Phase::OTHER, ready)})};
      ends.push_back(composer.add(receive(composer, mover, message, composer.chunk(0, composer.whole()))));
    }
    ends.push_back(compute.front());
    composer.join("A2A done", Phase::OTHER, ends);
    return composer.finish(request.op.kind);
  }

  [[nodiscard]] model::Schedule plan_reduce(const Request& request, const model::Cluster& cluster) const {
    Composer composer("decomposed", request, cluster);
    const int ranks = composer.ranks();
    const int all_sms = composer.device().sms;
    const auto partial = piece_of(*request.producer, ranks);
    std::vector<OpId> compute, arrived; // ends of the compute stream and of the incoming partial sum
    for (int step = 0; step < ranks; ++step) {
      const auto span = composer.chunk(-step - 1, composer.whole());
      compute = {
          append_gemm(composer, partial, gemm_sms(composer), fmt::format("GEMM piece {}", step + 1), span, compute)};
      const bool last = step + 1 == ranks;
      std::vector<OpId> ready = compute;
      ready.insert(ready.end(), arrived.begin(), arrived.end());
      if (step > 0 && (copy_engine_ || last)) {
        const OpId launched = composer.launch("RS add launch", Phase::RS, ready);
        compute = {append_add(composer, "RS add", last && !copy_engine_ ? sms_ : all_sms, span, {launched})};
        ready = compute;
      }
      if (last)
        break;
      // A copy engine reads the sum; a kernel on SMs adds on the way.
      const OpId launched = composer.launch(launch_name("RS"), Phase::RS, ready);
      const Mover mover{.sms = copy_engine_ ? 0 : sms_};
      arrived = {append_ring_step(composer, mover, composer.whole(), step, step > 0 && !copy_engine_, {launched})};
    }
    append_rest_of_all_reduce(composer, request.op.kind, {.sms = all_sms}, composer.whole(), compute.front());
    return composer.finish(request.op.kind);
  }

  bool copy_engine_;
  int sms_;
};

} // namespace

StrategyInfo decomposed_strategy() {
  return {"decomposed",
          "N partial GEMMs; each piece's ring step, or its copy of an all-to-all, runs beside the next piece",
          {{"mover", "ce", "ce (copy engine; an add kernel reduces) or sm (a kernel on SMs adds and sends)"},
           {"sms", "16", "SMs of the mover when it is a kernel; the partial GEMMs have the others"}},
          [](const Parameters& parameters) { return std::make_unique<DecomposedStrategy>(parameters); }};
}

} // namespace tandem::collective
