// halving-doubling: partners at halving distances exchange halves of what is left to reduce, then double what they
// hold.
#include "collective/halving.h"
#include "collective/plain.h"
#include "collective/ring_place.h"
#include "collective/strategies/strategies.h"

#include <numeric>

namespace tandem::collective {

namespace {

using model::CollectiveKind;
using model::Phase;

class HalvingDoublingStrategy : public PlainStrategy {
public:
  explicit HalvingDoublingStrategy(const Parameters& parameters)
      : PlainStrategy("halving-doubling",
                      {CollectiveKind::ALL_REDUCE, CollectiveKind::REDUCE_SCATTER, CollectiveKind::ALL_GATHER},
                      parameters, "ring") {}

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    const int ranks = request.op.ranks;
    const int parts = even_parts(GroupAlgorithm::HALVING_DOUBLING, ranks);
    const bool evenly = request.op.kind == CollectiveKind::ALL_REDUCE;
    Composer composer(name(), request, cluster,
                      static_cast<std::uint32_t>(evenly ? parts / std::gcd(ranks, parts) : 1));
    prepare(composer, cluster, 1, gpus_of_nic(cluster, request.op.ranks));
    for (int rank = 0; rank < ranks; ++rank) {
      append_program(composer, request.op.kind, rank);
      composer.end_program();
    }
    return composer.finish(request.op.kind);
  }

private:
  void append_program(Composer& composer, CollectiveKind kind, int rank) const {
    const bool gathers = kind == CollectiveKind::ALL_GATHER;
    GroupPhase phase;
    phase.algorithm = GroupAlgorithm::HALVING_DOUBLING;
    phase.group.place = rank;
    phase.sums = phase.results = mover(composer);
    for (int other = 0; other < composer.ranks(); ++other) {
      phase.group.members.push_back(other - rank);
      phase.shares.push_back({composer.chunk(other - rank, composer.whole())});
    }
    OpId begin = composer.launch(gathers ? "AG launch" : "RS launch", gathers ? Phase::AG : Phase::RS, {});
    if (gathers)
      begin = append_in_place(composer, composer.chunk(0, composer.whole()), {begin});
    Exchanger(composer, phase, kind).append({begin});
  }
};

} // namespace

StrategyInfo halving_doubling_strategy() {
  return {"halving-doubling", "collective on its own: recursive halving, then recursive doubling (Rabenseifner)",
          plain_parameters(),
          [](const Parameters& parameters) { return std::make_unique<HalvingDoublingStrategy>(parameters); }};
}

} // namespace tandem::collective
