// Form, matching and deadlock freedom of a schedule.
#include "collective/verify_structure.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <tuple>

namespace tandem::collective {

using model::Op;
using model::OpKind;
using model::Schedule;

namespace {

constexpr int ALL_SOURCES =
    model::FROM_LOCAL | model::FROM_STAGING | model::FROM_RESULT | model::FRESH | model::FROM_SCRATCH;

/// A cost that time can pass for: finite, not negative.
bool is_cost(double value) {
  return std::isfinite(value) && value >= 0.0;
}

bool are_costs(const std::vector<model::Traffic>& traffic) {
  return std::all_of(traffic.begin(), traffic.end(),
                     [](const model::Traffic& part) { return is_cost(part.per_span) && is_cost(part.fixed.value()); });
}

/// Where an effect reads or writes: SCRATCH has no place that is a piece's own.
bool is_place(const Schedule& schedule, bool scratch, std::optional<std::uint32_t> first, std::uint32_t count) {
  if (!scratch)
    return !first || *first < schedule.pieces();
  return first && std::uint64_t{*first} + count <= schedule.scratch;
}

/// In a row, or in runs that do not overlap, not even around the end.
bool is_spread(const Schedule& schedule, const model::Span& span) {
  if (span.run == 0)
    return span.stride == 0;
  return span.count > span.run && span.count % span.run == 0 && span.stride >= span.run &&
         span.extent() <= schedule.pieces();
}

std::string check_places(const Schedule& schedule, const model::Effect& effect) {
  const bool from_scratch = (effect.sources & model::FROM_SCRATCH) != 0;
  if (from_scratch && effect.sources != model::FROM_SCRATCH)
    return "it reads scratch and other buffers at once";
  if (!is_place(schedule, from_scratch, effect.from, effect.span.count))
    return "it reads at a place that does not exist";
  if (!is_place(schedule, effect.target == model::Buffer::SCRATCH, effect.to, effect.span.count))
    return "it writes at a place that does not exist";
  return {};
}

std::string check_op(const Schedule& schedule, const Op& op) {
  const auto resources = static_cast<int>(schedule.resources.size());
  if (op.label >= schedule.labels.size())
    return "its label does not exist";
  if (op.effect.span.count > schedule.pieces() || (schedule.pieces() > 0 && op.effect.span.first >= schedule.pieces()))
    return fmt::format("its span of {} pieces from {} does not fit {} pieces", op.effect.span.count,
                       op.effect.span.first, schedule.pieces());
  if (!is_spread(schedule, op.effect.span))
    return fmt::format("its span of {} pieces in runs of {} that begin {} apart is none of {} pieces",
                       op.effect.span.count, op.effect.span.run, op.effect.span.stride, schedule.pieces());
  if (op.acquires < -1 || op.acquires >= resources || op.releases < -1 || op.releases >= resources)
    return "it names a resource that does not exist";
  if ((op.kind == OpKind::TRANSFER || op.kind == OpKind::RECV) && schedule.peer(0, op.peer) == 0)
    return "it talks to its own rank";
  if ((op.effect.sources & ~ALL_SOURCES) != 0)
    return "it reads from a buffer that does not exist";
  if (op.effect.sources != 0)
    if (auto wrong = check_places(schedule, op.effect); !wrong.empty())
      return wrong;
  if (!is_cost(op.delay.value()) || !is_cost(op.sm_seconds) || !is_cost(op.sm_bytes_per_span) ||
      !are_costs(op.traffic) || !are_costs(op.peer_traffic))
    return "it has a cost that is negative or not a number";
  if (!is_cost(op.wire_factor))
    return "its bytes on the wire are negative or not a number";
  if (op.sms == 0 && (op.sm_seconds > 0.0 || op.sm_bytes_per_span > 0.0))
    return "it has work for SMs and no SM";
  return {};
}

/// "operation 17 (RS step 2)", with the program's number where there are several.
std::string place_in_program(const Schedule& schedule, std::size_t program, std::uint32_t op) {
  const auto label = schedule.programs[program].ops[op].label;
  const auto name = label < schedule.labels.size() ? fmt::format(" ({})", schedule.labels[label]) : "";
  const auto which = schedule.programs.size() > 1 ? fmt::format("program {}, ", program) : "";
  return fmt::format("{}operation {}{}", which, op, name);
}

std::string check_pieces(const Schedule& schedule) {
  if (schedule.pieces_per_chunk < 1)
    return "a chunk has no pieces";
  if (std::uint64_t{schedule.pieces_per_chunk} * static_cast<std::uint64_t>(schedule.ranks) > UINT32_MAX)
    return fmt::format("{} pieces for each of {} ranks are too many", schedule.pieces_per_chunk, schedule.ranks);
  if (schedule.piece_bytes.size() != schedule.pieces())
    return fmt::format("{} piece sizes for {} pieces", schedule.piece_bytes.size(), schedule.pieces());
  for (std::size_t piece = 0; piece < schedule.piece_bytes.size(); ++piece) {
    const double bytes = schedule.piece_bytes[piece];
    if (!is_cost(bytes) || std::floor(bytes) != bytes)
      return fmt::format("piece {} has {} bytes", piece, bytes);
  }
  return {};
}

/// Edges between operations of all ranks, or of one that stands for all: dependencies, channels, slots.
class EdgeCollector {
public:
  EdgeCollector(const Schedule& schedule, GlobalOrder& result) : schedule_(schedule), result_(result) {}

  std::string collect() {
    for (int rank = 0; rank < result_.ranks; ++rank) {
      add_dependencies(rank);
      if (auto wrong = add_slots(rank); !wrong.empty())
        return wrong;
    }
    return add_channels();
  }
  std::vector<model::Dag::Edge> edges;

private:
  using Key = std::tuple<int, int, int>; // from, how far on, channel

  void add_dependencies(int rank) {
    const auto& program = schedule_.program(rank);
    const auto base = offset(rank);
    for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
      for (const auto successor : program.dag.successors(op))
        edges.emplace_back(base + op, base + successor);
      const auto& described = program.ops[op];
      if (described.kind == OpKind::TRANSFER)
        sends_[{rank, schedule_.peer(0, described.peer), described.channel}].push_back(base + op);
      if (described.kind == OpKind::RECV)
        receives_[{schedule_.peer(rank, described.peer) % result_.ranks, schedule_.peer(0, -described.peer),
                   described.channel}]
            .push_back(base + op);
    }
  }
  [[nodiscard]] std::uint32_t offset(int rank) const {
    return result_.offsets[static_cast<std::size_t>(rank % result_.ranks)];
  }

  /// Slots of a blocking resource are a ring buffer: the k-th acquisition waits for the (k - capacity)-th release.
  std::string add_slots(int rank) {
    const auto& ops = schedule_.program(rank).ops;
    for (std::size_t resource = 0; resource < schedule_.resources.size(); ++resource) {
      const auto& described = schedule_.resources[resource];
      if (described.when_full != model::WhenFull::BLOCK)
        continue;
      std::vector<std::uint32_t> takes, gives;
      for (std::uint32_t op = 0; op < ops.size(); ++op) {
        if (ops[op].acquires == static_cast<int>(resource))
          takes.push_back(offset(rank) + op);
        if (ops[op].releases == static_cast<int>(resource))
          gives.push_back(offset(rank) + op);
      }
      const auto capacity = static_cast<std::size_t>(described.capacity);
      for (std::size_t k = 0; k < takes.size(); ++k) {
        if (k > 0)
          edges.emplace_back(takes[k - 1], takes[k]); // granted in order; the earlier one has started
        if (k < capacity)
          continue;
        if (k - capacity >= gives.size())
          return fmt::format("resource {} can run dry: rank {} takes {} slots, gives back {} and has {}",
                             described.name, rank, takes.size(), gives.size(), described.capacity);
        edges.emplace_back(gives[k - capacity], takes[k]);
      }
    }
    return {};
  }

  std::string add_channels() {
    const auto within_ranks = edges.size();
    for (const auto& [key, senders] : sends_) {
      const auto& [from, further, channel] = key;
      const int to = schedule_.peer(from, further);
      const auto found = receives_.find(key);
      const std::size_t received = found == receives_.end() ? 0 : found->second.size();
      if (received != senders.size())
        return fmt::format("rank {} sends {} messages to rank {} on channel {}, which receives {}", from,
                           senders.size(), to, channel, received);
      for (std::size_t k = 0; k < senders.size(); ++k) {
        const auto receiver = found->second[k];
        result_.sender[receiver] = senders[k];
        edges.emplace_back(senders[k], receiver);
        if (k > 0) {
          edges.emplace_back(senders[k - 1], senders[k]);
          edges.emplace_back(found->second[k - 1], receiver);
        }
        if (auto wrong = check_pair(from, senders[k], to, receiver); !wrong.empty())
          return wrong;
      }
    }
    for (const auto& [key, receivers] : receives_)
      if (!sends_.contains(key)) {
        const int to = schedule_.peer(std::get<0>(key), std::get<1>(key));
        return fmt::format("{} waits for a message from rank {} that is never sent",
                           place(schedule_, to, receivers.front() - offset(to)), std::get<0>(key));
      }
    add_rendezvous(within_ranks);
    return {};
  }

  /// A transfer begins once its receive is posted: it waits for all that the receive waits for on its own rank, which
  /// the first `within_ranks` edges tell.
  void add_rendezvous(std::size_t within_ranks) {
    for (std::size_t edge = 0; edge < within_ranks; ++edge) {
      const auto [from, to] = edges[edge];
      if (result_.sender[to] != to)
        edges.emplace_back(from, result_.sender[to]);
    }
  }

  std::string check_pair(int from, std::uint32_t sender, int to, std::uint32_t receiver) {
    const auto sent = sender - offset(from), got = receiver - offset(to);
    const auto a = schedule_.program(from).ops[sent].effect.span, b = schedule_.program(to).ops[got].effect.span;
    if (a.same_shape(b) && (a.count == 0 || schedule_.first_piece(from, a) == schedule_.first_piece(to, b)))
      return {};
    if (a.count == b.count && a.run + b.run > 0)
      return fmt::format("{} sends {} pieces from {} in other runs than {} expects", place(schedule_, from, sent),
                         a.count, schedule_.first_piece(from, a), place(schedule_, to, got));
    return fmt::format("{} sends pieces {}+{}, but {} expects {}+{}", place(schedule_, from, sent),
                       schedule_.first_piece(from, a), a.count, place(schedule_, to, got), schedule_.first_piece(to, b),
                       b.count);
  }

  const Schedule& schedule_;
  GlobalOrder& result_;
  std::map<Key, std::vector<std::uint32_t>> sends_, receives_;
};

} // namespace

std::string place(const Schedule& schedule, int rank, std::uint32_t op) {
  return fmt::format("rank {}, operation {} ({})", rank, op, schedule.labels[schedule.program(rank).ops[op].label]);
}

int GlobalOrder::rank_of(std::uint32_t node) const {
  return static_cast<int>(std::upper_bound(offsets.begin(), offsets.end(), node) - offsets.begin()) - 1;
}

std::string check_form(const Schedule& schedule) {
  if (schedule.ranks < 1 || schedule.programs.empty())
    return "it has no ranks or no program";
  if (schedule.goal == model::CollectiveKind::ALL_TO_ALL_V &&
      schedule.pieces_per_chunk != static_cast<std::uint32_t>(schedule.ranks))
    return "an all-to-all-v needs a piece for each pair of ranks";
  if (auto wrong = check_pieces(schedule); !wrong.empty())
    return wrong;
  if (schedule.root < 0 || schedule.root >= schedule.ranks)
    return fmt::format("its root, rank {}, does not exist", schedule.root);
  if (!schedule.program_of.empty() && schedule.program_of.size() != static_cast<std::size_t>(schedule.ranks))
    return fmt::format("{} program choices for {} ranks", schedule.program_of.size(), schedule.ranks);
  for (const auto program : schedule.program_of)
    if (program >= schedule.programs.size())
      return fmt::format("program {} does not exist", program);
  if (schedule.tracker && static_cast<std::size_t>(*schedule.tracker) >= schedule.resources.size())
    return "the tracker's resource does not exist";
  if (schedule.tracker &&
      schedule.resources[static_cast<std::size_t>(*schedule.tracker)].when_full != model::WhenFull::SPILL)
    return "the tracker blocks when it is full; it can only spill: a store that it counts has happened";
  for (const auto& resource : schedule.resources)
    if (resource.capacity < 1)
      return fmt::format("resource {} has no slots", resource.name);
  for (std::size_t which = 0; which < schedule.programs.size(); ++which) {
    const auto& program = schedule.programs[which];
    if (program.dag.size() != program.ops.size())
      return "a program's dependencies do not fit its operations";
    for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
      if (const auto wrong = check_op(schedule, program.ops[op]); !wrong.empty())
        return fmt::format("{}: {}", place_in_program(schedule, which, op), wrong);
      if (schedule.tracker && program.ops[op].kind == OpKind::TRIGGER && program.dag.in_degrees()[op] == 0)
        return fmt::format("{}: it counts nothing, and would give back an entry of the tracker that it never took",
                           place_in_program(schedule, which, op));
    }
  }
  return {};
}

namespace {

/// Ranks after which programs repeat; all of them where they do not, or where a program is nobody's.
int period(const Schedule& schedule) {
  const auto& program_of = schedule.program_of;
  if (program_of.empty())
    return schedule.programs.size() == 1 ? 1 : schedule.ranks;
  for (int ranks = 1; ranks < schedule.ranks; ++ranks) {
    if (schedule.ranks % ranks != 0 || !std::equal(program_of.begin() + ranks, program_of.end(), program_of.begin()))
      continue;
    std::vector<bool> used(schedule.programs.size());
    for (int rank = 0; rank < ranks; ++rank)
      used[program_of[static_cast<std::size_t>(rank)]] = true;
    return std::all_of(used.begin(), used.end(), [](bool is) { return is; }) ? ranks : schedule.ranks;
  }
  return schedule.ranks;
}

/// Numbers the operations of the first ranks.
std::uint32_t number_nodes(const Schedule& schedule, int ranks, GlobalOrder& result) {
  std::uint32_t nodes = 0;
  result = {};
  result.ranks = ranks;
  for (int rank = 0; rank < ranks; ++rank) {
    result.offsets.push_back(nodes);
    nodes += static_cast<std::uint32_t>(schedule.program(rank).ops.size());
  }
  result.sender.resize(nodes);
  std::iota(result.sender.begin(), result.sender.end(), 0U);
  return nodes;
}

} // namespace

int ranks_that_stand_for_all(const Schedule& schedule) {
  return schedule.goal && model::has_root(*schedule.goal) ? schedule.ranks : period(schedule);
}

bool find_order_for_all(const Schedule& schedule, GlobalOrder& result) {
  const int ranks = ranks_that_stand_for_all(schedule);
  if (ranks == schedule.ranks)
    return false;
  const auto nodes = number_nodes(schedule, ranks, result);
  model::Dag dag;
  {
    EdgeCollector collector(schedule, result);
    if (!collector.collect().empty())
      return false;
    dag = model::Dag(nodes, collector.edges);
  }
  if (!dag.find_cycle().empty()) // which need not be one when the ranks are told apart
    return false;
  result.order = dag.topological_order();
  return true;
}

std::string find_order(const Schedule& schedule, GlobalOrder& result) {
  const auto nodes = number_nodes(schedule, schedule.ranks, result);
  EdgeCollector collector(schedule, result);
  if (auto wrong = collector.collect(); !wrong.empty())
    return wrong;
  const model::Dag dag(nodes, collector.edges);
  const auto cycle = dag.find_cycle();
  if (!cycle.empty()) {
    const int rank = result.rank_of(cycle.front());
    return fmt::format("a cycle of {} operations wait for each other, among them {}", cycle.size(),
                       place(schedule, rank, cycle.front() - result.offsets[rank]));
  }
  result.order = dag.topological_order();
  for (std::size_t program = 0; program < schedule.programs.size(); ++program)
    if (const auto loop = schedule.programs[program].dag.find_cycle(); !loop.empty()) // no rank runs it
      return fmt::format("a cycle of {} operations wait for each other, among them {}", loop.size(),
                         place_in_program(schedule, program, loop.front()));
  return {};
}

} // namespace tandem::collective
