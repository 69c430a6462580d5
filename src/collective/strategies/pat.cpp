// pat: parallel aggregated trees, as NCCL 2.23 has them: every chunk goes along a binomial tree of its own, far ranks
// first, and what goes the same way in one step goes together. Jeaugey, "PAT: a new algorithm for all-gather and
// reduce-scatter operations at scale" (2025).
#include "collective/messages.h"
#include "collective/plain.h"
#include "collective/ring_place.h"
#include "collective/strategies/strategies.h"

#include <bit>
#include <fmt/format.h>

namespace tandem::collective {

namespace {

using model::Buffer;
using model::CollectiveKind;
using model::Phase;

class PatStrategy : public PlainStrategy {
public:
  explicit PatStrategy(const Parameters& parameters)
      : PlainStrategy("pat", {CollectiveKind::ALL_GATHER, CollectiveKind::REDUCE_SCATTER}, parameters, "ring") {}

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    if (auto reason = PlainStrategy::why_not(request, cluster); !reason.empty())
      return reason;
    return protocol().empty() || protocol() == "Simple" ? "" : "NCCL has pat with the protocol Simple only";
  }

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    Composer composer(name(), request, cluster);
    prepare(composer, cluster, 1, gpus_of_nic(cluster, request.op.ranks));
    const bool gathers = request.op.kind == CollectiveKind::ALL_GATHER;
    const OpId begin = composer.launch(gathers ? "AG launch" : "RS launch", gathers ? Phase::AG : Phase::RS, {});
    std::vector<OpId> arrived{begin};
    if (gathers)
      arrived = {append_in_place(composer, composer.chunk(0, composer.whole()), arrived)};
    const auto farthest = static_cast<int>(std::bit_ceil(static_cast<unsigned>(composer.ranks())) / 2);
    // A reduce-scatter is the all-gather backwards: sums come in from near ranks first.
    for (int distance = gathers ? farthest : 1; distance >= 1 && distance <= farthest;
         distance = gathers ? distance / 2 : distance * 2)
      arrived = {append_step(composer, gathers, distance, arrived)};
    return composer.finish(request.op.kind);
  }

private:
  /// In the tree of the rank at -offset, a rank at a multiple of 2 x distance stands above the one at `distance` more.
  OpId append_step(Composer& composer, bool gathers, int distance, const std::vector<OpId>& after) const {
    const auto phase = gathers ? Phase::AG : Phase::RS;
    const auto text = fmt::format("{} distance {}", gathers ? "AG" : "RS", distance);
    const auto chunk = [&](int offset) { return composer.chunk(-offset, composer.whole()); };
    std::vector<OpId> done;
    for (int above = 0; above + distance < composer.ranks(); above += 2 * distance) {
      const int below = above + distance;
      const auto message = gathers
                               ? copy_message(phase, text, distance, model::FROM_RESULT, Buffer::RESULT, chunk(above))
                               : add_message(phase, text, -distance, chunk(below));
      composer.add(send(composer, mover(composer), message), after);
      done.push_back(composer.add(receive(composer, mover(composer), message, chunk(gathers ? below : above)), after));
    }
    return composer.join(text + " done", phase, done);
  }
};

} // namespace

StrategyInfo pat_strategy() {
  return {"pat",
          "collective on its own: parallel aggregated trees of NCCL, a binomial tree for each chunk, far ranks first",
          plain_parameters(), [](const Parameters& parameters) { return std::make_unique<PatStrategy>(parameters); }};
}

} // namespace tandem::collective
