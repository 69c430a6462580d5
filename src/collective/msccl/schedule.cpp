// Steps become operations: what comes in lies in a slot of its connection until its step takes it from there.
#include "collective/msccl/schedule.h"

#include "collective/messages.h"

#include <fmt/format.h>
#include <map>
#include <numeric>
#include <tuple>

namespace tandem::collective::msccl {

using model::Access;
using model::CollectiveKind;
using model::Phase;

namespace {

/// Where a receiving thread block's slots begin, in chunks of scratch.
struct Slots {
  std::uint32_t first = 0, count = 0, chunks = 1; ///< chunks of each
  std::vector<const Step*> receives{};
  [[nodiscard]] std::uint32_t place(std::uint32_t message) const { return first + message % count * chunks; }
};

/// Chunks are cut in as many pieces as the ranks ask for, the first of which is all of it.
std::uint32_t pieces_per_piece_of_file(const Algorithm& algorithm) {
  const auto ranks = static_cast<std::uint32_t>(algorithm.gpus.size());
  return ranks / std::gcd(algorithm.chunks, ranks);
}

std::vector<double> piece_bytes(const Algorithm& algorithm, const Request& request) {
  const auto cut = pieces_per_piece_of_file(algorithm);
  std::vector<double> pieces(std::size_t{algorithm.chunks} * cut, 0.0);
  for (std::size_t chunk = 0; chunk < algorithm.chunks; ++chunk)
    pieces[chunk * cut] = request.op.bytes.value() / algorithm.chunks;
  return pieces;
}

class Builder {
public:
  Builder(const Algorithm& algorithm, const Request& request, const model::Cluster& cluster, int sms)
      : algorithm_(algorithm), cut_(pieces_per_piece_of_file(algorithm)),
        composer_(algorithm.name, request, cluster,
                  static_cast<std::uint32_t>(std::size_t{algorithm.chunks} * cut_ / algorithm.gpus.size()),
                  piece_bytes(algorithm, request)),
        sms_(sms) {
    composer_.schedule().in_place = algorithm.in_place;
    for (int rank = 0; rank < algorithm.ranks(); ++rank)
      lay_out_slots(rank);
  }

  model::Schedule build() {
    for (rank_ = 0; rank_ < algorithm_.ranks(); ++rank_)
      add_gpu(gpu());
    return composer_.finish(algorithm_.kind);
  }

private:
  using Key = std::tuple<int, int, int>; // from, to, channel

  /// An end of a step's operations, and what it waits for on other thread blocks.
  struct Placed {
    OpId first, last;
  };
  struct Progress {
    std::vector<std::uint16_t> labels; ///< of the steps
    std::uint32_t sent = 0;
    std::vector<OpId> arrivals, taken; ///< of each message that is received
  };

  [[nodiscard]] const Gpu& gpu() const { return algorithm_.gpus[static_cast<std::size_t>(rank_)]; }

  void lay_out_slots(int rank) {
    const auto& gpu = algorithm_.gpus[static_cast<std::size_t>(rank)];
    auto next = gpu.scratch;
    for (const auto& block : gpu.blocks) {
      Slots slots{.first = next};
      for (const auto& step : block.steps)
        if (receives(step.type)) {
          slots.receives.push_back(&step);
          slots.count = std::min(slots.count + 1, CONNECTION_SLOTS);
          slots.chunks = std::max(slots.chunks, step.count);
        }
      next += slots.count * slots.chunks;
      if (slots.count > 0)
        slots_[{*block.receive, rank, block.channel}] = slots;
    }
    auto& scratch = composer_.schedule().scratch;
    scratch = std::max(scratch, next * cut_);
  }

  void add_gpu(const Gpu& described) {
    begin_ = composer_.launch("launch", algorithm_.kind == CollectiveKind::ALL_GATHER ? Phase::AG : Phase::OTHER, {});
    std::vector<std::vector<Placed>> placed;
    for (const auto& block : described.blocks) {
      Progress progress;
      OpId last = begin_;
      auto& steps = placed.emplace_back();
      for (const auto& step : block.steps)
        progress.labels.push_back(new_label(step));
      post_receives(block, progress);
      std::uint32_t received = 0;
      for (const auto& step : block.steps) {
        label_ = progress.labels[steps.size()];
        std::vector<OpId> after{last};
        if (receives(step.type))
          after.push_back(progress.arrivals[received]);
        steps.push_back(add_step(block, step, after, progress, received));
        last = steps.back().last;
        if (receives(step.type)) {
          progress.taken.push_back(last);
          if (received + CONNECTION_SLOTS < progress.arrivals.size()) // its slot is free again
            composer_.depend(progress.arrivals[received + CONNECTION_SLOTS], last);
          ++received;
        }
      }
    }
    for (std::size_t block = 0; block < described.blocks.size(); ++block)
      for (std::size_t step = 0; step < described.blocks[block].steps.size(); ++step)
        if (const auto& on = described.blocks[block].steps[step].after)
          composer_.depend(placed[block][step].first, placed[on->block][on->step].last);
    composer_.end_program();
  }

  /// A label of its own, so that a message of verify() names the line.
  std::uint16_t new_label(const Step& step) {
    auto& labels = composer_.schedule().labels;
    labels.push_back(step.line > 0 ? fmt::format("{}, line {}", to_string(step.type), step.line)
                                   : fmt::format("{} {}", to_string(step.type), labels.size()));
    return static_cast<std::uint16_t>(labels.size() - 1);
  }

  [[nodiscard]] Phase phase_of(const Step& step) const {
    if (reduces(step.type))
      return Phase::RS;
    return algorithm_.kind == CollectiveKind::ALL_TO_ALL ? Phase::OTHER : Phase::AG;
  }

  [[nodiscard]] Span all_of(const Step& step) const { return composer_.pieces_at(rank_, 0, step.count * cut_); }

  void post_receives(const Block& block, Progress& progress) {
    for (std::size_t at = 0; at < block.steps.size(); ++at) {
      const auto& step = block.steps[at];
      if (!receives(step.type))
        continue;
      progress.arrivals.push_back(composer_.add({.kind = model::OpKind::RECV,
                                                 .phase = phase_of(step),
                                                 .stream = model::Stream::COMMUNICATION,
                                                 .label = progress.labels[at],
                                                 .channel = static_cast<std::uint16_t>(block.channel),
                                                 .peer = *block.receive - rank_,
                                                 .effect = {.span = all_of(step)}},
                                                {begin_}));
    }
  }

  /// The buffer that a place of the file lies in, and where, as this rank counts.
  struct Spot {
    model::Buffer buffer;
    std::uint32_t first;
    [[nodiscard]] model::Sources source() const {
      return buffer == model::Buffer::LOCAL    ? model::FROM_LOCAL
             : buffer == model::Buffer::RESULT ? model::FROM_RESULT
                                               : model::FROM_SCRATCH;
    }
    bool operator==(const Spot&) const = default;
  };
  [[nodiscard]] Spot spot(const Place& place) const {
    if (place.buffer == Buffer::SCRATCH)
      return {model::Buffer::SCRATCH, place.first * cut_};
    const bool input = place.buffer == Buffer::INPUT;
    const auto chunks = input ? algorithm_.input_chunks() : algorithm_.output_chunks();
    const auto own = chunks < algorithm_.chunks ? static_cast<std::uint32_t>(rank_) * chunks : 0;
    return {input || algorithm_.in_place ? model::Buffer::LOCAL : model::Buffer::RESULT,
            composer_.pieces_at(rank_, (own + place.first) * cut_, 1).first};
  }
  [[nodiscard]] Spot slot(const Block& block, std::uint32_t message) const {
    return {model::Buffer::SCRATCH, slots_.at({*block.receive, rank_, block.channel}).place(message) * cut_};
  }

  [[nodiscard]] model::Effect effect(const Step& step, const Spot& from, const Spot& to, bool update) const {
    return {from.source(), to.buffer, update, all_of(step), from.first, to.first};
  }

  /// Data that changes place; `reads` and `writes` per byte are paid here, by this thread block.
  OpId move(const Step& step, const model::Effect& effect, double reads, double writes,
            const std::vector<OpId>& after) {
    Op op{.phase = phase_of(step), .stream = model::Stream::COMMUNICATION, .label = label_, .effect = effect};
    if (reads > 0.0) {
      op.sms = static_cast<std::uint16_t>(sms_);
      op.sm_bytes_per_span = reads + writes;
      op.traffic = {{op.phase, Access::READ, reads, {}}, {op.phase, Access::WRITE, writes, {}}};
    }
    return composer_.add(std::move(op), after);
  }

  Placed add_step(const Block& block, const Step& step, const std::vector<OpId>& after, Progress& progress,
                  std::uint32_t received) {
    switch (step.type) {
    case StepType::NOP: {
      const OpId only =
          composer_.add({.phase = phase_of(step), .stream = model::Stream::COMMUNICATION, .label = label_}, after);
      return {only, only};
    }
    case StepType::CPY: {
      const OpId only = move(step, effect(step, spot(step.source), spot(step.target), false), 1.0, 1.0, after);
      return {only, only};
    }
    case StepType::RE: {
      const OpId only = move(step, effect(step, spot(step.source), spot(step.target), true), 2.0, 1.0, after);
      return {only, only};
    }
    case StepType::S: {
      const OpId only = pass_on(block, step, spot(step.source), after, progress);
      return {only, only};
    }
    default:
      return take(block, step, after, progress, received);
    }
  }

  /// What a step does with a message that has come in. Its traffic is the transfer's that brought it.
  Placed take(const Block& block, const Step& step, const std::vector<OpId>& after, Progress& progress,
              std::uint32_t received) {
    const auto in = slot(block, received);
    Placed placed{};
    if (step.type == StepType::RRS) {
      placed.first = move(step, effect(step, spot(step.source), in, true), 0.0, 0.0, after);
      placed.last = pass_on(block, step, in, {placed.first}, progress);
      return placed;
    }
    const auto target = spot(step.target);
    if (reduces(step.type) && spot(step.source) != target) {
      placed.first = move(step, effect(step, spot(step.source), target, false), 0.0, 0.0, after);
      placed.last = move(step, effect(step, in, target, true), 0.0, 0.0, {placed.first});
    } else {
      placed.first = placed.last = move(step, effect(step, in, target, reduces(step.type)), 0.0, 0.0, after);
    }
    if (sends(step.type))
      placed.last = pass_on(block, step, target, {placed.last}, progress);
    return placed;
  }

  OpId pass_on(const Block& block, const Step& step, const Spot& from, const std::vector<OpId>& after,
               Progress& progress) {
    const auto& slots = slots_.at({rank_, *block.send, block.channel});
    const auto message = progress.sent++;
    const Spot to{model::Buffer::SCRATCH, slots.place(message) * cut_};
    const auto& taken_by = *slots.receives[message];
    const bool sums = reduces(step.type); // of what came in and the own
    const bool keeps = step.type == StepType::RRCS;
    Op op{.kind = model::OpKind::TRANSFER,
          .phase = sums ? Phase::RS : phase_of(taken_by),
          .stream = model::Stream::COMMUNICATION,
          .label = label_,
          .channel = static_cast<std::uint16_t>(block.channel),
          .peer = *block.send - rank_,
          .sms = static_cast<std::uint16_t>(sms_),
          .sm_bytes_per_span = (sums ? REDUCE_AND_SEND : COPY) + (keeps ? 1.0 : 0.0),
          .effect = effect(step, from, to, false)};
    op.traffic = {{op.phase, Access::READ, sums ? 2.0 : 1.0, {}}};
    if (keeps)
      op.traffic.push_back({op.phase, Access::WRITE, 1.0, {}});
    if (taken_by.type == StepType::RRC)
      op.peer_traffic.push_back({op.phase, Access::READ, 1.0, {}});
    op.peer_traffic.push_back({op.phase, Access::WRITE, 1.0, {}});
    return composer_.add(std::move(op), after);
  }

  const Algorithm& algorithm_;
  std::uint32_t cut_;
  Composer composer_;
  int sms_;
  std::map<Key, Slots> slots_;
  int rank_ = 0;
  OpId begin_{};
  std::uint16_t label_ = 0;
};

} // namespace

model::Schedule to_schedule(const Algorithm& algorithm, const Request& request, const model::Cluster& cluster,
                            int sms) {
  return Builder(algorithm, request, cluster, sms).build();
}

} // namespace tandem::collective::msccl
