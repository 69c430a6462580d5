// What the engine saw: times per rank, bytes per account and per link, use of bounded resources, and on demand every
// operation.
#pragma once

#include "model/ids.h"
#include "model/job.h"
#include "model/schedule.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tandem::model {

/// From the first start to the last end of a phase's operations on one rank; `busy` is the union of their times.
/// Seconds since the run's start.
struct PhaseTimes {
  bool used = false;
  double begin_s = 0.0, end_s = 0.0, busy_s = 0.0;
};

/// One rank's passage through one schedule of the sequence.
struct RankItem {
  double begin_s = 0.0, end_s = 0.0;
  double compute_s = 0.0; ///< some compute operation (Stream::COMPUTE) ran
  double exposed_s = 0.0; ///< none ran, but communication did
  double idle_s = 0.0;    ///< neither ran; compute + exposed + idle = end - begin, each accumulated on its own
  // What compute_s consists of: some SM worked for it; else memory accesses; else launches. They sum to it.
  double compute_sm_s = 0.0, compute_memory_s = 0.0, compute_launch_s = 0.0;
  std::array<PhaseTimes, PHASES> phases{};
};

/// DRAM bytes by account (Phase) and Access, as bytes of data (an update counts once, whatever it costs).
struct DramBytes {
  std::array<std::array<double, 3>, PHASES> bytes{};
  [[nodiscard]] double at(Phase phase, Access access) const {
    return bytes[static_cast<std::size_t>(phase)][static_cast<std::size_t>(access)];
  }
  [[nodiscard]] double& at(Phase phase, Access access) {
    return bytes[static_cast<std::size_t>(phase)][static_cast<std::size_t>(access)];
  }
  [[nodiscard]] double reads(Phase phase) const { return at(phase, Access::READ); }
  /// Writes and updates.
  [[nodiscard]] double writes(Phase phase) const { return at(phase, Access::WRITE) + at(phase, Access::UPDATE); }
  [[nodiscard]] double total() const;
};

struct ResourceUse {
  std::string name;
  int capacity = 0;
  int peak = 0;             ///< most slots in use at once on any rank
  std::uint64_t spills = 0; ///< over all ranks
};

/// One operation on the timeline. `item` is the task that it belongs to.
struct OpRecord {
  std::uint32_t rank = 0, item = 0, op = 0;
  double begin_s = 0.0, end_s = 0.0;
};

/// Where a rank's time went since the start. A moment counts once: for what it computes, else for what it
/// communicates, in the order of Purpose and Dimension. Each term is accumulated on its own.
struct RankTime {
  std::array<double, PURPOSES> compute_s{};
  std::array<double, DIMENSIONS> exposed_s{};
  double idle_s = 0.0; ///< nothing ran, or it waited for a message of another pipeline stage that was not under way
};

/// Memory of a rank as its tasks take it and give it back, bytes by account.
struct MemoryUse {
  double peak_bytes = 0.0;
  double peak_at_s = 0.0;
  std::vector<double> at_peak, at_end;
};

/// One task of one rank.
struct TaskRecord {
  std::uint32_t rank = 0, task = 0;
  double begin_s = 0.0, end_s = 0.0;
};

/// A rank's account when a task that ends an iteration was done.
struct IterationMark {
  double at_s = 0.0;
  RankTime time;
};

/// Lists by class have one entry for all ranks that did the same at the same times; where every rank was played, a
/// class is a rank. Sums are over all ranks.
struct Recording {
  int ranks = 0;
  std::vector<std::uint32_t> class_of;           ///< by rank; empty: every rank was played
  double end_s = 0.0;                            ///< when the last rank ended
  std::vector<std::vector<RankItem>> items;      ///< [task][class] of a job with one program; only when asked for
  std::vector<RankTime> times;                   ///< [class], until end_s; only when asked for
  std::vector<std::vector<IterationMark>> marks; ///< [class], one for each iteration; with `times`
  std::vector<MemoryUse> memory;                 ///< [class]; of jobs that state memory
  std::vector<TaskRecord> tasks;                 ///< of the lowest rank of each class; only when asked for
  std::vector<DramBytes> dram;                   ///< [class], over all items
  std::vector<double> sm_seconds;                ///< [class], work of its SMs: of one SM in one second is 1
  std::vector<double> link_bytes;                ///< [LinkId], what crossed it
  double message_bytes = 0.0;  ///< sum of the transfers' spans: data, before anything changes its size
  double wire_bytes = 0.0;     ///< sum of transfer sizes, as they cross the links
  double wire_hop_bytes = 0.0; ///< sum of transfer size x links of its route
  std::vector<ResourceUse> resources;
  double memory_intensity =
      0.0;                  ///< of the last GEMM's first stage on rank 0: share of time that the HBM was busy for it
  int queue_threshold = -1; ///< entries that compute-first arbitration chose on rank 0; 0: no limit; -1: not used
  std::uint64_t activities = 0;                ///< SimGrid activities created
  std::vector<OpRecord> ops;                   ///< of the lowest rank of each class; only when asked for
  std::map<std::string, std::string> settings; ///< SimGrid's version and every setting that was changed

  /// GPUs that were played.
  [[nodiscard]] int classes() const { return static_cast<int>(class_sizes().size()); }
  /// Ranks of each class.
  [[nodiscard]] std::vector<std::uint32_t> class_sizes() const;
  /// The same with an entry for every rank.
  [[nodiscard]] Recording expanded() const;
};

} // namespace tandem::model
