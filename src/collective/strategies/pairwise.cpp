// pairwise: an all-to-all straight to each rank, a few at a time; with a size for each pair of ranks too.
#include "collective/messages.h"
#include "collective/plain.h"
#include "collective/strategies/strategies.h"

#include <fmt/format.h>

namespace tandem::collective {

namespace {

using model::Buffer;
using model::CollectiveKind;
using model::Phase;

class PairwiseStrategy : public PlainStrategy {
public:
  explicit PairwiseStrategy(const Parameters& parameters)
      : PlainStrategy("pairwise", {CollectiveKind::ALL_TO_ALL, CollectiveKind::ALL_TO_ALL_V}, parameters, "direct"),
        window_(whole_parameter(parameters, "window", 0, 1 << 20)) {}

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    if (request.op.kind == CollectiveKind::ALL_TO_ALL_V && !request.op.pairs)
      return "an all-to-all-v needs the bytes of each pair of ranks";
    return PlainStrategy::why_not(request, cluster);
  }

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    if (request.op.kind == CollectiveKind::ALL_TO_ALL) {
      Composer composer(name(), request, cluster);
      prepare_for(composer, cluster);
      append_direct_all_to_all(composer, mover(composer), composer.whole(), {}, window_);
      return composer.finish(request.op.kind);
    }
    Composer composer(name(), request, cluster, static_cast<std::uint32_t>(request.op.ranks), pair_bytes(request.op));
    prepare_for(composer, cluster);
    append_exchanges(composer, mover(composer), window_, "A2A", Phase::OTHER,
                     [&](int offset) {
                       const auto text = fmt::format("A2A to +{}", offset);
                       const Slice mine{static_cast<std::uint32_t>(composer.ranks() - offset), 1};
                       return Exchange{copy_message(Phase::OTHER, text, offset, model::FROM_LOCAL, Buffer::RESULT,
                                                    composer.chunk(offset, mine)),
                                       composer.chunk(0, mine)};
                     },
                     {});
    return composer.finish(request.op.kind);
  }

private:
  void prepare_for(Composer& composer, const model::Cluster& cluster) const {
    const int flows = sends_in_flight(composer, window_);
    prepare(composer, cluster, flows, flows);
  }

  /// Piece k of chunk d: what rank d + k has for rank d.
  static std::vector<double> pair_bytes(const model::CollectiveOp& op) {
    const auto ranks = static_cast<std::size_t>(op.ranks);
    std::vector<double> pieces;
    for (std::size_t to = 0; to < ranks; ++to)
      for (std::size_t further = 0; further < ranks; ++further)
        pieces.push_back((*op.pairs)[(to + further) % ranks * ranks + to]);
    return pieces;
  }

  int window_;
};

} // namespace

StrategyInfo pairwise_strategy() {
  return {"pairwise",
          "collective on its own: all-to-all straight to each rank, a few at a time; also with a size for each pair",
          plain_parameters({{"window", "2", "sends of a rank in flight at a time; 0: all"}}),
          [](const Parameters& parameters) { return std::make_unique<PairwiseStrategy>(parameters); }};
}

} // namespace tandem::collective
