// The actor of one GPU: plays its program of each schedule, operation by operation, as dependencies, channels and slots
// allow.
#pragma once

#include "engine/machine.h"
#include "engine/memory_arbiter.h"
#include "engine/meter.h"
#include "engine/program_index.h"
#include "engine/slots.h"
#include "model/recording.h"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace tandem::engine {

/// A schedule with what all ranks share of it.
struct SharedSchedule {
  explicit SharedSchedule(const model::Schedule& described);
  const model::Schedule& schedule;
  model::SpanBytes bytes;
  std::vector<ProgramIndex> indices; ///< per program
};

class Executor;

/// What the ranks of one simulation share.
struct World {
  const Machine& machine;
  std::vector<SharedSchedule> sequence;
  std::vector<std::unique_ptr<Executor>> ranks;
  std::vector<double> link_bytes;
  bool record_ops = false;
  std::string failure; ///< first error that an actor met
};

class Executor {
public:
  Executor(World& world, int rank, double start_s);

  /// The actor's body.
  void run();
  /// Fills in this rank's part.
  void report(model::Recording& recording) const;
  [[nodiscard]] bool finished() const { return finished_; }
  /// One line for each operation that waits, at most `limit`.
  [[nodiscard]] std::vector<std::string> stuck(std::size_t limit) const;

private:
  static constexpr std::size_t PARTS = 4; ///< memory read, SM work, memory write, half of the way
  /// Rides with a message: the parts of the transfer beside the wire, null once done.
  struct Message {
    std::array<sg4::ActivityPtr, PARTS> parts;
  };
  struct Outgoing {
    int peer = 0;
    sg4::Mailbox* mailbox = nullptr;
    const Path* path = nullptr;
    model::Protocol::Hop hop{};
    std::size_t next = 0; ///< position in the channel's order
    bool busy = false;
    std::array<Message*, 2> messages{}; ///< used in turn: the receiver reads one while the next is under way
  };
  struct Incoming {
    int peer = 0;
    sg4::Mailbox* mailbox = nullptr;
    double latency_s = 0.0;
    std::size_t next = 0;
    bool posted = false;
    Message* message = nullptr; ///< where SimGrid puts the payload
  };
  enum class Waits : std::uint8_t { OP_DELAY, OP_PART, MESSAGE, ARRIVAL_PART, LATENCY, NOTHING };
  /// What the end of an activity in flight means. `index` is an operation or an incoming channel.
  struct InFlight {
    Waits waits;
    std::uint32_t index;
    sg4::ActivityPtr* slot; ///< cleared at the end; may be null
    MemoryArbiter* arbiter; ///< told at the end; may be null
  };
  enum class State : std::uint8_t { WAITING, QUEUED, RUNNING, DONE };
  /// All that changes about an operation, in one place: with many ranks the cache holds little of it.
  struct OpState {
    double began_s = 0.0;      ///< or since when it waits to begin
    std::uint32_t waiting = 0; ///< predecessors that have not ended
    std::uint8_t parts = 0;    ///< activities that have not ended
    State state = State::WAITING;
  };

  void begin_schedule(SharedSchedule& shared);
  void play_schedule();
  void wait_for_event();
  void ended(std::size_t flight);
  void ready(std::uint32_t op);
  void launch(std::uint32_t op);
  void begin(std::uint32_t op);
  void begin_work(std::uint32_t op);
  void begin_transfers(std::uint32_t channel);
  void begin_transfer(std::uint32_t op, Outgoing& channel);
  void begin_wire(const model::Op& op, Outgoing& channel, Message& message, double sent, const InFlight& part);
  void post_receive(std::uint32_t channel);
  void arrived(std::uint32_t channel);
  void part_done(std::uint32_t op);
  void complete(std::uint32_t op);
  void grant_slots(std::size_t resource);
  void spill(std::size_t resource);
  void note_kernel_traffic(double amount);
  void choose_threshold();
  sg4::ExecPtr memory_access(int at, double amount, model::Stream stream, InFlight flight, double pace_s = 0.0);
  [[nodiscard]] model::Protocol::Hop hop_over(const Path& path) const;
  [[nodiscard]] double sm_seconds(const model::Op& op, double span_bytes) const;
  sg4::ExecPtr sm_work(const model::Op& op, double span_bytes, InFlight flight);
  void delay(double seconds, const InFlight& flight);
  double book(int at, const std::vector<model::Traffic>& traffic, double span_bytes);
  void track(sg4::ActivityPtr activity, const InFlight& flight);
  [[nodiscard]] double span_bytes(const model::Op& op) const { return shared_->bytes(rank_, op.effect.span); }

  World& world_;
  int rank_;
  double start_s_;
  bool finished_ = false;

  // the schedule being played
  SharedSchedule* shared_ = nullptr;
  const model::Schedule* schedule_ = nullptr;
  const model::Program* program_ = nullptr;
  const ProgramIndex* index_ = nullptr;
  std::uint32_t item_ = 0;
  std::size_t remaining_ = 0;
  std::vector<OpState> states_;
  std::vector<std::uint32_t> ready_;
  std::vector<Outgoing> outgoing_;
  std::deque<Message> messages_;   ///< of all schedules: a receiver may read its last one after this rank has gone on
  std::vector<Incoming> incoming_; ///< of fixed size: SimGrid writes into it
  std::vector<Slots> slots_;
  double kernel_traffic_s_ = 0.0; ///< time that the HBM alone would need for the compute stream's traffic so far ...
  double kernel_began_s_ = 0.0;   ///< ... which began at this time

  std::vector<sg4::ActivityPtr> flights_;
  std::vector<InFlight> meanings_;

  // what is recorded
  MemoryArbiter arbiter_;
  Meter meter_;
  model::DramBytes dram_;
  std::vector<model::RankItem> items_;
  std::vector<model::OpRecord> records_;
  std::vector<model::ResourceUse> resources_;
  double message_bytes_ = 0.0, wire_bytes_ = 0.0, wire_hop_bytes_ = 0.0;
  double intensity_ = 0.0;
  std::uint64_t activities_ = 0;
};

} // namespace tandem::engine
