// Second half of verify(): plays the data and checks that no timing can change it.
#include "collective/verify.h"

#include "base/error.h"
#include "collective/ancestors.h"
#include "collective/contribution_sets.h"
#include "collective/verify_structure.h"

#include <algorithm>
#include <array>
#include <deque>
#include <fmt/format.h>
#include <unordered_map>
#include <utility>

namespace tandem::collective {

using model::Buffer;
using model::CollectiveKind;
using model::Op;
using model::OpKind;
using model::Schedule;

namespace {

constexpr std::size_t PLACED_BUFFERS = 3; ///< with a place for each piece; SCRATCH comes behind them
enum class Use : std::uint8_t { READ, STORE, UPDATE };
constexpr std::array<std::pair<model::Sources, Buffer>, PLACED_BUFFERS + 1> PLACES{
    {{model::FROM_LOCAL, Buffer::LOCAL},
     {model::FROM_STAGING, Buffer::STAGING},
     {model::FROM_RESULT, Buffer::RESULT},
     {model::FROM_SCRATCH, Buffer::SCRATCH}}};

/// Contributions to a piece, wherever it lies.
struct Held {
  std::uint32_t piece = 0;
  ContributionSets::Id set = ContributionSets::EMPTY;
  [[nodiscard]] bool empty() const { return set == ContributionSets::EMPTY; }
  bool operator==(const Held&) const = default;
};

std::uint64_t places_per_rank(const Schedule& schedule) {
  return PLACED_BUFFERS * std::uint64_t{schedule.pieces()} + schedule.scratch;
}

/// One place in one buffer of one rank.
struct Cell {
  Held held;
  std::uint32_t last_access = 0; ///< the first of a list in DataPlayer::accesses_; 0: none
};

/// An access since the last store, or that store.
struct PastAccess {
  std::uint32_t op;
  std::uint32_t before; ///< index of the one before it on the same cell; 0: none
  Use use;
};

/// Plays every rank, or those that stand for all.
class DataPlayer {
public:
  DataPlayer(const Schedule& schedule, const GlobalOrder& order)
      : schedule_(schedule), order_(order), ranks_(order.ranks), cells_per_rank_(places_per_rank(schedule)),
        cells_(static_cast<std::size_t>(ranks_) * cells_per_rank_) {
    const auto& pieces = schedule.piece_bytes;
    are_pieces_alike_ = std::all_of(pieces.begin(), pieces.end(), [&](double one) { return one == pieces.front(); });
    for (std::size_t program = 0; program < schedule.programs.size(); ++program)
      add_ancestors(program);
    for (int rank = 0; rank < ranks_ && !schedule.produces; ++rank)
      for (std::uint32_t piece = 0; piece < schedule.pieces(); ++piece)
        if (holds_at_start(rank, piece))
          cell(rank, Buffer::LOCAL, piece).held = {piece, initial(rank)};
  }

  std::string play() {
    for (int rank = 0; rank < ranks_; ++rank)
      if (auto wrong = check_slots(rank); !wrong.empty())
        return wrong;
    for (const auto node : order_.order) {
      const int rank = order_.rank_of(node);
      if (auto wrong = play_op(rank, node); !wrong.empty())
        return wrong;
    }
    return check_goal();
  }

private:
  [[nodiscard]] int owner(std::uint32_t piece) const { return static_cast<int>(piece / schedule_.pieces_per_chunk); }
  /// What only moves starts at its owner or at the root, complete; the rest with everybody's contribution to
  /// everything.
  [[nodiscard]] bool holds_at_start(int rank, std::uint32_t piece) const {
    switch (schedule_.goal.value_or(CollectiveKind::ALL_REDUCE)) {
    case CollectiveKind::ALL_GATHER:
    case CollectiveKind::GATHER:
    case CollectiveKind::BARRIER:
      return owner(piece) == rank;
    case CollectiveKind::ALL_TO_ALL_V:
      return schedule_.peer(owner(piece), static_cast<std::int32_t>(piece % schedule_.pieces_per_chunk)) == rank;
    case CollectiveKind::BROADCAST:
    case CollectiveKind::SCATTER:
      return rank == schedule_.root;
    default:
      return true;
    }
  }
  [[nodiscard]] bool wanted_at_end(int rank, std::uint32_t piece) const {
    switch (*schedule_.goal) {
    case CollectiveKind::REDUCE_SCATTER:
    case CollectiveKind::SCATTER:
    case CollectiveKind::ALL_TO_ALL_V:
      return owner(piece) == rank;
    case CollectiveKind::REDUCE:
    case CollectiveKind::GATHER:
      return rank == schedule_.root;
    default:
      return true;
    }
  }
  [[nodiscard]] ContributionSets::Id initial(int rank) {
    return sets_.id_of(schedule_.goal && model::only_moves(*schedule_.goal) ? Contributions::all(schedule_.ranks)
                                                                            : Contributions::one(rank));
  }
  /// Sums may begin there; other memory holds anything until it is written.
  [[nodiscard]] bool starts_empty(Buffer buffer) const { return schedule_.produces && buffer == Buffer::LOCAL; }
  Cell& cell(int rank, Buffer buffer, std::uint32_t place) {
    return cells_[static_cast<std::size_t>(rank) * cells_per_rank_ +
                  static_cast<std::size_t>(buffer) * schedule_.pieces() + place];
  }
  /// The i-th place in `buffer` from `first` on, or else from the span's own, as `rank` counts: as far on as the span's
  /// i-th piece.
  [[nodiscard]] std::uint32_t place_of(int rank, Buffer buffer, std::optional<std::uint32_t> first, model::Span span,
                                       std::uint32_t i) const {
    if (buffer == Buffer::SCRATCH)
      return *first + i;
    return (schedule_.first_piece(rank, {first.value_or(span.first), 1}) + span.offset(i)) % schedule_.pieces();
  }
  [[nodiscard]] const Ancestors& ancestors(int rank) const {
    return ancestors_
        [ancestors_of_[schedule_.program_of.empty() ? 0 : schedule_.program_of[static_cast<std::size_t>(rank)]]];
  }

  /// Programs that differ in their peers only have one order of operations.
  void add_ancestors(std::size_t program) {
    const auto& dag = schedule_.programs[program].dag;
    for (std::size_t other = 0; other < program; ++other)
      if (has_edges_of(dag, schedule_.programs[other].dag)) {
        ancestors_of_.push_back(ancestors_of_[other]);
        return;
      }
    ancestors_of_.push_back(ancestors_.size());
    ancestors_.emplace_back(dag);
  }

  [[nodiscard]] static bool has_edges_of(const model::Dag& dag, const model::Dag& other) {
    if (dag.size() != other.size() || dag.edges() != other.edges())
      return false;
    for (std::uint32_t node = 0; node < dag.size(); ++node)
      if (!std::ranges::equal(dag.successors(node), other.successors(node)))
        return false;
    return true;
  }

  /// The k-th operation that gives back a slot comes after the k-th that takes one, whatever the timing.
  std::string check_slots(int rank) {
    const auto& ops = schedule_.program(rank).ops;
    for (std::size_t resource = 0; resource < schedule_.resources.size(); ++resource) {
      std::vector<std::uint32_t> takes, gives;
      for (std::uint32_t op = 0; op < ops.size(); ++op) {
        if (ops[op].acquires == static_cast<int>(resource))
          takes.push_back(op);
        if (ops[op].releases == static_cast<int>(resource))
          gives.push_back(op);
      }
      for (std::size_t k = 0; k < gives.size(); ++k)
        if (k >= takes.size() || (takes[k] != gives[k] && !ancestors(rank).before(takes[k], gives[k])))
          return fmt::format("{} gives back a slot of {} before one is taken", place(schedule_, rank, gives[k]),
                             schedule_.resources[resource].name);
    }
    return {};
  }

  std::string play_op(int rank, std::uint32_t node) {
    const auto op = node - order_.offsets[static_cast<std::size_t>(rank)];
    const Op& described = schedule_.program(rank).ops[op];
    if (described.kind == OpKind::RECV)
      return receive(rank, op, node);
    if (described.effect.sources == 0)
      return {};
    std::vector<Held> values(described.effect.span.count);
    for (std::uint32_t i = 0; i < values.size(); ++i)
      if (auto wrong = gather(rank, op, described.effect, i, values[i]); !wrong.empty())
        return wrong;
    if (described.kind == OpKind::TRANSFER) {
      in_flight_[node] = std::move(values);
      return {};
    }
    return put(rank, op, described.effect, rank, values);
  }

  std::string receive(int rank, std::uint32_t op, std::uint32_t node) {
    const auto sender = order_.sender[node];
    const int played = order_.rank_of(sender); // and stands for the one that it comes from
    const int from = schedule_.peer(rank, schedule_.program(rank).ops[op].peer);
    const auto& effect =
        schedule_.program(played).ops[sender - order_.offsets[static_cast<std::size_t>(played)]].effect;
    if (effect.sources == 0)
      return {};
    auto message = in_flight_.extract(sender);
    if (from != played)
      for (auto& value : message.mapped())
        value = seen_from(value, schedule_.peer(from, -played));
    return put(rank, op, effect, from, message.mapped());
  }

  /// What a rank holds that is so many ranks further on than one that holds `value`.
  Held seen_from(const Held& value, int ranks) {
    const auto further = static_cast<std::uint32_t>(ranks) * schedule_.pieces_per_chunk;
    const auto& set = sets_[value.set];
    const bool all = set.count() == schedule_.ranks;
    return {(value.piece + further) % schedule_.pieces(),
            all ? value.set : sets_.id_of(set.shifted(ranks, schedule_.ranks))};
  }

  /// The sum of what lies in the sources at the i-th place of an effect.
  std::string gather(int rank, std::uint32_t op, const model::Effect& effect, std::uint32_t i, Held& value) {
    const auto declared = place_of(rank, Buffer::LOCAL, {}, effect.span, i);
    if ((effect.sources & model::FRESH) != 0)
      value = {declared, sets_.id_of(Contributions::one(rank))};
    for (const auto& [bit, buffer] : PLACES) {
      if ((effect.sources & bit) == 0)
        continue;
      const auto at = place_of(rank, buffer, effect.from, effect.span, i);
      auto& source = cell(rank, buffer, at);
      if (source.held.empty())
        return fmt::format("{} reads {} before it is written", place(schedule_, rank, op), named(buffer, at));
      if (auto wrong = note(rank, op, source, Use::READ, buffer, at); !wrong.empty())
        return wrong;
      if (auto wrong = add(rank, op, value, source.held); !wrong.empty())
        return wrong;
    }
    if (value.piece != declared && ranks_ < schedule_.ranks && !are_pieces_alike_)
      return "whether pieces of one size are moved depends on the rank";
    if (schedule_.piece_bytes[value.piece] != schedule_.piece_bytes[declared])
      return fmt::format("{} moves {:.0f} B as piece {}, which has {:.0f} B", place(schedule_, rank, op),
                         schedule_.piece_bytes[value.piece], declared, schedule_.piece_bytes[declared]);
    return {};
  }

  std::string add(int rank, std::uint32_t op, Held& sum, const Held& more) {
    if (sum.empty()) {
      sum = more;
      return {};
    }
    if (sum.piece != more.piece)
      return fmt::format("{} adds piece {} to piece {}", place(schedule_, rank, op), more.piece, sum.piece);
    const auto both = sets_.united(sum.set, more.set);
    if (!both)
      return fmt::format("{} adds a contribution to piece {} twice", place(schedule_, rank, op), sum.piece);
    sum.set = *both;
    return {};
  }

  /// `counted_from`: the rank whose effect it is.
  std::string put(int rank, std::uint32_t op, const model::Effect& effect, int counted_from,
                  const std::vector<Held>& values) {
    for (std::uint32_t i = 0; i < values.size(); ++i) {
      const auto at = place_of(counted_from, effect.target, effect.to, effect.span, i);
      auto& target = cell(rank, effect.target, at);
      if (auto wrong = note(rank, op, target, effect.update ? Use::UPDATE : Use::STORE, effect.target, at);
          !wrong.empty())
        return wrong;
      if (effect.update && target.held.empty() && !starts_empty(effect.target))
        return fmt::format("{} adds to {} before it is written", place(schedule_, rank, op), named(effect.target, at));
      if (!effect.update)
        target.held = values[i];
      else if (auto wrong = add(rank, op, target.held, values[i]); !wrong.empty())
        return wrong;
    }
    return {};
  }

  [[nodiscard]] static std::string named(Buffer buffer, std::uint32_t at) {
    return fmt::format("{} {}", buffer == Buffer::SCRATCH ? "scratch" : "piece", at);
  }

  /// Two accesses may come in any order only if both read or both update.
  std::string note(int rank, std::uint32_t op, Cell& touched, Use use, Buffer buffer, std::uint32_t at) {
    std::uint32_t oldest = 0;
    for (std::uint32_t entry = touched.last_access; entry != 0; entry = accesses_[entry].before) {
      const auto& past = accesses_[entry];
      oldest = entry;
      if (past.use == use && use != Use::STORE)
        continue;
      if (!ancestors(rank).ordered(past.op, op))
        return fmt::format("{} and {} touch {} in an order that depends on timing", place(schedule_, rank, past.op),
                           place(schedule_, rank, op), named(buffer, at));
    }
    if (use == Use::STORE && oldest != 0) { // nobody needs to look behind a store
      accesses_[oldest].before = unused_access_;
      unused_access_ = touched.last_access;
      touched.last_access = 0;
    }
    touched.last_access = new_access({op, touched.last_access, use});
    return {};
  }

  std::uint32_t new_access(const PastAccess& access) {
    if (unused_access_ == 0) {
      accesses_.push_back(access);
      return static_cast<std::uint32_t>(accesses_.size() - 1);
    }
    const auto at = unused_access_;
    unused_access_ = accesses_[at].before;
    accesses_[at] = access;
    return at;
  }

  std::string check_goal() {
    if (!schedule_.goal)
      return {};
    for (int rank = 0; rank < ranks_; ++rank)
      for (std::uint32_t at = 0; at < schedule_.pieces(); ++at) {
        if (!wanted_at_end(rank, at))
          continue;
        const auto& result = cell(rank, Buffer::RESULT, at).held;
        const auto& held = result.empty() && schedule_.in_place ? cell(rank, Buffer::LOCAL, at).held : result;
        if (auto wrong = check_result(rank, at, held); !wrong.empty())
          return wrong;
      }
    return {};
  }

  /// An all-to-all leaves chunk r of rank s on rank r at the place of chunk s, a sendrecv all of rank r - 1; the others
  /// leave sums at their own places.
  std::string check_result(int rank, std::uint32_t at, const Held& held) {
    const bool to_all = schedule_.goal == CollectiveKind::ALL_TO_ALL;
    const bool from_one = to_all || schedule_.goal == CollectiveKind::SEND_RECV;
    const int from = to_all ? owner(at) : schedule_.peer(rank, -1);
    const auto own = static_cast<std::uint32_t>(rank) * schedule_.pieces_per_chunk;
    const auto piece = to_all ? own + at % schedule_.pieces_per_chunk : at;
    const auto expected = from_one ? Contributions::one(from) : Contributions::all(schedule_.ranks);
    const auto& found = sets_[held.set];
    if (!held.empty() && held.piece != piece)
      return fmt::format("at the end rank {} holds piece {} where piece {} belongs", rank, held.piece, piece);
    if (found == expected)
      return {};
    if (from_one)
      return fmt::format("at the end rank {} does not hold what rank {} has for it", rank, from);
    return fmt::format("at the end rank {} holds {} of {} contributions to piece {}", rank, found.count(),
                       schedule_.ranks, piece);
  }

  const Schedule& schedule_;
  const GlobalOrder& order_;
  int ranks_;
  bool are_pieces_alike_ = true;
  std::size_t cells_per_rank_;
  std::vector<Ancestors> ancestors_;      ///< of programs whose dependencies differ
  std::vector<std::size_t> ancestors_of_; ///< by program: index into ancestors_
  ContributionSets sets_;
  std::vector<Cell> cells_;
  std::deque<PastAccess> accesses_{1}; ///< lists of all cells; entry 0 stands for none. Grows without a copy
  std::uint32_t unused_access_ = 0;    ///< first of the list of entries that are free
  std::unordered_map<std::uint32_t, std::vector<Held>> in_flight_; ///< by the transfer's node
};

} // namespace

std::string verify(const Schedule& schedule) {
  if (auto wrong = check_form(schedule); !wrong.empty())
    return wrong;
  GlobalOrder order;
  if (find_order_for_all(schedule, order) && DataPlayer(schedule, order).play().empty())
    return {};
  // Ranks that differ, or a fault: each rank's own part says more.
  if (auto wrong = find_order(schedule, order); !wrong.empty())
    return wrong;
  return DataPlayer(schedule, order).play();
}

ProofSize proof_size(const Schedule& schedule) {
  const int ranks = ranks_that_stand_for_all(schedule);
  ProofSize size{.places = static_cast<std::uint64_t>(ranks) * places_per_rank(schedule)};
  for (int rank = 0; rank < ranks; ++rank)
    size.operations += schedule.program(rank).ops.size();
  return size;
}

void require_proof(const model::Schedule& schedule, const std::string& who) {
  if (const auto wrong = verify(schedule); !wrong.empty())
    throw base::Bug(who + ": the schedule is not proven: " + wrong);
}

} // namespace tandem::collective
