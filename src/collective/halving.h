// Recursive halving and doubling in a group. Rabenseifner, "Optimization of Collective Reduction Operations", ICCS
// 2004.
#pragma once

#include "collective/group.h"

namespace tandem::collective {

/// A power of two of the members take part: the players. Of the others each gives to its neighbour first what it has
/// and gets from it last what it lacks. An all-reduce is shared evenly by the players; else each has the shares of the
/// members that it stands for.
class Exchanger {
public:
  Exchanger(Composer& composer, const GroupPhase& phase, model::CollectiveKind kind);

  /// From LOCAL to the LOCAL of a share's owner (reduce-scatter) or the RESULT of all (all-reduce), or from the RESULT
  /// of the owners to that of all (all-gather). Returns the end.
  OpId append(const std::vector<OpId>& after);

private:
  [[nodiscard]] int place() const { return phase_.group.place; }
  [[nodiscard]] bool has_spare_neighbour() const { return place() < 2 * spare_; }
  [[nodiscard]] bool is_spare() const { return has_spare_neighbour() && place() % 2 == 1; }
  [[nodiscard]] int player() const { return has_spare_neighbour() ? place() / 2 : place() - spare_; }
  [[nodiscard]] int place_of(int player) const { return player < spare_ ? 2 * player : player + spare_; }
  /// The shares of the players [first, first + count).
  [[nodiscard]] Spans held(int first, int count) const;
  /// What a spare member gives to the one before it and what it gets back, as either of the two names it.
  [[nodiscard]] Message fold() const;
  [[nodiscard]] Message unfold() const;
  [[nodiscard]] Spans folded() const;
  [[nodiscard]] Spans unfolded() const;
  void append_spare(OpId begin);
  void append_halving();
  void append_doubling();
  void exchange(Mover mover, Message message, const Spans& out, const Spans& in);

  Composer& composer_;
  const GroupPhase& phase_;
  model::CollectiveKind kind_;
  int players_, spare_;
  Spans all_;
  std::vector<Spans> shares_; ///< by player
  std::vector<OpId> last_;    ///< what the next step waits for: nobody else orders what has come in
};

} // namespace tandem::collective
