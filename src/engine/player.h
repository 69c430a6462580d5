// Plays one rank's part of one schedule, operation by operation, as dependencies, channels and slots allow.
#pragma once

#include "engine/flight.h"
#include "engine/meter.h"
#include "engine/ports.h"
#include "engine/program_index.h"
#include "engine/slots.h"
#include "model/job.h"
#include "model/recording.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tandem::engine {

class Executor;
struct SharedSchedule;

/// Made once and used for many tasks, one after the other.
class Player {
public:
  explicit Player(Executor& executor) : executor_(executor) {}

  /// The rank is `position` of `members` (ranks of the job), who talk on the channels of `lane`.
  void begin(std::uint32_t task, const model::Task& described, const SharedSchedule& shared, std::uint32_t lane,
             std::uint32_t position, const std::vector<std::uint32_t>& members);
  /// Starts what has become ready, until nothing more is.
  void settle();
  /// An activity of its has ended.
  void ended(Waits waits, std::uint32_t index);
  /// Both ends of the message of operation `op` are there.
  void other_end_comes(std::uint32_t op);

  [[nodiscard]] std::uint32_t task() const { return task_; }
  [[nodiscard]] bool finished() const { return remaining_ == 0; }
  [[nodiscard]] const model::Schedule& schedule() const { return *schedule_; }
  [[nodiscard]] const std::vector<Slots>& slots() const { return slots_; }
  [[nodiscard]] Meter& meter() { return meter_; }
  /// One line for each operation that waits, at most `limit`.
  [[nodiscard]] std::vector<std::string> stuck(std::size_t limit) const;

private:
  struct Outgoing {
    OutPort* port = nullptr;
    model::Protocol::Hop hop{};
    std::size_t next = 0; ///< position in the channel's order
    bool busy = false;
  };
  struct Incoming {
    InPort* port = nullptr;
    double latency_s = 0.0, hop_latency_s = 0.0; ///< of route and protocol, and of the protocol alone
    std::size_t next = 0;
    bool posted = false;
  };
  enum class State : std::uint8_t { WAITING, QUEUED, RUNNING, DONE };
  /// All that changes about an operation, in one place: with many ranks the cache holds little of it.
  struct OpState {
    double began_s = 0.0;      ///< or since when it waits to begin
    std::uint32_t waiting = 0; ///< predecessors that have not ended
    std::uint8_t parts = 0;    ///< activities that are waited for
    State state = State::WAITING;
  };

  void open_channels(std::uint32_t lane);
  void ready(std::uint32_t op);
  void launch(std::uint32_t op);
  void begin_op(std::uint32_t op);
  void begin_work(std::uint32_t op);
  void begin_transfers(std::uint32_t channel);
  void begin_transfer(std::uint32_t op, Outgoing& channel);
  void begin_wire(const model::Op& op, Outgoing& channel, Message& message, double bytes, const Flight& part);
  void met(std::uint32_t op);
  [[nodiscard]] static const Path& way_of(const model::Op& op, const OutPort& port);
  void post_receive(std::uint32_t channel);
  void arrived(std::uint32_t channel);
  void part_done(std::uint32_t op);
  void complete(std::uint32_t op);
  void grant_slots(std::size_t resource);
  void spill(std::size_t resource);
  void note_kernel_traffic(double amount);
  void choose_threshold();
  void start_clock(std::uint32_t op);
  [[nodiscard]] bool waits_unseen(const model::Op& op) const;
  [[nodiscard]] model::Protocol::Hop hop_over(const Path& path) const;
  [[nodiscard]] double sm_seconds(const model::Op& op, double span_bytes) const;
  /// Started, neither tracked nor kept.
  sg4::ExecPtr sm_work(const model::Op& op, double span_bytes);
  bool tracks_rest(std::uint32_t op);
  [[nodiscard]] double span_bytes(const model::Op& op) const;
  [[nodiscard]] int peer(const model::Op& op) const;
  [[nodiscard]] const model::Device& device() const;

  Executor& executor_;
  std::uint32_t task_ = 0;
  const model::Task* described_ = nullptr;
  const SharedSchedule* shared_ = nullptr;
  const model::Schedule* schedule_ = nullptr;
  const model::Program* program_ = nullptr;
  const ProgramIndex* index_ = nullptr;
  int position_ = 0;
  const std::vector<std::uint32_t>* members_ = nullptr;
  std::size_t remaining_ = 0;
  std::vector<OpState> states_;
  std::vector<std::uint32_t> ready_;
  std::vector<Outgoing> outgoing_;
  std::vector<Incoming> incoming_;
  std::vector<Slots> slots_;
  /// Parts of WORK that are waited for once the one that is tracked has ended.
  std::vector<std::pair<std::uint32_t, sg4::ExecPtr>> rest_;
  double kernel_traffic_s_ = 0.0; ///< time that the HBM alone would need for the compute stream's traffic so far ...
  double kernel_began_s_ = 0.0;   ///< ... which began at this time
  Meter meter_;
};

} // namespace tandem::engine
