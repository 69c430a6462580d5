// Operations become events (take a slot, begin, read, write, end) that a random scheduler picks from.
#include "number_player.h"

#include <array>
#include <fmt/format.h>
#include <map>
#include <queue>
#include <random>
#include <set>
#include <tuple>

namespace tandem::collective {

using model::Buffer;
using model::Op;
using model::OpKind;
using model::Schedule;

namespace {

constexpr auto SCRATCH = static_cast<std::size_t>(Buffer::SCRATCH);

enum class Event : std::uint8_t { GRANT, READ, WRITE, END };

/// What one random order favours: events at some ranks, some events before others, or nothing.
struct Taste {
  std::vector<double> rank;
  std::array<double, 4> event{};
};

class NumberPlayer {
public:
  NumberPlayer(const Schedule& schedule, std::uint64_t seed) : schedule_(schedule), random_(seed) {
    taste_.rank.assign(static_cast<std::size_t>(schedule.ranks), 0.0);
    if (seed % 2 == 1)
      for (auto& weight : taste_.rank)
        weight = 3.0 * uniform();
    if (seed % 3 == 2)
      for (auto& weight : taste_.event)
        weight = 3.0 * uniform();
    for (int rank = 0; rank < schedule.ranks; ++rank)
      start_rank(rank);
  }

  std::string play() {
    for (int rank = 0; rank < schedule_.ranks; ++rank)
      for (std::uint32_t op = 0; op < ranks_[rank].ops.size(); ++op)
        if (ranks_[rank].ops[op].waits == 0)
          dependencies_done(rank, op);
    while (!enabled_.empty()) {
      const auto next = enabled_.top();
      enabled_.pop();
      happen(next.rank, next.op, next.event);
    }
    for (int rank = 0; rank < schedule_.ranks; ++rank)
      for (std::uint32_t op = 0; op < ranks_[rank].ops.size(); ++op)
        if (!ranks_[rank].ops[op].ended)
          return fmt::format("stuck: rank {}, operation {} of {}", rank, op, ranks_[rank].ops.size());
    return check();
  }

private:
  struct OpState {
    std::size_t waits = 0;
    bool begun = false, ended = false;
    bool matched = false; ///< TRANSFER, RECV: begun at both ends
    std::vector<std::uint64_t> values;
    int peer_rank = 0;
    std::uint32_t peer_op = 0;
  };
  struct RankState {
    std::vector<OpState> ops;
    std::array<std::vector<std::uint64_t>, 4> cells;
    std::vector<bool> result_written;
    struct Slots {
      std::vector<std::uint32_t> order; ///< operations that take one
      std::size_t next = 0;
      int used = 0;
    };
    std::vector<Slots> slots;
  };
  struct Enabled {
    double priority;
    std::uint64_t order;
    int rank;
    std::uint32_t op;
    Event event;
    bool operator<(const Enabled& other) const {
      return std::tie(priority, order) < std::tie(other.priority, other.order);
    }
  };
  /// Sends and receives of one channel in program order; `next_` is the first that is not done with its turn.
  struct Channel {
    std::vector<std::uint32_t> sends, receives;
    std::size_t next_send = 0, next_receive = 0;
  };

  double uniform() { return std::uniform_real_distribution<double>(0.0, 1.0)(random_); }
  const Op& op_of(int rank, std::uint32_t op) const { return schedule_.program(rank).ops[op]; }
  std::uint64_t& contribution(int rank, std::uint32_t piece) {
    const auto [entry, added] = contributions_.try_emplace({rank, piece}, 0);
    if (added)
      entry->second = random_();
    return entry->second;
  }
  std::uint64_t everything(std::uint32_t piece) {
    std::uint64_t sum = 0;
    for (int rank = 0; rank < schedule_.ranks; ++rank)
      sum += contribution(rank, piece);
    return sum;
  }

  void start_rank(int rank) {
    const auto& program = schedule_.program(rank);
    auto& state = ranks_.emplace_back();
    state.ops.resize(program.ops.size());
    state.slots.resize(schedule_.resources.size());
    state.result_written.assign(schedule_.pieces(), false);
    for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
      for (const auto successor : program.dag.successors(op))
        ++state.ops[successor].waits;
      const auto& described = program.ops[op];
      const int peer = schedule_.peer(rank, described.peer);
      if (described.kind == OpKind::TRANSFER)
        channels_[{rank, peer, described.channel}].sends.push_back(op);
      if (described.kind == OpKind::RECV)
        channels_[{peer, rank, described.channel}].receives.push_back(op);
      if (described.acquires >= 0)
        state.slots[static_cast<std::size_t>(described.acquires)].order.push_back(op);
    }
    const bool gathers = schedule_.goal == model::CollectiveKind::ALL_GATHER;
    for (std::size_t buffer = 0; buffer < state.cells.size(); ++buffer)
      for (std::uint32_t at = 0; at < (buffer == SCRATCH ? schedule_.scratch : schedule_.pieces()); ++at)
        state.cells[buffer].push_back(random_());
    for (std::uint32_t piece = 0; piece < schedule_.pieces(); ++piece) {
      auto& local = state.cells[static_cast<std::size_t>(Buffer::LOCAL)][piece];
      const bool own = piece / schedule_.pieces_per_chunk == static_cast<std::uint32_t>(rank);
      if (schedule_.produces)
        local = 0; // a kernel's output starts empty
      else if (!gathers)
        local = contribution(rank, piece);
      else if (own)
        local = everything(piece);
    }
  }

  void enable(int rank, std::uint32_t op, Event event) {
    const double priority =
        uniform() + taste_.rank[static_cast<std::size_t>(rank)] + taste_.event[static_cast<std::size_t>(event)];
    enabled_.push({priority, count_++, rank, op, event});
  }

  void dependencies_done(int rank, std::uint32_t op) {
    const int resource = op_of(rank, op).acquires;
    if (resource >= 0 && schedule_.resources[static_cast<std::size_t>(resource)].when_full == model::WhenFull::BLOCK) {
      wanting_.insert({rank, op});
      grant_slots(rank, resource);
      return;
    }
    if (resource >= 0) // one that spills never makes an operation wait
      ++ranks_[rank].slots[static_cast<std::size_t>(resource)].used;
    enable(rank, op, Event::GRANT);
  }

  void grant_slots(int rank, int resource) {
    auto& slots = ranks_[rank].slots[static_cast<std::size_t>(resource)];
    const int capacity = schedule_.resources[static_cast<std::size_t>(resource)].capacity;
    while (slots.next < slots.order.size() && slots.used < capacity &&
           wanting_.contains({rank, slots.order[slots.next]})) {
      ++slots.used;
      enable(rank, slots.order[slots.next++], Event::GRANT);
    }
  }

  void happen(int rank, std::uint32_t op, Event event) {
    auto& state = ranks_[rank].ops[op];
    const auto& described = op_of(rank, op);
    switch (event) {
    case Event::GRANT:
      state.begun = true;
      if (described.kind == OpKind::TRANSFER || described.kind == OpKind::RECV)
        match(described.kind == OpKind::TRANSFER
                  ? std::tuple{rank, schedule_.peer(rank, described.peer), described.channel}
                  : std::tuple{schedule_.peer(rank, described.peer), rank, described.channel});
      else
        enable(rank, op, Event::READ);
      break;
    case Event::READ:
      read(rank, op);
      if (described.kind == OpKind::TRANSFER) { // the data has left; it reaches the peer's memory when it does
        enable(rank, op, Event::END);
        enable(state.peer_rank, state.peer_op, Event::WRITE);
      } else {
        enable(rank, op, Event::WRITE);
      }
      break;
    case Event::WRITE:
      if (described.kind == OpKind::RECV)
        write(rank, op_of(state.peer_rank, state.peer_op).effect, state.peer_rank,
              ranks_[state.peer_rank].ops[state.peer_op].values);
      else
        write(rank, described.effect, rank, state.values);
      enable(rank, op, Event::END);
      break;
    case Event::END:
      end(rank, op);
      break;
    }
  }

  /// The next send of a channel is under way once it and its receive have begun.
  void match(const std::tuple<int, int, std::uint16_t>& key) {
    auto& channel = channels_[key];
    const auto& [from, to, number] = key;
    if (channel.next_send == channel.sends.size() || channel.next_receive == channel.receives.size())
      return;
    const auto send = channel.sends[channel.next_send], receive = channel.receives[channel.next_receive];
    auto& sender = ranks_[from].ops[send];
    auto& receiver = ranks_[to].ops[receive];
    if (sender.matched || !sender.begun || !receiver.begun)
      return;
    sender.matched = true;
    std::tie(sender.peer_rank, sender.peer_op) = std::pair{to, receive};
    std::tie(receiver.peer_rank, receiver.peer_op) = std::pair{from, send};
    enable(from, send, Event::READ);
  }

  void read(int rank, std::uint32_t op) {
    const auto& effect = op_of(rank, op).effect;
    auto& state = ranks_[rank].ops[op];
    if (effect.sources == 0)
      return;
    for (std::uint32_t i = 0; i < effect.span.count; ++i) {
      const auto piece = (schedule_.first_piece(rank, effect.span) + effect.span.offset(i)) % schedule_.pieces();
      std::uint64_t sum = (effect.sources & model::FRESH) != 0 ? contribution(rank, piece) : 0;
      for (const auto& [bit, buffer] : {std::pair{model::FROM_LOCAL, Buffer::LOCAL},
                                        {model::FROM_STAGING, Buffer::STAGING},
                                        {model::FROM_RESULT, Buffer::RESULT},
                                        {model::FROM_SCRATCH, Buffer::SCRATCH}})
        if ((effect.sources & bit) != 0)
          sum += ranks_[rank]
                     .cells[static_cast<std::size_t>(buffer)][place(rank, buffer, effect.from, piece, effect.span, i)];
      state.values.push_back(sum);
    }
  }

  void write(int rank, const model::Effect& effect, int seen_from, const std::vector<std::uint64_t>& values) {
    for (std::uint32_t i = 0; i < values.size(); ++i) {
      const auto piece = (schedule_.first_piece(seen_from, effect.span) + effect.span.offset(i)) % schedule_.pieces();
      const auto at = place(seen_from, effect.target, effect.to, piece, effect.span, i);
      auto& cell = ranks_[rank].cells[static_cast<std::size_t>(effect.target)][at];
      cell = effect.update ? cell + values[i] : values[i];
      if (effect.target == Buffer::RESULT)
        ranks_[rank].result_written[at] = true;
    }
  }

  /// Where the i-th piece of a span lies, when the span lies from `first` on as `rank` counts, or at its own place.
  [[nodiscard]] std::uint32_t place(int rank, Buffer buffer, std::optional<std::uint32_t> first, std::uint32_t piece,
                                    const model::Span& span, std::uint32_t i) const {
    if (!first)
      return piece;
    if (buffer == Buffer::SCRATCH)
      return *first + i;
    return (schedule_.first_piece(rank, {*first, 1}) + span.offset(i)) % schedule_.pieces();
  }

  void end(int rank, std::uint32_t op) {
    const auto& described = op_of(rank, op);
    ranks_[rank].ops[op].ended = true;
    if (described.releases >= 0) {
      if (--ranks_[rank].slots[static_cast<std::size_t>(described.releases)].used < 0)
        fault_ = fmt::format("wrong slot: rank {}, operation {} gives back what nobody has", rank, op);
      if (schedule_.resources[static_cast<std::size_t>(described.releases)].when_full == model::WhenFull::BLOCK)
        grant_slots(rank, described.releases);
    }
    for (const auto successor : schedule_.program(rank).dag.successors(op))
      if (--ranks_[rank].ops[successor].waits == 0)
        dependencies_done(rank, successor);
    if (described.kind != OpKind::TRANSFER)
      return;
    const std::tuple key{rank, schedule_.peer(rank, described.peer), described.channel};
    ++channels_[key].next_send;
    ++channels_[key].next_receive;
    match(key);
  }

  std::uint64_t promised(int rank, std::uint32_t at) {
    const auto each = schedule_.pieces_per_chunk;
    if (schedule_.goal == model::CollectiveKind::ALL_TO_ALL)
      return contribution(static_cast<int>(at / each), static_cast<std::uint32_t>(rank) * each + at % each);
    return everything(at);
  }

  std::string check() {
    if (!fault_.empty())
      return fault_;
    for (int rank = 0; rank < schedule_.ranks && schedule_.goal; ++rank)
      for (std::uint32_t piece = 0; piece < schedule_.pieces(); ++piece) {
        const bool own = piece / schedule_.pieces_per_chunk == static_cast<std::uint32_t>(rank);
        if (schedule_.goal == model::CollectiveKind::REDUCE_SCATTER && !own)
          continue;
        const auto& state = ranks_[rank];
        const auto where = state.result_written[piece] || !schedule_.in_place ? Buffer::RESULT : Buffer::LOCAL;
        if (state.cells[static_cast<std::size_t>(where)][piece] != promised(rank, piece))
          return fmt::format("wrong sum of piece {} on rank {}", piece, rank);
      }
    return {};
  }

  const Schedule& schedule_;
  std::mt19937_64 random_;
  Taste taste_;
  std::vector<RankState> ranks_;
  std::map<std::tuple<int, int, std::uint16_t>, Channel> channels_;
  std::map<std::pair<int, std::uint32_t>, std::uint64_t> contributions_;
  std::set<std::pair<int, std::uint32_t>> wanting_;
  std::priority_queue<Enabled> enabled_;
  std::uint64_t count_ = 0;
  std::string fault_;
};

} // namespace

std::string play_numbers(const Schedule& schedule, std::uint64_t seed) {
  return NumberPlayer(schedule, seed).play();
}

} // namespace tandem::collective
