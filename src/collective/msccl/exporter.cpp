// Operations become steps, in an order that all ranks can keep: a thread block for each end of a channel, and one for
// what a GPU does alone.
#include "collective/msccl/schedule.h"

#include "base/error.h"
#include "collective/verify_structure.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace tandem::collective::msccl {

using model::CollectiveKind;
using model::Op;
using model::OpKind;
using model::Schedule;

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw base::Infeasible("the schedule does not fit MSCCL's format: " + why);
}

void check_that_it_fits(const Schedule& schedule) {
  if (!schedule.goal || model::has_root(*schedule.goal))
    refuse("the format names no root");
  if (schedule.goal != CollectiveKind::ALL_REDUCE && schedule.goal != CollectiveKind::ALL_GATHER &&
      schedule.goal != CollectiveKind::REDUCE_SCATTER && schedule.goal != CollectiveKind::ALL_TO_ALL)
    refuse("it has no " + model::to_string(*schedule.goal));
  if (schedule.produces)
    refuse("a GEMM makes the data");
  if (schedule.adds_in_switch)
    refuse("a switch adds or copies on the way");
  if (!schedule.resources.empty())
    refuse("it has bounded resources");
  for (const double bytes : schedule.piece_bytes)
    if (bytes != schedule.piece_bytes.front())
      refuse("its pieces differ in size");
}

/// Pieces of one operation that lie side by side in both buffers.
struct Run {
  std::uint32_t source = 0, target = 0, count = 0;
};

class Exporter {
public:
  explicit Exporter(const Schedule& schedule) : schedule_(schedule), ranks_(static_cast<std::size_t>(schedule.ranks)) {
    result_.name = schedule.strategy;
    result_.kind = *schedule.goal;
    result_.chunks = schedule.pieces();
    result_.gpus.resize(ranks_.size());
    GlobalOrder order;
    if (const auto wrong = find_order(schedule, order); !wrong.empty())
      throw base::Bug("a schedule that is exported must be proven: " + wrong);
    for (auto& rank : ranks_)
      rank.result_written.assign(schedule.pieces(), false);
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      ranks_[rank].ends.resize(schedule.program(static_cast<int>(rank)).ops.size());
    for (const auto node : order.order)
      add(order, node);
  }

  Algorithm finish() {
    for (int rank = 0; rank < schedule_.ranks; ++rank)
      copy_results(rank);
    return std::move(result_);
  }

private:
  using End = std::pair<std::uint32_t, std::uint32_t>; // thread block, step
  struct Rank {
    std::map<std::tuple<bool, int, int>, std::uint32_t> blocks; ///< by whether it sends, peer and channel
    std::vector<std::set<End>> ends;                            ///< what it takes for an operation to be done
    std::vector<bool> result_written;                           ///< places of RESULT
  };

  [[nodiscard]] Gpu& gpu(int rank) { return result_.gpus[static_cast<std::size_t>(rank)]; }

  /// The thread block for one end of a channel; peer -1: the one that does not talk.
  std::uint32_t block(int rank, bool sends, int peer, int channel) {
    auto& blocks = gpu(rank).blocks;
    const auto [entry, added] = ranks_[static_cast<std::size_t>(rank)].blocks.try_emplace(
        {sends, peer, channel}, static_cast<std::uint32_t>(blocks.size()));
    if (added) {
      auto& made = blocks.emplace_back();
      made.channel = channel;
      if (peer >= 0)
        (sends ? made.send : made.receive) = peer;
    }
    return entry->second;
  }

  /// Operations without an effect hand on what they wait for.
  void add(const GlobalOrder& order, std::uint32_t node) {
    const int rank = order.rank_of(node);
    const auto op = node - order.offsets[static_cast<std::size_t>(rank)];
    const auto& program = schedule_.program(rank);
    auto& ends = ranks_[static_cast<std::size_t>(rank)].ends;
    const auto& described = program.ops[op];
    if (described.kind == OpKind::RECV) {
      const int from = schedule_.peer(rank, described.peer);
      const auto sender = order.sender[node] - order.offsets[static_cast<std::size_t>(from)];
      ends[op] = {add_receive(rank, from, described, schedule_.program(from).ops[sender].effect, ends[op])};
    } else if (described.kind == OpKind::TRANSFER) {
      ends[op] = {add_send(rank, described, ends[op])};
    } else if (described.effect.sources != 0 && described.effect.span.count > 0) {
      ends[op] = {add_local(rank, described, ends[op])};
    }
    for (const auto successor : program.dag.successors(op))
      ends[successor].insert(ends[op].begin(), ends[op].end());
  }

  End append(int rank, std::uint32_t which, Step step, std::set<End>& after) {
    auto& steps = gpu(rank).blocks[which].steps;
    std::erase_if(after, [&](const End& end) { return end.first == which; }); // steps of a block follow each other
    while (after.size() > 1) {
      const auto end = *after.begin();
      after.erase(after.begin());
      steps.push_back({.type = StepType::NOP, .after = Dependency{end.first, end.second}});
    }
    if (!after.empty())
      step.after = {after.begin()->first, after.begin()->second};
    after.clear();
    steps.push_back(step);
    return {which, static_cast<std::uint32_t>(steps.size() - 1)};
  }

  [[nodiscard]] Place place(int rank, model::Buffer buffer, std::uint32_t at) {
    const auto own = static_cast<std::uint32_t>(rank) * schedule_.pieces_per_chunk;
    const auto part = [&](std::uint32_t chunks, const char* what) {
      if (chunks == result_.chunks)
        return at;
      if (at < own || at >= own + chunks)
        refuse(fmt::format("rank {} uses its {} for the chunk of another rank", rank, what));
      return at - own;
    };
    switch (buffer) {
    case model::Buffer::LOCAL:
      return {Buffer::INPUT, part(result_.input_chunks(), "input")};
    case model::Buffer::RESULT:
      return {Buffer::OUTPUT, part(result_.output_chunks(), "output")};
    default:
      break;
    }
    const auto first = buffer == model::Buffer::STAGING ? at : schedule_.pieces() + at;
    auto& scratch = gpu(rank).scratch;
    scratch = std::max(scratch,
                       buffer == model::Buffer::STAGING ? schedule_.pieces() : schedule_.pieces() + schedule_.scratch);
    return {Buffer::SCRATCH, first};
  }

  /// Buffers end: a span that goes on at their beginning is two runs, on either side.
  [[nodiscard]] std::vector<Run> runs(int rank, const model::Effect& effect) const {
    const auto first = [&](bool scratch, std::optional<std::uint32_t> at) {
      return scratch ? *at : schedule_.first_piece(rank, {at.value_or(effect.span.first), 1});
    };
    const auto pieces = schedule_.pieces();
    const bool from_scratch = (effect.sources & model::FROM_SCRATCH) != 0;
    const bool to_scratch = effect.target == model::Buffer::SCRATCH;
    const auto source = first(from_scratch, effect.from), target = first(to_scratch, effect.to);
    std::vector<Run> list;
    for (std::uint32_t i = 0; i < effect.span.count; ++i) {
      const auto further = effect.span.offset(i);
      const auto s = from_scratch ? source + i : (source + further) % pieces,
                 t = to_scratch ? target + i : (target + further) % pieces;
      if (!list.empty() && list.back().source + list.back().count == s && list.back().target + list.back().count == t)
        ++list.back().count;
      else
        list.push_back({s, t, 1});
    }
    return list;
  }

  [[nodiscard]] static std::vector<model::Buffer> sources(const model::Effect& effect) {
    if ((effect.sources & model::FRESH) != 0)
      refuse("a kernel makes the data");
    std::vector<model::Buffer> list;
    for (const auto& [bit, buffer] : {std::pair{model::FROM_STAGING, model::Buffer::STAGING},
                                      {model::FROM_SCRATCH, model::Buffer::SCRATCH},
                                      {model::FROM_LOCAL, model::Buffer::LOCAL},
                                      {model::FROM_RESULT, model::Buffer::RESULT}})
      if ((effect.sources & bit) != 0)
        list.push_back(buffer);
    return list;
  }

  void note_result(int rank, const model::Effect& effect, const Run& run) {
    for (std::uint32_t i = 0; i < run.count && effect.target == model::Buffer::RESULT; ++i)
      ranks_[static_cast<std::size_t>(rank)].result_written[run.target + i] = true;
  }

  End add_receive(int rank, int from, const Op& op, const model::Effect& effect, std::set<End> after) {
    const auto which = block(rank, false, from, op.channel);
    End last{};
    for (const auto& run : runs(from, effect)) {
      const auto to = place(rank, effect.target, run.target);
      last = append(
          rank, which,
          {.type = effect.update ? StepType::RRC : StepType::R, .source = to, .target = to, .count = run.count}, after);
      note_result(rank, effect, run);
    }
    return last;
  }

  /// A sum of two is made where the one that came in lies, then sent.
  End add_send(int rank, const Op& op, std::set<End> after) {
    if (op.effect.sources == 0 || op.effect.span.count == 0)
      refuse("a message carries no data");
    const auto which = block(rank, true, schedule_.peer(rank, op.peer), op.channel);
    const auto from = sources(op.effect);
    if (from.size() > 1 && from.front() != model::Buffer::STAGING)
      refuse("a message is the sum of two buffers");
    End last{};
    for (const auto& run : runs(rank, op.effect)) {
      const auto source = place(rank, from.front(), run.source);
      for (std::size_t other = 1; other < from.size(); ++other)
        append(rank, which,
               {.type = StepType::RE,
                .source = place(rank, from[other], run.source),
                .target = source,
                .count = run.count},
               after);
      last = append(rank, which, {.type = StepType::S, .source = source, .target = source, .count = run.count}, after);
    }
    return last;
  }

  End add_local(int rank, const Op& op, std::set<End> after) {
    const auto which = block(rank, false, -1, 0);
    const auto from = sources(op.effect);
    const bool sums_there = op.effect.update || std::find(from.begin(), from.end(), op.effect.target) != from.end();
    End last{};
    for (const auto& run : runs(rank, op.effect)) {
      const auto target = place(rank, op.effect.target, run.target);
      bool holds = sums_there;
      for (const auto source : from) {
        if (source == op.effect.target && !op.effect.update)
          continue;
        last = append(rank, which,
                      {.type = holds ? StepType::RE : StepType::CPY,
                       .source = place(rank, source, run.source),
                       .target = target,
                       .count = run.count},
                      after);
        holds = true;
      }
      note_result(rank, op.effect, run);
    }
    return last;
  }

  /// What is right in LOCAL at the end belongs into the output.
  void copy_results(int rank) {
    std::set<End> all;
    for (std::uint32_t which = 0; which < gpu(rank).blocks.size(); ++which)
      if (const auto& steps = gpu(rank).blocks[which].steps; !steps.empty())
        all.emplace(which, static_cast<std::uint32_t>(steps.size() - 1));
    const auto own = static_cast<std::uint32_t>(rank) * schedule_.pieces_per_chunk;
    for (std::uint32_t at = 0; at < schedule_.pieces() && schedule_.in_place; ++at) {
      const bool wanted =
          schedule_.goal != CollectiveKind::REDUCE_SCATTER || (at >= own && at < own + schedule_.pieces_per_chunk);
      if (!wanted || ranks_[static_cast<std::size_t>(rank)].result_written[at])
        continue;
      const auto which = block(rank, false, -1, 0);
      append(rank, which,
             {.type = StepType::CPY,
              .source = place(rank, model::Buffer::LOCAL, at),
              .target = place(rank, model::Buffer::RESULT, at)},
             all);
    }
  }

  const Schedule& schedule_;
  Algorithm result_;
  std::vector<Rank> ranks_;
};

} // namespace

Algorithm from_schedule(const Schedule& schedule) {
  check_that_it_fits(schedule);
  return Exporter(schedule).finish();
}

} // namespace tandem::collective::msccl
