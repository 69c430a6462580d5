// How far simulations in forked processes have come, as their parent sees it.
#pragma once

#include "engine/play.h"

#include <cstddef>
#include <functional>
#include <memory>

namespace tandem::study {

/// For engine::PlayOptions; may be empty.
using ReportProgress = std::function<void(const engine::Progress&)>;

/// A run of several simulations while they go on.
struct RunProgress {
  std::size_t done = 0, all = 0; ///< simulations
  double simulated_s = 0.0;      ///< clock of the one under way that has come furthest; 0: none has begun
  double share = 0.0;            ///< of the operations that have ended; each simulation counts alike
};

/// Memory that forked processes write and their parent reads. Made before they are, and lives longer.
class ProgressBoard {
public:
  using Show = std::function<void(const RunProgress&)>;

  /// `show` may be empty, and so are the functions below then.
  ProgressBoard(std::size_t simulations, Show show);
  ~ProgressBoard();
  ProgressBoard(const ProgressBoard&) = delete;
  ProgressBoard& operator=(const ProgressBoard&) = delete;

  /// For engine::PlayOptions, in the process of simulation `number`.
  [[nodiscard]] ReportProgress reporter(std::size_t number) const;
  /// For PoolOptions.
  [[nodiscard]] std::function<void(std::size_t, std::size_t)> watcher() const;

private:
  struct Entry;
  [[nodiscard]] RunProgress so_far(std::size_t done, std::size_t all) const;

  std::size_t simulations_;
  Show show_;
  Entry* entries_ = nullptr; ///< shared memory; null where nobody looks
};

} // namespace tandem::study
