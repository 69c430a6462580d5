// The actor of one GPU that is played: runs the tasks of its program as those before them end, and waits for activities
// in the name of all schedules that it plays at the moment.
#pragma once

#include "engine/flight.h"
#include "engine/host_clock.h"
#include "engine/machine.h"
#include "engine/memory_arbiter.h"
#include "engine/memory_ledger.h"
#include "engine/player.h"
#include "engine/ports.h"
#include "engine/rank_meter.h"
#include "model/recording.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tandem::engine {

struct World;

class Executor {
public:
  /// GPU `number`, which stands for all ranks of its class.
  Executor(World& world, std::uint32_t number, double start_s);

  /// The actor's body.
  void run();
  /// Adds what it did, for as many ranks as it stands for.
  void report(model::Recording& recording);
  [[nodiscard]] bool finished() const { return finished_; }
  /// One line for each operation that waits, at most `limit`.
  [[nodiscard]] std::vector<std::string> stuck(std::size_t limit) const;

  // For the players of this rank's tasks.
  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] std::uint32_t rank() const { return rank_; }
  [[nodiscard]] World& world() const { return world_; }
  void track(sg4::ActivityPtr activity, const Flight& flight);
  /// An activity that the recording does not count: another has counted it, or it is no work.
  void track_uncounted(sg4::ActivityPtr activity, const Flight& flight);
  void delay(double seconds, const Flight& flight);
  /// Counts an activity that it keeps until it is over: this actor's end would cancel it. What ends unseen costs no
  /// call into SimGrid, so that of activities that are all waited for only the longest is tracked.
  void keep(const sg4::ExecPtr& activity);
  /// Whether ends of memory accesses have to be seen when they happen: track them then, keep them else.
  [[nodiscard]] bool sees_accesses() const;
  /// Not tracked where sees_accesses() is false: `flight` is of no use then, and the caller keeps it.
  /// `pace_s`: the access is issued evenly over this time at least; 0: as fast as the memory takes it.
  sg4::ExecPtr memory_access(std::uint32_t at, double amount, model::Stream stream, Flight flight, double pace_s = 0.0);
  /// Enters the traffic into the account of GPU `at`. Returns what the memory has to do, in bytes written or read.
  double book(std::uint32_t at, const std::vector<model::Traffic>& traffic, double span_bytes);
  /// SMs x seconds.
  void count_sm_work(double sm_seconds) { sm_seconds_ += sm_seconds; }
  void count_message(double data, double wire, const Path& path);
  void started(const model::Task& task, const model::Op& op, double now);
  void stopped(const model::Task& task, const model::Op& op, double now);
  /// Counts the operation as ended, and records it where that is asked for.
  void op_ended(std::uint32_t task, std::uint32_t op, double begin_s, double end_s);
  /// Time that the kernel's first stage kept the memory busy, as a share of its time.
  void note_intensity(double intensity, model::Arbitration arbitration);
  /// Made when first asked for.
  OutPort& out_port(const ChannelKey& key);
  InPort& in_port(const ChannelKey& key);
  InPort& in_port(std::uint32_t place);

private:
  void begin_when_issued(std::uint32_t task);
  void begin_task(std::uint32_t task);
  void end_task(Player& player);
  void settle(Player& player);
  void begin_ready_tasks();
  void wait_for_event();
  void ended(std::size_t flight);
  void share_memory();
  static void add_use(std::vector<model::ResourceUse>& uses, const model::ResourceUse& use);

  World& world_;
  std::uint32_t number_;
  std::uint32_t rank_;  ///< the one whose places it has
  std::uint32_t ranks_; ///< that it stands for
  double start_s_;
  const Role& role_;
  const model::TaskProgram& program_;
  bool finished_ = false;

  std::vector<std::uint32_t> waiting_; ///< by task: tasks before it that have not ended
  std::vector<std::uint32_t> ready_;
  std::optional<HostClock> host_;       ///< of a job that is issued by hosts
  std::vector<std::uint32_t> unissued_; ///< ready, but for the host, who waits for another task
  std::size_t remaining_ = 0;
  std::vector<std::unique_ptr<Player>> playing_, idle_;
  std::vector<std::unique_ptr<OutPort>> out_ports_; ///< by the role's places
  std::vector<std::unique_ptr<InPort>> in_ports_;

  std::vector<sg4::ActivityPtr> flights_;
  std::vector<sg4::ExecPtr> kept_; ///< many of them are over
  std::size_t keep_until_ = 0;     ///< so many, then look which are
  std::vector<Flight> meanings_;

  // what is recorded
  MemoryArbiter arbiter_;
  RankMeter meter_;
  MemoryLedger ledger_;
  model::DramBytes dram_;
  double sm_seconds_ = 0.0;
  std::vector<model::RankItem> items_;
  std::vector<model::TaskRecord> tasks_;
  std::vector<model::OpRecord> ops_;
  std::vector<model::IterationMark> marks_;
  std::vector<model::ResourceUse> resources_;
  double message_bytes_ = 0.0, wire_bytes_ = 0.0, wire_hop_bytes_ = 0.0;
  double intensity_ = 0.0;
  std::uint64_t activities_ = 0;
};

} // namespace tandem::engine
