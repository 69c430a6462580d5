// What `tandem collective` shows: one operation at several sizes under several strategies.
#pragma once

#include "model/collective_op.h"
#include "model/energy.h"
#include "model/link_use.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tandem::model {

struct CollectiveRow {
  std::size_t size_index = 0; ///< of its size among those asked for
  std::string strategy;       ///< as asked for: name:key=value
  std::string algorithm;      ///< "ring"
  std::string protocol;       ///< "LL128"; "none": the links alone limit
  std::string choice;     ///< what a selector chose from, with the times that it expected; empty: nothing was chosen
  bool is_fitted = false; ///< a fit of the library saw it
  bool is_host_bound = false;   ///< the host issues kernels more slowly than they run
  int played_gpus = 0;          ///< each for all ranks that do the same; 0: not known
  std::uint64_t activities = 0; ///< of SimGrid
  std::uint64_t size_bytes = 0;
  double time_s = 0.0;     ///< out of place
  double in_place_s = 0.0; ///< differs for one rank only, which then has nothing to do
  double lower_bound_s = 0.0;
  LinkUse links{};                   ///< of all that ran at the same time, until the last ended
  std::optional<double> alone_s;     ///< where others ran at the same time: without them
  std::vector<double> beside_s;      ///< theirs, in the order of CollectiveRun::beside, from their own start
  std::optional<EnergyUse> energy{}; ///< only when asked for
  std::optional<double> measured_s;  ///< of the log that the run is held against
  [[nodiscard]] double algorithm_bandwidth() const {
    return time_s > 0.0 ? static_cast<double>(size_bytes) / time_s : 0.0;
  }
  /// Simulated / measured - 1.
  [[nodiscard]] std::optional<double> error() const {
    return measured_s && *measured_s > 0.0 ? std::optional(time_s / *measured_s - 1.0) : std::nullopt;
  }
};

/// A size that a strategy cannot do where it can do others.
struct SkippedSize {
  std::string strategy; ///< as asked for
  std::uint64_t size_bytes = 0;
  std::string reason;
};

/// Collectives that ran at the same time as each row's, one after the other on a stream of their own.
struct BesideRun {
  CollectiveKind kind = CollectiveKind::ALL_REDUCE;
  std::vector<std::uint32_t> group; ///< ranks of the platform
  int root = 0;
  std::uint64_t size_bytes = 0;
  std::string strategy, algorithm, protocol; ///< as in a row
  double start_s = 0.0;
  int count = 1;
  double alone_s = 0.0; ///< all `count`, from their start, where nothing else runs
};

struct CollectiveRun {
  CollectiveKind kind = CollectiveKind::ALL_REDUCE;
  int ranks = 1;
  std::vector<std::uint32_t> group{}; ///< ranks of the platform; empty: its first
  int gpus = 1;                       ///< that take part in any of the collectives
  int root = 0;
  int gpus_per_process = 1;
  std::string platform, device, library; ///< library: empty: none
  std::string fitted_library{};          ///< YAML of the library that was fitted to the log; empty: none was
  std::string log;                       ///< file of measured times; empty: none
  std::vector<CollectiveRow> rows;       ///< by strategy, then size
  std::vector<SkippedSize> skipped{};    ///< in the order of the rows
  std::vector<BesideRun> beside{};
  std::vector<std::string> assumed;
  std::map<std::string, std::string> digests, settings;
  std::string version;
};

/// Share of algbw that crosses each rank's busiest port, after nccl-tests' PERFORMANCE.md: 2 (n-1)/n for an all-reduce,
/// (n-1)/n where each rank keeps a chunk, 1 for broadcast, reduce and sendrecv.
double bus_factor(CollectiveKind kind, int ranks);

} // namespace tandem::model
