// A schedule: what every rank of a group computes and sends, as plain data. Strategies make schedules, verify proves
// them, the engine plays them.
//
// A payload is cut into ranks x pieces_per_chunk pieces; chunk c is the pieces [c * pieces_per_chunk, (c+1) *
// pieces_per_chunk) and belongs to rank c. Programs are relative: a Span and a peer are offsets from the rank that runs
// the operation, so that all ranks share one program.
#pragma once

#include "model/collective_op.h"
#include "model/dag.h"
#include "model/device.h"
#include "model/ids.h"
#include "model/library.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace tandem::model {

/// Where the data of a rank lies. LOCAL: its own contribution, or the output of the kernel that makes it, or
/// near-memory sums on top of that; STAGING: partial sums that came in; RESULT: what an all-gather spreads. These have
/// a place for every piece. SCRATCH has Schedule::scratch places, numbered from 0 on every rank.
enum class Buffer : std::uint8_t { LOCAL, STAGING, RESULT, SCRATCH };

/// Set of buffers that an operation reads: a mask of these. FRESH is the rank's own contribution as a kernel makes it.
using Sources = std::uint8_t;
constexpr Sources FROM_LOCAL = 1, FROM_STAGING = 2, FROM_RESULT = 4, FRESH = 8, FROM_SCRATCH = 16;

/// Pieces [(rank * pieces_per_chunk + first + offset(i)) mod pieces], i = 0 .. count-1: in a row, or in runs of `run`
/// pieces that begin `stride` apart, as the chunks of every node's k-th rank do. No piece comes twice.
struct Span {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t run = 0;    ///< divides `count`; 0: all in a row
  std::uint32_t stride = 0; ///< at least `run`; 0 where all are in a row

  [[nodiscard]] constexpr std::uint32_t offset(std::uint32_t i) const {
    return run == 0 ? i : i / run * stride + i % run;
  }
  /// From the first piece to behind the last one.
  [[nodiscard]] constexpr std::uint64_t extent() const {
    return run == 0 ? count : std::uint64_t{count / run - 1} * stride + run;
  }
  /// Pieces from the i-th on, as many as `most` that are a span of their own: whole runs, or what is left of one.
  [[nodiscard]] constexpr Span part(std::uint32_t i, std::uint32_t most) const {
    if (run == 0)
      return {first + i, most};
    if (i % run != 0 || most <= run)
      return {first + offset(i), std::min(most, run - i % run)};
    return {first + offset(i), most / run * run, most < 2 * run ? 0 : run, most < 2 * run ? 0 : stride};
  }
  [[nodiscard]] constexpr bool same_shape(const Span& other) const {
    return count == other.count && run == other.run && stride == other.stride;
  }
};

/// What an operation does to data: the sum of `sources` is stored to, or added to (`update`), `target` for each piece
/// of the span. For a TRANSFER the target lies on the peer, and a place is counted from the sender all the same.
struct Effect {
  Sources sources = 0; ///< 0: touches no data
  Buffer target = Buffer::LOCAL;
  bool update = false;
  Span span{}; ///< as many pieces, of these sizes
  /// First place that is read, the others as far from it as pieces of the span are; empty: the span's own.
  /// FROM_SCRATCH, alone, has one, and its places are in a row.
  std::optional<std::uint32_t> from{};
  std::optional<std::uint32_t> to{}; ///< first place that is written, likewise; empty: the span's own. SCRATCH has one
};

/// Whose account DRAM traffic goes to, and the phase in the results.
enum class Phase : std::uint8_t { GEMM, RS, AG, OTHER };
constexpr int PHASES = 4;

enum class Access : std::uint8_t { READ, WRITE, UPDATE };

/// DRAM traffic of one operation: `fixed` bytes plus `per_span` times the bytes of its span.
struct Traffic {
  Phase account = Phase::OTHER;
  Access access = Access::READ;
  double per_span = 0.0;
  Bytes fixed{};
};

/// WORK: SM work and DRAM traffic side by side, done when both are. TRANSFER: bytes of the span to a peer. RECV: done
/// when the matching transfer has arrived. TRIGGER: done when all it waits for is done; it holds a tracker entry from
/// the first event on.
enum class OpKind : std::uint8_t { WORK, TRANSFER, RECV, TRIGGER };

/// Which of the two memory streams an operation's traffic queues in.
enum class Stream : std::uint8_t { COMPUTE, COMMUNICATION };

/// How far the bytes of a TRANSFER go, where the switch in the middle of its route adds or copies: a sum leaves the
/// switch once, a copy reaches it once.
enum class Leg : std::uint8_t { WHOLE, TO_SWITCH, FROM_SWITCH };

struct Op {
  OpKind kind = OpKind::WORK;
  Leg leg = Leg::WHOLE;
  Phase phase = Phase::OTHER;
  Stream stream = Stream::COMPUTE;
  bool first_stage_end =
      false; ///< when done, compute-first arbitration reads the kernel's memory intensity and sets its threshold
  std::uint16_t label = 0;    ///< index into Schedule::labels
  std::uint16_t channel = 0;  ///< TRANSFER, RECV: transfers of a channel to one peer go in program order, one at a time
  std::int32_t peer = 0;      ///< TRANSFER: to rank + peer; RECV: from rank + peer (mod ranks)
  std::uint16_t sms = 0;      ///< SMs that it may use at most; 0: no SM work
  std::int16_t acquires = -1; ///< takes a slot of this resource before it starts ...
  std::int16_t releases = -1; ///< ... and gives one back when done; the two may be on different operations
  std::uint32_t repeats = 1;  ///< stands for this many operations in a row: so often its span, and latency of a RECV
  Seconds delay{};            ///< paid before anything else, e.g. kernel launch
  std::optional<Seconds> latency{}; ///< RECV: of a message, in place of its route's
  Seconds pace{};                   ///< WORK: takes this long at least, its work and traffic spread evenly over it
  double sm_seconds = 0.0;          ///< SM-seconds of work: fixed part
  double wire_factor = 1.0; ///< TRANSFER: bytes on the wire per byte of the span; 0: in a sum that another one carries
  double sm_bytes_per_span = 0.0;      ///< bytes that SMs move per byte of the span (a copy loads and stores: 2)
  std::vector<Traffic> traffic{};      ///< at this rank
  std::vector<Traffic> peer_traffic{}; ///< TRANSFER: at the peer
  Effect effect{};
};

/// What happens to an operation that finds a bounded resource full.
enum class WhenFull : std::uint8_t {
  BLOCK, ///< waits; slots are granted and given back in program order, like a ring buffer
  SPILL, ///< goes on, and pays `spill_bytes` of DRAM reads and writes
};

/// Bounded resource of each rank: tracker entries, DMA queues, landing buffers.
struct Resource {
  std::string name;
  int capacity = 1;
  WhenFull when_full = WhenFull::BLOCK;
  Bytes spill_bytes{};
};

/// How HBM is shared between the two streams of a rank.
enum class Arbitration : std::uint8_t {
  FAIR,          ///< every access alike
  SHARED_QUEUE,  ///< T3: communication holds the queue as its bursts fill it
  COMPUTE_FIRST, ///< T3-MCA: communication limited by the queue threshold while compute waits
};

/// The operations of one rank. Operation i may depend on any other; `dag` has an edge from each operation to those that
/// wait for it.
struct Program {
  std::vector<Op> ops;
  Dag dag;
};

/// Of an ALL_TO_ALL_V, chunk d has a piece from each rank: piece k comes from rank d + k.
struct Schedule {
  std::string strategy;
  std::string algorithm; ///< that the strategy chose; empty: the strategy is the algorithm
  std::string choice;    ///< what it chose from, with the times that it expected, best first
  int ranks = 1;
  std::uint32_t pieces_per_chunk = 1;
  std::uint32_t scratch = 0;       ///< places of SCRATCH
  std::vector<double> piece_bytes; ///< ranks * pieces_per_chunk entries, whole bytes
  std::vector<Program> programs;
  std::vector<std::uint32_t> program_of; ///< per rank, index into programs; empty: all run programs[0]
  std::vector<std::string> labels;
  std::vector<Resource> resources;
  std::optional<int> tracker; ///< index of the resource that TRIGGERs hold, if bounded
  Arbitration arbitration = Arbitration::FAIR;
  std::optional<Protocol> protocol;   ///< that its transfers follow, rates per transfer; none: the links alone limit
  std::optional<CollectiveKind> goal; ///< what verify must find at the end; empty: computes only
  int root = 0;                       ///< of a goal that has one
  bool in_place = true;  ///< what LOCAL holds at the end counts where RESULT holds nothing; else only RESULT counts
  bool produces = false; ///< LOCAL starts empty and a kernel fills it; else LOCAL starts as the rank's contribution
  bool adds_in_switch = false; ///< a switch adds or copies some of its messages on their way
  Seconds issue{};             ///< of the host's time, on each rank; only jobs that a host issues ask for it
  Seconds issue_lead{};        ///< begun so long after the host began to issue it, nothing of it waits for the host
  /// A bound that no machine can run but comparisons need: its time is max(GEMM, RS) + the rest, phases measured in
  /// isolation.
  bool ideal = false;

  [[nodiscard]] const Program& program(int rank) const {
    return programs[program_of.empty() ? 0 : program_of[static_cast<std::size_t>(rank)]];
  }
  [[nodiscard]] std::uint32_t pieces() const { return static_cast<std::uint32_t>(ranks) * pieces_per_chunk; }
  [[nodiscard]] int peer(int rank, std::int32_t offset) const {
    return static_cast<int>(((std::int64_t{rank} + offset) % ranks + ranks) % ranks);
  }
  /// Absolute index of the first piece of a span as `rank` sees it.
  [[nodiscard]] std::uint32_t first_piece(int rank, Span span) const {
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(rank) * pieces_per_chunk + span.first) % pieces());
  }
};

/// Sums of piece bytes over spans in constant time.
class SpanBytes {
public:
  explicit SpanBytes(const Schedule& schedule);
  [[nodiscard]] double operator()(int rank, Span span) const;

private:
  const Schedule& schedule_;
  std::optional<double> all_alike_; ///< bytes of each piece
  std::vector<double> prefix_;      ///< where they differ
};

/// Collects operations and dependencies into a Program.
class ProgramBuilder {
public:
  /// The new operation waits for each of `after`.
  OpId add(Op op, std::initializer_list<OpId> after = {});
  OpId add(Op op, const std::vector<OpId>& after);
  void depend(OpId op, OpId on);
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(ops_.size()); }
  [[nodiscard]] Op& op(OpId id) { return ops_[id.index]; }
  Program build();

private:
  std::vector<Op> ops_;
  std::vector<Dag::Edge> edges_;
};

} // namespace tandem::model
