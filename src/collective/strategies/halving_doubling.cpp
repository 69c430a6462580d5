// halving-doubling: partners at halving distances exchange halves of what is left to reduce, then double what they
// hold. Rabenseifner, "Optimization of Collective Reduction Operations", ICCS 2004.
#include "collective/messages.h"
#include "collective/plain.h"
#include "collective/strategies/strategies.h"

#include <bit>
#include <fmt/format.h>
#include <numeric>

namespace tandem::collective {

namespace {

using model::Buffer;
using model::CollectiveKind;
using model::Phase;

/// The program of one rank. A power of two of ranks take part; of the others each adds to its neighbour first and gets
/// the result from it last.
class Exchanger {
public:
  Exchanger(Composer& composer, Mover mover, int rank)
      : composer_(composer), mover_(mover), rank_(rank),
        players_(static_cast<int>(std::bit_floor(static_cast<unsigned>(composer.ranks())))),
        spare_(composer.ranks() - players_) {}

  void append(CollectiveKind kind) {
    const bool reduces = kind != CollectiveKind::ALL_GATHER;
    last_ = {composer_.launch(reduces ? "RS launch" : "AG launch", reduces ? Phase::RS : Phase::AG, {})};
    begin_ = last_.front();
    if (rank_ < 2 * spare_ && rank_ % 2 == 1) {
      append_spare();
      return;
    }
    if (rank_ < 2 * spare_)
      last_ = {begin_, add(receive(composer_, mover_, add_message(Phase::RS, "fold", -1, whole()), whole()), {begin_})};
    if (reduces)
      append_halving();
    if (kind != CollectiveKind::REDUCE_SCATTER)
      append_doubling();
    if (rank_ < 2 * spare_)
      add(send(composer_, mover_, copy_message(Phase::AG, "unfold", 1, model::FROM_RESULT, Buffer::RESULT, whole())),
          last_);
  }

private:
  [[nodiscard]] int player() const { return rank_ < 2 * spare_ ? rank_ / 2 : rank_ - spare_; }
  [[nodiscard]] int offset_of(int player) const { return (player < spare_ ? 2 * player : player + spare_) - rank_; }
  [[nodiscard]] Span whole() const { return composer_.pieces_at(rank_, 0, composer_.schedule().pieces()); }
  /// The share of the players [first, first + count).
  [[nodiscard]] Span share(int first, int count) const {
    const auto each = composer_.schedule().pieces() / static_cast<std::uint32_t>(players_);
    return composer_.pieces_at(rank_, static_cast<std::uint32_t>(first) * each,
                               static_cast<std::uint32_t>(count) * each);
  }
  OpId add(Op op, const std::vector<OpId>& after) { return composer_.add(std::move(op), after); }

  void append_spare() {
    add(send(composer_, mover_, add_message(Phase::RS, "fold", -1, whole())), {begin_});
    add(receive(composer_, mover_, copy_message(Phase::AG, "unfold", 1, model::FROM_RESULT, Buffer::RESULT, whole()),
                whole()),
        {begin_});
  }

  /// Keeps the half of the range that it is in, adds the partner's half to it, and gives the other half away.
  void append_halving() {
    for (int distance = players_ / 2; distance > 0; distance /= 2) {
      const int partner = player() ^ distance;
      const auto half_of = [&](int who) { return share(who / distance * distance, distance); };
      const auto text = fmt::format("halving {}", distance);
      const auto to = offset_of(partner);
      add(send(composer_, mover_, add_message(Phase::RS, text, to, half_of(partner))), last_);
      // Not before the last one is in: a partner that is ahead would take the wire from it.
      last_.push_back(add(
          receive(composer_, mover_, add_message(Phase::RS, text, -to, half_of(player())), half_of(player())), last_));
    }
  }

  void append_doubling() {
    last_ = {append_in_place(composer_, share(player(), 1), last_)};
    for (int distance = 1; distance < players_; distance *= 2) {
      const int partner = player() ^ distance;
      const auto held_by = [&](int who) { return share(who / distance * distance, distance); };
      const auto text = fmt::format("doubling {}", distance);
      const auto to = offset_of(partner);
      const auto message = [&](int towards, Span span) {
        return copy_message(Phase::AG, text, towards, model::FROM_RESULT, Buffer::RESULT, span);
      };
      add(send(composer_, mover_, message(to, held_by(player()))), last_);
      last_.push_back(add(receive(composer_, mover_, message(-to, held_by(partner)), held_by(partner)), last_));
    }
  }

  Composer& composer_;
  Mover mover_;
  int rank_, players_, spare_;
  OpId begin_{};
  std::vector<OpId> last_; ///< what the next step waits for: nobody else orders what has come in
};

class HalvingDoublingStrategy : public PlainStrategy {
public:
  explicit HalvingDoublingStrategy(const Parameters& parameters)
      : PlainStrategy("halving-doubling",
                      {CollectiveKind::ALL_REDUCE, CollectiveKind::REDUCE_SCATTER, CollectiveKind::ALL_GATHER},
                      parameters) {}

  [[nodiscard]] std::string why_not(const Request& request, const model::Cluster& cluster) const override {
    if (auto reason = PlainStrategy::why_not(request, cluster); !reason.empty())
      return reason;
    if (request.op.kind != CollectiveKind::ALL_REDUCE && !std::has_single_bit(static_cast<unsigned>(request.op.ranks)))
      return fmt::format("its {} needs a power of two of ranks, not {}", model::to_string(request.op.kind),
                         request.op.ranks);
    return {};
  }

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    const auto ranks = static_cast<std::uint32_t>(request.op.ranks);
    const auto players = std::bit_floor(ranks);
    Composer composer(name(), request, cluster, players / std::gcd(ranks, players)); // as many pieces as players divide
    prepare(composer, cluster);
    for (int rank = 0; rank < request.op.ranks; ++rank) {
      Exchanger(composer, mover(composer), rank).append(request.op.kind);
      composer.end_program();
    }
    return composer.finish(request.op.kind);
  }
};

} // namespace

StrategyInfo halving_doubling_strategy() {
  return {"halving-doubling",
          "collective on its own: recursive halving, then recursive doubling (Rabenseifner)",
          plain_parameters(),
          [](const Parameters& parameters) { return std::make_unique<HalvingDoublingStrategy>(parameters); }};
}

} // namespace tandem::collective
