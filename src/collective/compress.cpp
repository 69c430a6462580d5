// Who needs which encoding, then the programs anew; docs/models.md, "Compression".
#include "collective/compress.h"

#include "base/error.h"
#include "collective/message_pairs.h"
#include "collective/messages.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <set>

namespace tandem::collective {

using model::Access;
using model::Buffer;
using model::Op;
using model::OpId;
using model::OpKind;
using model::Schedule;
using model::Span;

namespace {

constexpr std::size_t BUFFERS = 4;

/// Where data that is read comes from, if from one place of memory.
std::optional<Buffer> only_source(model::Sources sources) {
  switch (sources) {
  case model::FROM_LOCAL:
    return Buffer::LOCAL;
  case model::FROM_STAGING:
    return Buffer::STAGING;
  case model::FROM_RESULT:
    return Buffer::RESULT;
  case model::FROM_SCRATCH:
    return Buffer::SCRATCH;
  default:
    return std::nullopt;
  }
}

/// Reads the data of a run of pieces and makes their compressed copy, for the transfer that needs it first.
struct Encoding {
  std::uint32_t transfer;
  Span run;
};

/// Where the compressed copy of a transfer's pieces is.
struct Supply {
  std::vector<std::size_t> own;     ///< encodings made for it
  std::set<std::size_t> encodings;  ///< all that it needs
  std::set<std::uint32_t> arrivals; ///< receives that brought copies which it sends on
};

/// What is true of all programs.
struct Task {
  const Schedule& schedule;
  const Codec& codec;
  const model::Device& device;
  const MessagePairs& pairs;
  const model::SpanBytes& bytes;
  std::uint16_t encode_label, decode_label;

  [[nodiscard]] const Op& op(ProgramOp which) const { return schedule.programs[which.program].ops[which.op]; }
  [[nodiscard]] bool compresses(ProgramOp which) const {
    const auto& described = op(which);
    if (described.kind == OpKind::RECV)
      return compresses(pairs.sender(which));
    const double largest = pairs.largest(which);
    return described.kind == OpKind::TRANSFER && described.effect.sources != 0 && largest > 0.0 &&
           largest >= codec.threshold.value();
  }
  /// Largest of all ranks that run the program.
  [[nodiscard]] double largest(std::uint32_t program, Span span) const {
    double most = 0.0;
    for (int rank = 0; rank < schedule.ranks; ++rank)
      if (&schedule.program(rank) == &schedule.programs[program])
        most = std::max(most, bytes(rank, span));
    return most;
  }
};

/// First pass over a program: follows the compressed copies, piece by piece.
class CopyTracker {
public:
  CopyTracker(const Task& task, std::uint32_t program)
      : task_(task), program_(program), described_(task.schedule.programs[program]), supplies(described_.ops.size()) {
    for (auto& buffer : copies_)
      buffer.resize(task.schedule.pieces());
    copies_[static_cast<std::size_t>(Buffer::SCRATCH)].resize(task.schedule.scratch);
    for (const auto op : order())
      follow(op);
  }

private:
  /// Of one piece in one buffer: nowhere, from an encoding, from a receive.
  struct Copy {
    enum class From : std::uint8_t { NOWHERE, ENCODING, ARRIVAL } from = From::NOWHERE;
    std::uint32_t index = 0;
  };

  /// As the operations stand, where that is an order that dependencies allow; it is the one that strategies think in.
  [[nodiscard]] std::vector<std::uint32_t> order() const {
    const auto& dag = described_.dag;
    for (std::uint32_t op = 0; op < dag.size(); ++op)
      for (const auto successor : dag.successors(op))
        if (successor <= op)
          return dag.topological_order();
    std::vector<std::uint32_t> list(dag.size());
    std::iota(list.begin(), list.end(), 0U);
    return list;
  }
  /// Places of SCRATCH are numbered from 0, others from the rank's own and modulo their number.
  Copy& copy(Buffer buffer, std::uint32_t place) {
    return copies_[static_cast<std::size_t>(buffer)]
                  [buffer == Buffer::SCRATCH ? place : place % task_.schedule.pieces()];
  }
  /// The i-th of those from `first` on that lie as the pieces of the span do.
  static std::uint32_t place(Buffer buffer, std::uint32_t first, const Span& span, std::uint32_t i) {
    return first + (buffer == Buffer::SCRATCH ? i : span.offset(i));
  }
  static std::uint32_t read_at(const model::Effect& effect) { return effect.from.value_or(effect.span.first); }
  static std::uint32_t written_at(const model::Effect& effect) { return effect.to.value_or(effect.span.first); }

  void follow(std::uint32_t op) {
    const ProgramOp here{program_, op};
    const Op& described = described_.ops[op];
    const auto& effect = described.effect;
    if (described.kind == OpKind::TRANSFER) {
      if (task_.compresses(here))
        supply(op, described);
    } else if (described.kind == OpKind::RECV) {
      receive(here, described);
    } else if (effect.sources != 0) {
      const auto source = only_source(effect.sources);
      for (std::uint32_t i = 0; i < effect.span.count; ++i) { // the same data at another place
        Copy found;
        if (source && !effect.update)
          found = copy(*source, place(*source, read_at(effect), effect.span, i));
        copy(effect.target, place(effect.target, written_at(effect), effect.span, i)) = found;
      }
    }
  }

  /// What the transfer puts here, whose places are counted from the sender: the same piece has another number here.
  void receive(ProgramOp here, const Op& described) {
    const auto& effect = task_.op(task_.pairs.sender(here)).effect;
    if (effect.sources == 0)
      return;
    const auto pieces = task_.schedule.pieces();
    const auto moved = effect.target == Buffer::SCRATCH
                           ? written_at(effect)
                           : (written_at(effect) + described.effect.span.first + pieces - effect.span.first) % pieces;
    store(effect.target, moved, described.effect.span,
          task_.compresses(here) && !effect.update ? Copy{Copy::From::ARRIVAL, here.op} : Copy{});
  }

  void store(Buffer buffer, std::uint32_t first, const Span& span, Copy from) {
    for (std::uint32_t i = 0; i < span.count; ++i)
      copy(buffer, place(buffer, first, span, i)) = from;
  }

  void supply(std::uint32_t op, const Op& transfer) {
    auto& needs = supplies[op];
    const auto source = only_source(transfer.effect.sources);
    const auto span = transfer.effect.span;
    if (!source) { // a sum, which lies nowhere
      encode(op, span);
      return;
    }
    const auto at = [&](std::uint32_t i) { return place(*source, read_at(transfer.effect), span, i); };
    for (std::uint32_t i = 0; i < span.count;) {
      const auto& have = copy(*source, at(i));
      std::uint32_t count = 1;
      if (have.from == Copy::From::ARRIVAL) {
        needs.arrivals.insert(have.index);
      } else if (have.from == Copy::From::ENCODING) {
        needs.encodings.insert(have.index);
      } else {
        while (i + count < span.count && copy(*source, at(i + count)).from == Copy::From::NOWHERE)
          ++count;
        auto part = span.part(i, count);
        count = part.count;
        part.first %= task_.schedule.pieces();
        encode(op, part);
        store(*source, at(i), part, {Copy::From::ENCODING, static_cast<std::uint32_t>(encodings.size() - 1)});
      }
      i += count;
    }
  }

  void encode(std::uint32_t op, Span run) {
    supplies[op].own.push_back(encodings.size());
    supplies[op].encodings.insert(encodings.size());
    encodings.push_back({op, run});
  }

  const Task& task_;
  std::uint32_t program_;
  const model::Program& described_;
  std::array<std::vector<Copy>, BUFFERS> copies_;

public:
  std::vector<Encoding> encodings;
  std::vector<Supply> supplies; ///< per operation
};

/// Second pass: the operations with those of the codec beside them, and who waits for whom.
class ProgramWriter {
public:
  ProgramWriter(const Task& task, std::uint32_t program, const CopyTracker& tracked)
      : task_(task), program_(program), described_(task.schedule.programs[program]), tracked_(tracked),
        encoded_(tracked.encodings.size()) {}

  model::Program write() {
    for (std::uint32_t op = 0; op < described_.ops.size(); ++op)
      add(op);
    for (std::uint32_t op = 0; op < described_.ops.size(); ++op) {
      for (const auto encoding : tracked_.supplies[op].encodings)
        builder_.depend(moved_[op], encoded_[encoding]);
      for (const auto successor : described_.dag.successors(op))
        link(op, successor);
    }
    return builder_.build();
  }

private:
  void add(std::uint32_t op) {
    auto described = described_.ops[op];
    decoded_.emplace_back();
    const bool compressed =
        (described.kind == OpKind::TRANSFER || described.kind == OpKind::RECV) && task_.compresses({program_, op});
    if (compressed && described.kind == OpKind::TRANSFER) {
      for (const auto encoding : tracked_.supplies[op].own)
        encoded_[encoding] = builder_.add(encode_op(tracked_.encodings[encoding]));
      shrink(described);
    }
    if (!compressed || described.kind == OpKind::TRANSFER) {
      moved_.push_back(builder_.add(std::move(described)));
      return;
    }
    auto decode = decode_op(op);
    std::swap(decode.releases, described.releases); // what holds the message does so until it is decoded
    moved_.push_back(builder_.add(std::move(described)));
    decoded_.back() = builder_.add(std::move(decode), {moved_.back()});
  }

  /// What waited for an operation waits for all that has come of it. A copy that is sent on as it came in is not waited
  /// for to be decoded; what comes after the sending is.
  void link(std::uint32_t from, std::uint32_t to) {
    const auto& needs = tracked_.supplies[to];
    wait(to, needs.arrivals.contains(from) ? moved_[from] : done(from));
    for (const auto arrival : tracked_.supplies[from].arrivals)
      wait(to, done(arrival));
  }
  void wait(std::uint32_t op, OpId on) {
    builder_.depend(moved_[op], on);
    for (const auto encoding : tracked_.supplies[op].own)
      builder_.depend(encoded_[encoding], on);
  }
  [[nodiscard]] OpId done(std::uint32_t op) const { return decoded_[op].value_or(moved_[op]); }

  /// Only compressed bytes move; with a copy in memory, only that is read and written.
  void shrink(Op& transfer) const {
    transfer.wire_factor /= task_.codec.ratio;
    if (!task_.codec.through_memory)
      return;
    if (transfer.sm_bytes_per_span > 0.0)
      transfer.sm_bytes_per_span = COPY / task_.codec.ratio;
    for (auto* traffic : {&transfer.traffic, &transfer.peer_traffic})
      for (auto& part : *traffic)
        part.per_span = 0.0; // the codec's from now on
    transfer.traffic.push_back({transfer.phase, Access::READ, 1.0 / task_.codec.ratio, {}});
    transfer.peer_traffic.push_back({transfer.phase, Access::WRITE, 1.0 / task_.codec.ratio, {}});
  }

  [[nodiscard]] Op encode_op(const Encoding& encoding) const {
    const auto& transfer = described_.ops[encoding.transfer];
    auto op = codec_op(transfer, transfer.sms, task_.encode_label, encoding.run, task_.codec.encode);
    if (!task_.codec.through_memory)
      return op;
    take_over(transfer.traffic, op);
    op.traffic.push_back({op.phase, Access::WRITE, 1.0 / task_.codec.ratio, {}});
    if (op.sms > 0) // the sum on the way
      op.sm_bytes_per_span += std::max(0.0, transfer.sm_bytes_per_span - COPY);
    return op;
  }

  [[nodiscard]] Op decode_op(std::uint32_t receive) const {
    const auto& described = described_.ops[receive];
    const auto& transfer = task_.op(task_.pairs.sender({program_, receive}));
    auto op = codec_op(described, transfer.sms, task_.decode_label, described.effect.span, task_.codec.decode);
    if (!task_.codec.through_memory)
      return op;
    op.traffic.push_back({op.phase, Access::READ, 1.0 / task_.codec.ratio, {}});
    take_over(transfer.peer_traffic, op);
    return op;
  }

  static void take_over(const std::vector<model::Traffic>& traffic, Op& op) {
    for (const auto& part : traffic)
      if (part.per_span > 0.0)
        op.traffic.push_back({part.account, part.access, part.per_span, {}});
  }

  /// The codec's own time on `span`, beside `message`, which `mover_sms` move.
  [[nodiscard]] Op codec_op(const Op& message, std::uint16_t mover_sms, std::uint16_t label, Span span,
                            model::BytesPerSecond rate) const {
    const auto& [codec, device] = std::tie(task_.codec, task_.device);
    const bool timed = rate.value() > 0.0;
    Op op{.phase = message.phase, .stream = message.stream, .label = label, .sms = mover_sms, .effect = {.span = span}};
    if (codec.place == CodecPlace::BESIDE) {
      if (timed)
        op.delay = model::Bytes(task_.largest(program_, span)) / rate;
      return op;
    }
    const int all = codec.sms == 0 ? device.sms : std::min(codec.sms, device.sms);
    if (codec.place == CodecPlace::KERNEL || mover_sms == 0)
      op.sms = static_cast<std::uint16_t>(all);
    if (codec.place == CodecPlace::KERNEL)
      op.delay = device.kernel_launch;
    if (timed)
      op.sm_bytes_per_span = device.sms * (device.sm_copy_bandwidth / rate);
    return op;
  }

  const Task& task_;
  std::uint32_t program_;
  const model::Program& described_;
  const CopyTracker& tracked_;
  model::ProgramBuilder builder_;
  std::vector<OpId> moved_;                  ///< per operation, itself
  std::vector<std::optional<OpId>> decoded_; ///< per operation, of a receive
  std::vector<OpId> encoded_;                ///< per encoding
};

std::uint16_t label_of(Schedule& schedule, const std::string& text) {
  const auto known = std::find(schedule.labels.begin(), schedule.labels.end(), text);
  const auto index = known - schedule.labels.begin();
  if (known == schedule.labels.end())
    schedule.labels.push_back(text);
  return static_cast<std::uint16_t>(index);
}

} // namespace

std::string why_not_compressed(const Schedule& schedule) {
  for (const auto& program : schedule.programs)
    for (const auto& op : program.ops)
      if (op.kind == OpKind::TRANSFER && (op.effect.sources & model::FRESH) != 0)
        return "a kernel stores straight into a peer's memory, where nothing can be compressed on the way";
  if (schedule.adds_in_switch)
    return "a switch adds or copies on the way, which knows no codec";
  if (!MessagePairs(schedule).uniform())
    return "ranks that share a program receive different messages at one place of it";
  return {};
}

Schedule compressed(const Schedule& schedule, const Codec& codec, const model::Device& device) {
  Schedule result = schedule;
  const MessagePairs pairs(schedule);
  const model::SpanBytes bytes(schedule);
  const Task task{schedule, codec, device, pairs, bytes, label_of(result, "encode"), label_of(result, "decode")};
  result.programs.clear();
  for (std::uint32_t program = 0; program < schedule.programs.size(); ++program) {
    const CopyTracker tracked(task, program);
    result.programs.push_back(ProgramWriter(task, program, tracked).write());
  }
  return result;
}

} // namespace tandem::collective
