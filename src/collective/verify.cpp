// Second half of verify(): plays the data and checks that no timing can change it.
#include "collective/verify.h"

#include "collective/contributions.h"
#include "collective/verify_structure.h"

#include <array>
#include <fmt/format.h>
#include <utility>

namespace tandem::collective {

using model::Buffer;
using model::CollectiveKind;
using model::Op;
using model::OpKind;
using model::Schedule;

namespace {

constexpr std::size_t BUFFERS = 3;
enum class Use : std::uint8_t { READ, STORE, UPDATE };
constexpr std::array<std::pair<model::Sources, Buffer>, BUFFERS> PLACES{
    {{model::FROM_LOCAL, Buffer::LOCAL}, {model::FROM_STAGING, Buffer::STAGING}, {model::FROM_RESULT, Buffer::RESULT}}};

/// Which operations of a program come before which, whatever the timing: one bit per pair.
class Ancestors {
public:
  explicit Ancestors(const model::Program& program)
      : words_((program.ops.size() + 63) / 64), bits_(words_ * program.ops.size(), 0) {
    for (const auto node : program.dag.topological_order())
      for (const auto successor : program.dag.successors(node)) {
        for (std::size_t word = 0; word < words_; ++word)
          bits_[successor * words_ + word] |= bits_[node * words_ + word];
        bits_[successor * words_ + node / 64] |= std::uint64_t{1} << (node % 64);
      }
  }
  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const {
    return (bits_[b * words_ + a / 64] >> (a % 64) & 1) != 0;
  }
  [[nodiscard]] bool ordered(std::uint32_t a, std::uint32_t b) const { return a == b || before(a, b) || before(b, a); }

private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// One piece in one buffer of one rank.
struct Cell {
  Contributions held;
  std::uint32_t last_access = 0; ///< the first of a list in DataPlayer::accesses_; 0: none
};

/// An access since the last store, or that store.
struct PastAccess {
  std::uint32_t op;
  std::uint32_t before; ///< index of the one before it on the same cell; 0: none
  Use use;
};

class DataPlayer {
public:
  DataPlayer(const Schedule& schedule, const GlobalOrder& order)
      : schedule_(schedule), order_(order),
        cells_(static_cast<std::size_t>(schedule.ranks) * BUFFERS * schedule.pieces()),
        in_flight_(order.sender.size()) {
    for (const auto& program : schedule.programs)
      ancestors_.emplace_back(program);
    for (int rank = 0; rank < schedule.ranks && !schedule.produces; ++rank)
      for (std::uint32_t piece = 0; piece < schedule.pieces(); ++piece)
        if (holds_at_start(rank, piece))
          cell(rank, Buffer::LOCAL, piece).held = initial(rank);
  }

  std::string play() {
    for (int rank = 0; rank < schedule_.ranks; ++rank)
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
      return owner(piece) == rank;
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
    case CollectiveKind::ALL_TO_ALL:
    case CollectiveKind::SCATTER:
      return owner(piece) == rank;
    case CollectiveKind::REDUCE:
    case CollectiveKind::GATHER:
      return rank == schedule_.root;
    default:
      return true;
    }
  }
  [[nodiscard]] Contributions initial(int rank) const {
    return schedule_.goal && model::only_moves(*schedule_.goal) ? Contributions::all(schedule_.ranks)
                                                                : Contributions::one(rank);
  }
  /// Sums may begin there; other memory holds anything until it is written.
  [[nodiscard]] bool starts_empty(Buffer buffer) const { return schedule_.produces && buffer == Buffer::LOCAL; }
  Cell& cell(int rank, Buffer buffer, std::uint32_t piece) {
    return cells_[(static_cast<std::size_t>(rank) * BUFFERS + static_cast<std::size_t>(buffer)) * schedule_.pieces() +
                  piece];
  }
  [[nodiscard]] const Ancestors& ancestors(int rank) const {
    return ancestors_[schedule_.program_of.empty() ? 0 : schedule_.program_of[static_cast<std::size_t>(rank)]];
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
    std::vector<Contributions> values;
    const auto first = schedule_.first_piece(rank, described.effect.span);
    for (std::uint32_t i = 0; i < described.effect.span.count; ++i) {
      Contributions value;
      const auto piece = (first + i) % schedule_.pieces();
      if (auto wrong = gather(rank, op, described.effect.sources, piece, value); !wrong.empty())
        return wrong;
      values.push_back(std::move(value));
    }
    if (described.kind == OpKind::TRANSFER) {
      in_flight_[node] = std::move(values);
      return {};
    }
    return put(rank, op, described.effect, first, values);
  }

  std::string receive(int rank, std::uint32_t op, std::uint32_t node) {
    const auto sender = order_.sender[node];
    const int from = order_.rank_of(sender);
    const auto& effect = schedule_.program(from).ops[sender - order_.offsets[static_cast<std::size_t>(from)]].effect;
    if (effect.sources == 0)
      return {};
    auto wrong = put(rank, op, effect, schedule_.first_piece(from, effect.span), in_flight_[sender]);
    in_flight_[sender] = {};
    return wrong;
  }

  std::string gather(int rank, std::uint32_t op, model::Sources sources, std::uint32_t piece, Contributions& value) {
    if ((sources & model::FRESH) != 0)
      value = Contributions::one(rank);
    for (const auto& [bit, buffer] : PLACES) {
      if ((sources & bit) == 0)
        continue;
      auto& source = cell(rank, buffer, piece);
      if (source.held.empty())
        return fmt::format("{} reads piece {} before it is written", place(schedule_, rank, op), piece);
      if (auto wrong = note(rank, op, source, Use::READ, piece); !wrong.empty())
        return wrong;
      if (!value.add(source.held))
        return fmt::format("{} adds a contribution to piece {} twice", place(schedule_, rank, op), piece);
    }
    return {};
  }

  std::string put(int rank, std::uint32_t op, const model::Effect& effect, std::uint32_t first,
                  const std::vector<Contributions>& values) {
    for (std::uint32_t i = 0; i < values.size(); ++i) {
      const auto piece = (first + i) % schedule_.pieces();
      auto& target = cell(rank, effect.target, piece);
      if (auto wrong = note(rank, op, target, effect.update ? Use::UPDATE : Use::STORE, piece); !wrong.empty())
        return wrong;
      if (effect.update && target.held.empty() && !starts_empty(effect.target))
        return fmt::format("{} adds to piece {} before it is written", place(schedule_, rank, op), piece);
      if (!effect.update)
        target.held = values[i];
      else if (!target.held.add(values[i]))
        return fmt::format("{} adds a contribution to piece {} twice", place(schedule_, rank, op), piece);
    }
    return {};
  }

  /// Two accesses may come in any order only if both read or both update.
  std::string note(int rank, std::uint32_t op, Cell& touched, Use use, std::uint32_t piece) {
    std::uint32_t oldest = 0;
    for (std::uint32_t at = touched.last_access; at != 0; at = accesses_[at].before) {
      const auto& past = accesses_[at];
      oldest = at;
      if (past.use == use && use != Use::STORE)
        continue;
      if (!ancestors(rank).ordered(past.op, op))
        return fmt::format("{} and {} touch piece {} in an order that depends on timing",
                           place(schedule_, rank, past.op), place(schedule_, rank, op), piece);
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
    const auto everything = Contributions::all(schedule_.ranks);
    for (int rank = 0; rank < schedule_.ranks; ++rank)
      for (std::uint32_t piece = 0; piece < schedule_.pieces(); ++piece) {
        if (!wanted_at_end(rank, piece))
          continue;
        const auto& result = cell(rank, Buffer::RESULT, piece).held;
        const auto& held = result.empty() ? cell(rank, Buffer::LOCAL, piece).held : result;
        if (held != everything)
          return fmt::format("at the end rank {} holds {} of {} contributions to piece {}", rank, held.count(),
                             schedule_.ranks, piece);
      }
    return {};
  }

  const Schedule& schedule_;
  const GlobalOrder& order_;
  std::vector<Ancestors> ancestors_;
  std::vector<Cell> cells_;
  std::vector<PastAccess> accesses_{1}; ///< lists of all cells; entry 0 stands for none
  std::uint32_t unused_access_ = 0;     ///< first of the list of entries that are free
  std::vector<std::vector<Contributions>> in_flight_;
};

} // namespace

std::string verify(const Schedule& schedule) {
  GlobalOrder order;
  if (auto wrong = check_structure(schedule, order); !wrong.empty())
    return wrong;
  return DataPlayer(schedule, order).play();
}

} // namespace tandem::collective
