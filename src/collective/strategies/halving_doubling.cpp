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

/// The program of one rank. A power of two of ranks take part; of the others each gives to its neighbour first what it
/// has and gets from it last what it lacks. An all-reduce is shared evenly by those that take part; else each has the
/// chunks of the ranks that it stands for.
class Exchanger {
public:
  Exchanger(Composer& composer, Mover mover, CollectiveKind kind, int rank)
      : composer_(composer), mover_(mover), kind_(kind), rank_(rank),
        players_(static_cast<int>(std::bit_floor(static_cast<unsigned>(composer.ranks())))),
        spare_(composer.ranks() - players_) {}

  void append() {
    const bool reduces = kind_ != CollectiveKind::ALL_GATHER;
    last_ = {composer_.launch(reduces ? "RS launch" : "AG launch", reduces ? Phase::RS : Phase::AG, {})};
    begin_ = last_.front();
    if (is_spare()) {
      add(send(composer_, mover_, fold()), {begin_});
      add(receive(composer_, mover_, unfold(), unfold().effect.span), {begin_});
      return;
    }
    if (stands_for_two())
      last_ = {begin_, add(receive(composer_, mover_, fold(), fold().effect.span), {begin_})};
    if (reduces)
      append_halving();
    if (kind_ != CollectiveKind::REDUCE_SCATTER)
      append_doubling();
    if (stands_for_two())
      add(send(composer_, mover_, unfold()), last_);
  }

private:
  [[nodiscard]] bool is_spare() const { return rank_ < 2 * spare_ && rank_ % 2 == 1; }
  [[nodiscard]] bool stands_for_two() const { return rank_ < 2 * spare_ && rank_ % 2 == 0; }
  /// What a spare rank gives to the one before it, and what it gets back, as either of the two counts.
  [[nodiscard]] Message fold() const {
    return kind_ == CollectiveKind::ALL_GATHER
               ? copy_message(Phase::AG, "fold", -1, model::FROM_LOCAL, Buffer::RESULT, chunk_of_spare())
               : add_message(Phase::RS, "fold", -1, whole());
  }
  [[nodiscard]] Message unfold() const {
    return kind_ == CollectiveKind::REDUCE_SCATTER
               ? copy_message(Phase::RS, "unfold", 1, model::FROM_LOCAL, Buffer::RESULT, chunk_of_spare())
               : copy_message(Phase::AG, "unfold", 1, model::FROM_RESULT, Buffer::RESULT, whole());
  }
  [[nodiscard]] Span chunk_of_spare() const {
    return composer_.pieces_at(rank_, static_cast<std::uint32_t>(rank_ / 2 * 2 + 1), 1);
  }
  [[nodiscard]] int player() const { return rank_ < 2 * spare_ ? rank_ / 2 : rank_ - spare_; }
  [[nodiscard]] int offset_of(int player) const { return (player < spare_ ? 2 * player : player + spare_) - rank_; }
  [[nodiscard]] Span whole() const { return composer_.pieces_at(rank_, 0, composer_.schedule().pieces()); }
  [[nodiscard]] std::uint32_t first_piece(int player) const {
    if (kind_ != CollectiveKind::ALL_REDUCE)
      return static_cast<std::uint32_t>(player < spare_ ? 2 * player : player + spare_);
    return static_cast<std::uint32_t>(player) * (composer_.schedule().pieces() / static_cast<std::uint32_t>(players_));
  }
  /// The share of the players [first, first + count).
  [[nodiscard]] Span share(int first, int count) const {
    const auto begin = first_piece(first);
    return composer_.pieces_at(rank_, begin, first_piece(first + count) - begin);
  }
  OpId add(Op op, const std::vector<OpId>& after) { return composer_.add(std::move(op), after); }

  /// Keeps the half of the range that it is in, adds the partner's half to it, and gives the other half away.
  void append_halving() {
    for (int distance = players_ / 2; distance > 0; distance /= 2) {
      const int partner = player() ^ distance;
      const auto half_of = [&](int who) { return share(who / distance * distance, distance); };
      const auto text = fmt::format("halving {}", distance);
      const auto to = offset_of(partner);
      exchange(add_message(Phase::RS, text, to, half_of(partner)),
               add_message(Phase::RS, text, -to, half_of(player())));
    }
  }

  void append_doubling() {
    if (kind_ == CollectiveKind::ALL_GATHER) // what a spare rank gave lies there already
      last_.push_back(
          append_in_place(composer_, composer_.pieces_at(rank_, static_cast<std::uint32_t>(rank_), 1), {begin_}));
    else
      last_ = {append_in_place(composer_, share(player(), 1), last_)};
    for (int distance = 1; distance < players_; distance *= 2) {
      const int partner = player() ^ distance;
      const auto held_by = [&](int who) { return share(who / distance * distance, distance); };
      const auto text = fmt::format("doubling {}", distance);
      const auto to = offset_of(partner);
      const auto message = [&](int towards, Span span) {
        return copy_message(Phase::AG, text, towards, model::FROM_RESULT, Buffer::RESULT, span);
      };
      exchange(message(to, held_by(player())), message(-to, held_by(partner)));
    }
  }

  /// The next step begins when both ways are done: a partner that is ahead would take the wire from the slower one.
  void exchange(const Message& out, const Message& in) {
    const OpId sent = add(send(composer_, mover_, out), last_);
    const OpId got = add(receive(composer_, mover_, in, in.effect.span), last_);
    last_.push_back(got);
    last_.push_back(sent);
  }

  Composer& composer_;
  Mover mover_;
  CollectiveKind kind_;
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

  [[nodiscard]] model::Schedule plan(const Request& request, const model::Cluster& cluster) const override {
    const auto ranks = static_cast<std::uint32_t>(request.op.ranks);
    const auto players = std::bit_floor(ranks);
    const bool evenly = request.op.kind == CollectiveKind::ALL_REDUCE; // in as many pieces as players divide
    Composer composer(name(), request, cluster, evenly ? players / std::gcd(ranks, players) : 1);
    prepare(composer, cluster);
    for (int rank = 0; rank < request.op.ranks; ++rank) {
      Exchanger(composer, mover(composer), request.op.kind, rank).append();
      composer.end_program();
    }
    return composer.finish(request.op.kind);
  }
};

} // namespace

StrategyInfo halving_doubling_strategy() {
  return {"halving-doubling", "collective on its own: recursive halving, then recursive doubling (Rabenseifner)",
          plain_parameters(),
          [](const Parameters& parameters) { return std::make_unique<HalvingDoublingStrategy>(parameters); }};
}

} // namespace tandem::collective
